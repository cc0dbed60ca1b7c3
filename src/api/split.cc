#include "mica/split.h"

#include "api/border.h"
#include "api/state.h"
#include "table/parcel.h"

namespace mica::api {

namespace {
constexpr std::string_view kMark = "micaSPLS";  // with the schema to read with
}

std::string Split::Serialize() const {
  ParcelWriter out(kMark);
  out.Number(state_->schema_id);
  out.Text(mica::Serialize(state_->split));
  return out.Finish();
}

Split Split::Deserialize(std::string_view bytes) {
  return AtBorder([&] {
    ParcelReader in(bytes, kMark);
    const int64_t schema_id = in.Number();
    auto split = DeserializeSplit(in.Text());
    in.Finish();
    return Split(std::make_shared<const State>(State{std::move(split), schema_id}));
  });
}

int64_t Split::snapshot_id() const {
  return state_->split.snapshot_id;
}

int32_t Split::bucket() const {
  return state_->split.bucket;
}

int64_t Split::row_count() const {
  return state_->split.row_count();
}

int64_t Split::bytes() const {
  return state_->split.bytes();
}

}  // namespace mica::api
