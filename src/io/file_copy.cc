#include "io/file_copy.h"

#include <algorithm>
#include <memory>

#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/uuid.h"

namespace mica {

namespace {

constexpr int64_t kBufferBytes = 1 << 20;

int64_t CopyBytes(FileSystem& source, const std::string& from, std::optional<int64_t> known, FileSystem& target,
                  const std::string& to) {
  auto input = source.OpenInput(from, known);
  const int64_t size = known ? *known : Take(input->GetSize());
  auto output = target.OpenOutput(to);
  const auto buffer = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(std::clamp<int64_t>(size, 1, kBufferBytes)));
  int64_t copied = 0;
  while (copied < size) {
    const int64_t bytes = Take(input->ReadAt(copied, std::min(kBufferBytes, size - copied), buffer.get()));
    if (bytes <= 0) throw Corrupt("The file '{}' ends after {} of {} bytes", from, copied, size);
    Check(output->Write(buffer.get(), bytes));
    copied += bytes;
  }
  Check(output->Close());
  return size;
}

}  // namespace

int64_t MakeWhole(FileSystem& target, const std::string& to,
                  const std::function<int64_t(const std::string& path)>& write) {
  const std::string scheme = SchemeOf(to);
  if (!scheme.empty() && scheme != "file") return write(to);
  // A disk shows a file from its first byte on.
  const std::string temporary = JoinPath(ParentPath(to), fmt::format(".{}.{}.tmp", BaseName(to), RandomUuid()));
  try {
    const int64_t bytes = write(temporary);
    try {
      target.Rename(temporary, to);
      return bytes;
    } catch (const Error& error) {
      const auto other = target.Stat(to);
      if (error.kind() != ErrorKind::kAlreadyExists || !other || other->size != bytes) throw;
    }
    target.DeleteFile(temporary);
    return bytes;
  } catch (const Error&) {
    try {
      target.DeleteFile(temporary);
    } catch (const Error&) {
      // An orphan; cleaning up must not hide the error that led here.
    }
    throw;
  }
}

int64_t CopyFile(FileSystem& source, const std::string& from, std::optional<int64_t> size, FileSystem& target,
                 const std::string& to) {
  return MakeWhole(target, to, [&](const std::string& path) { return CopyBytes(source, from, size, target, path); });
}

}  // namespace mica
