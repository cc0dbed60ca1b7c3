// What a writer of one bucket asks to commit: the files that come and go. A value that may leave the process: write
// anywhere, commit here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mica::api {

class CommitMessage {
 public:
  // Bytes of a version of Mica are read by the same and by later ones. Throws kCorrupt, kUnsupported for later bytes.
  static CommitMessage Deserialize(std::string_view bytes);
  std::string Serialize() const;

  struct State;  // of the implementation
  explicit CommitMessage(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace mica::api
