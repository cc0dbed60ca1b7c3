#include "ingest/record_splitter.h"

namespace mica {

void RecordSplitter::Add(std::string_view bytes) {
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  buffer_ += bytes;
}

bool RecordSplitter::Next(std::string_view* record) {
  record_line_ = line_;
  for (; scanned_ < buffer_.size(); ++scanned_) {
    const char c = buffer_[scanned_];
    if (quotes_ && c == '"') inside_ = !inside_;
    if (c != '\n') continue;
    ++breaks_;
    if (inside_) continue;
    size_t end = scanned_++;
    line_ += breaks_;
    breaks_ = 0;
    if (end > start_ && buffer_[end - 1] == '\r') --end;
    *record = std::string_view(buffer_).substr(start_, end - start_);
    start_ = scanned_;
    return true;
  }
  if (!ended_ || start_ == buffer_.size()) return false;
  *record = std::string_view(buffer_).substr(start_);
  start_ = buffer_.size();
  return true;
}

}  // namespace mica
