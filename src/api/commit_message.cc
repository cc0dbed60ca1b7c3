#include "mica/commit_message.h"

#include "api/border.h"
#include "api/state.h"
#include "table/parcel.h"

namespace mica::api {

std::string CommitMessage::Serialize() const {
  return mica::Serialize(state_->message);
}

CommitMessage CommitMessage::Deserialize(std::string_view bytes) {
  return AtBorder([&] {
    return CommitMessage(std::make_shared<const State>(State{DeserializeCommitMessage(bytes)}));
  });
}

}  // namespace mica::api
