#include "index/roaring64.h"

#include <algorithm>
#include <array>
#include <vector>

#include <roaring/roaring.h>

#include "base/bytes.h"
#include "base/error.h"

namespace mica {
namespace {

constexpr char kEmpty = 0;
constexpr char kNotEmpty = 1;
constexpr char kNotTrimmed = -2;
enum NodeType : uint8_t { kNode4, kNode16, kNode48, kNode256, kLeaf };
enum ContainerType : uint8_t { kRuns, kBits, kArray };
constexpr size_t kKeyBytes = 6;
constexpr size_t kBitsBytes = 8192;
// Of the portable form of 32-bit bitmaps, from which containers are taken.
constexpr uint32_t kCookie = 12347;
constexpr uint32_t kCookieWithoutRuns = 12346;

class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  template <typename T>
  T Read() {
    return LoadLittle<T>(Bytes(sizeof(T)).data());
  }
  std::string_view Bytes(size_t count) {
    if (rest_.size() < count) throw Corrupt("A 64-bit roaring bitmap ends too early");
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  size_t size() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

struct Leaf {
  uint64_t key;    // 48 bits
  uint64_t index;  // of its container
};

// The leaves below a node; a branch of the tree is at most as deep as a key is long.
void ReadNode(Input* in, size_t depth, std::vector<Leaf>* leaves) {
  const auto type = in->Read<uint8_t>();
  const auto count = in->Read<uint16_t>();
  const auto prefix = in->Read<uint8_t>();
  in->Bytes(prefix);
  if (type == kLeaf) {
    uint64_t key = 0;
    for (const char byte : in->Bytes(kKeyBytes)) key = key << 8 | static_cast<uint8_t>(byte);
    leaves->push_back({key, in->Read<uint64_t>()});
    return;
  }
  constexpr std::array<size_t, 4> kBodies = {4, 16, 256, 32};
  if (type > kNode256 || depth >= kKeyBytes || count > 256) throw Corrupt("A 64-bit roaring bitmap has a bad node");
  in->Bytes(kBodies[type]);
  for (uint16_t i = 0; i < count; ++i) ReadNode(in, depth + 1, leaves);
}

// What one container holds, as stretches [first, last] or single values of 16 bits.
struct Container {
  std::string_view bytes;
  ContainerType type = kArray;
  uint32_t cardinality = 0;
};

Container ReadContainer(Input* in) {
  Container container;
  container.type = static_cast<ContainerType>(in->Read<uint8_t>());
  container.cardinality = in->Read<uint32_t>();
  switch (container.type) {
    case kRuns:
      container.bytes = in->Bytes(size_t{in->Read<uint16_t>()} * 4);
      return container;
    case kBits:
      container.bytes = in->Bytes(kBitsBytes);
      return container;
    case kArray:
      if (container.cardinality > 65536) break;
      container.bytes = in->Bytes(size_t{container.cardinality} * 2);
      return container;
  }
  throw Corrupt("A 64-bit roaring bitmap has a bad container");
}

std::vector<Container> ReadContainers(Input* in, std::vector<size_t>* starts) {
  std::vector<Container> containers;
  const auto lists = in->Read<uint32_t>();
  for (uint32_t i = 0; i < lists; ++i) {
    in->Read<int8_t>();
    const auto size = in->Read<uint32_t>();
    starts->push_back(containers.size());
    for (uint32_t j = 0; j < size; ++j) {
      const auto mark = in->Read<uint8_t>();
      if (mark > 1) throw Corrupt("A 64-bit roaring bitmap has a bad mark");
      containers.push_back(mark == 0 ? Container() : ReadContainer(in));
    }
  }
  starts->push_back(containers.size());
  return containers;
}

void AddContainer(const Container& container, uint32_t base, roaring_bitmap_t* to) {
  const char* bytes = container.bytes.data();
  switch (container.type) {
    case kRuns:
      for (size_t i = 0; i < container.bytes.size(); i += 4) {
        const uint64_t first = base + uint64_t{LoadLittle<uint16_t>(bytes + i)};
        roaring_bitmap_add_range(to, first, first + LoadLittle<uint16_t>(bytes + i + 2) + 1);
      }
      return;
    case kBits:
      for (uint32_t i = 0; i < 65536; ++i) {
        if ((static_cast<uint8_t>(bytes[i >> 3]) >> (i & 7)) & 1) roaring_bitmap_add(to, base + i);
      }
      return;
    case kArray:
      for (size_t i = 0; i < container.bytes.size(); i += 2) {
        roaring_bitmap_add(to, base + LoadLittle<uint16_t>(bytes + i));
      }
      return;
  }
}

// One container and the 48 bits above it.
struct Entry {
  std::array<uint8_t, kKeyBytes> key;
  Container container;
};

// Takes the containers out of the portable form of a 32-bit bitmap.
void SplitContainers(uint32_t high, std::string_view bytes, std::vector<Entry>* entries) {
  Input in(bytes);
  const auto cookie = in.Read<uint32_t>();
  uint32_t count = cookie >> 16;
  std::string_view run_flags;
  if ((cookie & 0xffff) == kCookie) {
    ++count;
    run_flags = in.Bytes((count + 7) / 8);
  } else {
    MICA_CHECK(cookie == kCookieWithoutRuns);
    count = in.Read<uint32_t>();
  }
  const std::string_view heads = in.Bytes(size_t{count} * 4);
  if (run_flags.empty() || count >= 4) in.Bytes(size_t{count} * 4);  // offsets
  for (uint32_t i = 0; i < count; ++i) {
    const auto middle = LoadLittle<uint16_t>(heads.data() + 4 * i);
    Entry& entry = entries->emplace_back();
    const uint64_t key = uint64_t{high} << 16 | middle;
    for (size_t b = 0; b < kKeyBytes; ++b) entry.key[b] = static_cast<uint8_t>(key >> (8 * (kKeyBytes - 1 - b)));
    entry.container.cardinality = uint32_t{LoadLittle<uint16_t>(heads.data() + 4 * i + 2)} + 1;
    const bool runs = !run_flags.empty() && ((run_flags[i / 8] >> (i % 8)) & 1) != 0;
    entry.container.type = runs ? kRuns : entry.container.cardinality > 4096 ? kBits : kArray;
    entry.container.bytes = in.Bytes(runs                                   ? size_t{in.Read<uint16_t>()} * 4
                                     : entry.container.type == kBits ? kBitsBytes
                                                                     : size_t{entry.container.cardinality} * 2);
  }
}

void WriteHeader(NodeType type, size_t count, const uint8_t* prefix, size_t prefix_length, std::string* out) {
  AppendLittle(*out, static_cast<uint8_t>(type));
  AppendLittle(*out, static_cast<uint16_t>(count));
  AppendLittle(*out, static_cast<uint8_t>(prefix_length));
  out->append(reinterpret_cast<const char*>(prefix), prefix_length);
}

// The tree of entries [begin, end), which share `depth` bytes.
void WriteNode(const std::vector<Entry>& entries, size_t begin, size_t end, size_t depth, std::string* out) {
  const auto& key = entries[begin].key;
  if (end - begin == 1) {
    WriteHeader(kLeaf, 0, nullptr, 0, out);
    out->append(reinterpret_cast<const char*>(key.data()), kKeyBytes);
    AppendLittle(*out, static_cast<uint64_t>(begin));
    return;
  }
  size_t branch = depth;  // keys are in order, so what the first and the last share all share
  while (key[branch] == entries[end - 1].key[branch]) ++branch;
  std::vector<size_t> starts;
  for (size_t i = begin; i < end; ++i) {
    if (i == begin || entries[i].key[branch] != entries[i - 1].key[branch]) starts.push_back(i);
  }
  const size_t count = starts.size();
  const NodeType type = count <= 4 ? kNode4 : count <= 16 ? kNode16 : count <= 48 ? kNode48 : kNode256;
  WriteHeader(type, count, key.data() + depth, branch - depth, out);
  // Bytes lie in big-endian words that are written the other way round.
  const auto write_words = [&](std::string bytes, size_t word) {
    for (size_t i = 0; i < bytes.size(); i += word) {
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + word));
    }
    out->append(bytes);
  };
  const auto byte_of = [&](size_t child) { return entries[starts[child]].key[branch]; };
  if (type == kNode4 || type == kNode16) {
    std::string bytes(type == kNode4 ? 4 : 16, '\0');
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(byte_of(i));
    write_words(std::move(bytes), type == kNode4 ? 4 : 8);
  } else if (type == kNode48) {
    std::string slots(256, '\xff');
    for (size_t i = 0; i < count; ++i) slots[byte_of(i)] = static_cast<char>(i);
    write_words(std::move(slots), 8);
  } else {
    std::array<uint64_t, 4> mask{};
    for (size_t i = 0; i < count; ++i) mask[byte_of(i) >> 6] |= uint64_t{1} << (byte_of(i) & 63);
    for (const uint64_t word : mask) AppendLittle(*out, word);
  }
  starts.push_back(end);
  for (size_t i = 0; i < count; ++i) WriteNode(entries, starts[i], starts[i + 1], branch + 1, out);
}

}  // namespace

void Roaring64::Free::operator()(roaring_bitmap_s* bitmap) const {
  roaring_bitmap_free(bitmap);
}

roaring_bitmap_s* Roaring64::PartOf(uint32_t high) {
  Bitmap& part = parts_[high];
  if (part == nullptr) part.reset(roaring_bitmap_create());
  return part.get();
}

Roaring64 Roaring64::Deserialize(std::string_view bytes) {
  Roaring64 bitmap;
  Input in(bytes);
  const auto tag = in.Read<char>();
  if (tag == kEmpty) return bitmap;
  if (tag != kNotEmpty) throw Corrupt("A 64-bit roaring bitmap begins with {}", int{tag});
  in.Read<uint64_t>();  // how many leaves there are
  std::vector<Leaf> leaves;
  ReadNode(&in, 0, &leaves);
  std::vector<size_t> starts;
  const std::vector<Container> containers = ReadContainers(&in, &starts);
  for (const Leaf& leaf : leaves) {
    const uint64_t list = leaf.index >> 32, place = leaf.index & 0xffffffffu;
    if (list + 1 >= starts.size() || starts[list] + place >= starts[list + 1]) {
      throw Corrupt("A 64-bit roaring bitmap lacks container {}", leaf.index);
    }
    AddContainer(containers[starts[list] + place], static_cast<uint32_t>(leaf.key & 0xffff) << 16,
                 bitmap.PartOf(static_cast<uint32_t>(leaf.key >> 16)));
  }
  return bitmap;
}

std::string Roaring64::Serialize() const {
  std::vector<std::string> parts;
  parts.reserve(parts_.size());
  std::vector<Entry> entries;
  for (const auto& [high, part] : parts_) {
    if (roaring_bitmap_is_empty(part.get())) continue;
    const Bitmap copy(roaring_bitmap_copy(part.get()));
    roaring_bitmap_run_optimize(copy.get());
    std::string& bytes = parts.emplace_back(roaring_bitmap_portable_size_in_bytes(copy.get()), '\0');
    roaring_bitmap_portable_serialize(copy.get(), bytes.data());
    SplitContainers(high, bytes, &entries);
  }
  std::string out;
  if (entries.empty()) {
    out.push_back(kEmpty);
    return out;
  }
  out.push_back(kNotEmpty);
  AppendLittle(out, static_cast<uint64_t>(entries.size()));
  WriteNode(entries, 0, entries.size(), 0, &out);
  AppendLittle(out, uint32_t{1});
  out.push_back(kNotTrimmed);
  AppendLittle(out, static_cast<uint32_t>(entries.size()));
  for (const Entry& entry : entries) {
    out.push_back(1);
    AppendLittle(out, static_cast<uint8_t>(entry.container.type));
    AppendLittle(out, entry.container.cardinality);
    if (entry.container.type == kRuns) AppendLittle(out, static_cast<uint16_t>(entry.container.bytes.size() / 4));
    out.append(entry.container.bytes);
  }
  AppendLittle(out, static_cast<uint64_t>(entries.size()));
  AppendLittle(out, uint32_t{0});
  AppendLittle(out, static_cast<uint32_t>(entries.size() - 1));
  return out;
}

void Roaring64::Add(uint64_t value) {
  roaring_bitmap_add(PartOf(static_cast<uint32_t>(value >> 32)), static_cast<uint32_t>(value));
}

void Roaring64::UnionWith(const Roaring64& other) {
  for (const auto& [high, part] : other.parts_) roaring_bitmap_or_inplace(PartOf(high), part.get());
}

uint64_t Roaring64::cardinality() const {
  uint64_t count = 0;
  for (const auto& [high, part] : parts_) count += roaring_bitmap_get_cardinality(part.get());
  return count;
}

}  // namespace mica
