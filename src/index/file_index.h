// The file index of one data file (Format 11): the container that holds the indexes of its columns, and what they say of a
// predicate.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/column_index.h"
#include "predicate/predicate.h"
#include "types/data_type.h"

namespace mica {

// One index to be put into a container.
struct FileIndexPart {
  std::string column;  // `column[key]` for a key of a map
  std::string kind;
  std::optional<std::string> body;  // nullopt: there was no value at all
};
std::string WriteFileIndex(const std::vector<FileIndexPart>& parts);

class FileIndex {
 public:
  // Gives bytes [offset, offset + length).
  using ReadBytes = std::function<std::string(int64_t offset, int64_t length)>;
  // Reads the header. Throws Corrupt.
  FileIndex(int64_t file_bytes, ReadBytes read);
  // A container that is at hand.
  explicit FileIndex(std::string bytes);

  struct Place {
    std::string kind;
    int64_t start = -1;  // -1: empty
    int64_t length = 0;
  };
  const std::map<std::string, std::vector<Place>>& places() const { return places_; }

  // All indexes with their bodies.
  std::vector<FileIndexPart> Parts() const;

  // Which rows of the file may match. Columns and types as the file's schema has them. Reads the bodies it needs.
  IndexAnswer Ask(const Predicate& predicate, const std::vector<DataField>& fields);

 private:
  struct Opened {
    std::string bytes;
    std::unique_ptr<ColumnIndex> index;  // nullptr: of no use
  };
  IndexAnswer AskColumn(const Predicate& leaf, const std::vector<DataField>& fields);
  const Opened& Open(const Place& place, const DataType& type);

  int64_t file_bytes_;
  ReadBytes read_;
  std::map<std::string, std::vector<Place>> places_;  // by column
  std::map<std::pair<std::string, int64_t>, Opened> opened_;
};

}  // namespace mica
