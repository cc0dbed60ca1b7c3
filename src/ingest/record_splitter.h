// Cuts a stream of bytes into records: lines, for CSV with line breaks inside of quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mica {

class RecordSplitter {
 public:
  explicit RecordSplitter(bool quotes) : quotes_(quotes) {}

  void Add(std::string_view bytes);
  void AddEnd() { ended_ = true; }
  // The next whole record without its line break; false: more bytes are needed. Valid until the next call of Add.
  bool Next(std::string_view* record);
  // The line that the last record began in, from 1 on.
  int64_t line() const { return record_line_; }

 private:
  bool quotes_;
  bool ended_ = false;
  std::string buffer_;
  size_t start_ = 0;    // of the record to come
  size_t scanned_ = 0;  // up to here there is no end of it
  bool inside_ = false;  // quotes
  int64_t line_ = 1;    // of the record to come
  int64_t breaks_ = 0;  // in what is known of it
  int64_t record_line_ = 0;
};

}  // namespace mica
