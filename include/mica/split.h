// What one reader reads: some files of one bucket at one snapshot. A value that may leave the process: plan here, read
// anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mica::api {

class Split {
 public:
  // Bytes of a version of Mica are read by the same and by later ones. Throws kCorrupt, kUnsupported for later bytes.
  static Split Deserialize(std::string_view bytes);
  std::string Serialize() const;

  int64_t snapshot_id() const;
  int32_t bucket() const;
  int64_t row_count() const;  // of its files: merging and filters leave fewer rows
  int64_t bytes() const;      // of its files

  struct State;  // of the implementation
  explicit Split(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace mica::api
