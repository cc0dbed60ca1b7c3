// The streams of one stripe of an ORC file: where they lie, how their columns are encoded, and their bytes, read in as
// few pieces as is sensible.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/io/type_fwd.h>

#include "format/orc_chunks.h"
#include "format/orc_runs.h"
#include "format/orc_tail.h"

namespace mica {

enum class OrcStream : uint32_t { kPresent = 0, kData = 1, kLength = 2, kDictionary = 3, kSecondary = 5 };

class OrcStripeStreams {
 public:
  // Reads the streams of the columns for which `wanted` is true. The tail must outlive it. Throws Corrupt.
  OrcStripeStreams(arrow::io::RandomAccessFile& file, const OrcTail& tail, const OrcStripe& stripe,
                   const std::vector<bool>& wanted);

  bool Has(size_t column, OrcStream stream) const;
  // An absent stream is an empty one.
  OrcInput Open(size_t column, OrcStream stream) const;
  // Integers, by the version that the column's encoding says.
  OrcIntegerRuns OpenIntegers(size_t column, OrcStream stream, bool is_signed) const;
  bool IsDictionary(size_t column) const;
  int64_t DictionarySize(size_t column) const;
  const std::string& zone() const { return zone_; }

 private:
  struct Encoding {
    uint64_t kind = 0;
    uint64_t dictionary_size = 0;
  };
  struct Place {
    int64_t offset;
    int64_t bytes;
  };
  void ParseFooter(const std::string& footer, const OrcStripe& stripe, const std::vector<bool>& wanted);
  void ReadStreams(arrow::io::RandomAccessFile& file);

  const OrcTail& tail_;
  std::vector<Encoding> encodings_;
  std::string zone_;
  std::map<std::pair<size_t, OrcStream>, Place> places_;
  std::map<std::pair<size_t, OrcStream>, std::shared_ptr<arrow::Buffer>> bytes_;
};

}  // namespace mica
