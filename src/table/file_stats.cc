#include "table/file_stats.h"

#include "base/text.h"

namespace mica {

StatsMode ParseStatsMode(std::string_view text) {
  std::string mode = ToLower(Trim(text));
  if (mode == "none") return {StatsMode::Kind::kNone, 0};
  if (mode == "counts") return {StatsMode::Kind::kCounts, 0};
  if (mode == "full") return {StatsMode::Kind::kFull, 0};
  if (mode.starts_with("truncate(") && mode.ends_with(")")) {
    auto length = ParseInteger(mode.substr(9, mode.size() - 10));
    if (length && *length > 0 && *length <= INT32_MAX) return {StatsMode::Kind::kTruncate, static_cast<int32_t>(*length)};
  }
  throw InvalidArgument("The statistics mode '{}' is unknown. Use none, counts, full or truncate(n)", text);
}

std::optional<std::string> OptionAtLevel(const TableOptions& options, std::string_view key, int32_t level) {
  auto text = options.Find(key);
  if (!text) return std::nullopt;
  for (const std::string& part : SplitList(*text, ',')) {
    size_t colon = part.find(':');
    auto number = ParseInteger(std::string_view(part).substr(0, colon));
    if (colon == std::string::npos || !number) {
      throw InvalidArgument("The option '{}' must look like '0:x,1:y', not '{}'", key, *text);
    }
    if (*number == level) return std::string(Trim(std::string_view(part).substr(colon + 1)));
  }
  return std::nullopt;
}

namespace {

struct CodePoint {
  size_t begin;
  uint32_t value;
};

// The code points of valid UTF-8, at most `limit` of them; *rest tells whether more follow.
std::vector<CodePoint> Decode(std::string_view text, size_t limit, bool* rest) {
  std::vector<CodePoint> points;
  size_t i = 0;
  while (i < text.size() && points.size() < limit) {
    auto byte = [&](size_t k) { return i + k < text.size() ? static_cast<uint8_t>(text[i + k]) & 0x3fu : 0u; };
    uint8_t lead = static_cast<uint8_t>(text[i]);
    size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t value = length == 1   ? lead
                     : length == 2 ? (lead & 0x1fu) << 6 | byte(1)
                     : length == 3 ? (lead & 0x0fu) << 12 | byte(1) << 6 | byte(2)
                                   : (lead & 0x07u) << 18 | byte(1) << 12 | byte(2) << 6 | byte(3);
    points.push_back({i, value});
    i += length;
  }
  *rest = i < text.size();
  return points;
}

void AppendUtf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// The shortest text of at most `length` code points that is not below any text beginning with these; nothing if none.
std::optional<std::string> TruncatedMax(const std::string& text, size_t length) {
  bool rest;
  auto points = Decode(text, length, &rest);
  if (!rest) return text;
  for (size_t i = points.size(); i-- > 0;) {
    uint32_t next = points[i].value + 1;
    if (next == 0xd800) next = 0xe000;  // surrogates are no characters
    if (next > 0x10ffff) continue;
    std::string out = text.substr(0, points[i].begin);
    AppendUtf8(out, next);
    return out;
  }
  return std::nullopt;
}

std::string TruncatedMin(const std::string& text, size_t length) {
  bool rest;
  auto points = Decode(text, length + 1, &rest);
  return points.size() > length ? text.substr(0, points[length].begin) : text;
}

std::optional<std::string> TruncatedBinaryMax(const std::string& bytes, size_t length) {
  if (bytes.size() <= length) return bytes;
  std::string out = bytes.substr(0, length);
  while (!out.empty() && static_cast<uint8_t>(out.back()) == 0xff) out.pop_back();
  if (out.empty()) return std::nullopt;
  out.back() = static_cast<char>(static_cast<uint8_t>(out.back()) + 1);
  return out;
}

}  // namespace

ColumnStats ApplyStatsMode(ColumnStats stats, const DataType& type, StatsMode mode) {
  switch (mode.kind) {
    case StatsMode::Kind::kNone: return {};
    case StatsMode::Kind::kCounts: return {std::nullopt, std::nullopt, stats.null_count};
    case StatsMode::Kind::kFull: return stats;
    case StatsMode::Kind::kTruncate: break;
  }
  if (!stats.min || !stats.max || !(type.IsString() || type.IsBinary())) return stats;
  size_t length = static_cast<size_t>(mode.length);
  const std::string& max = std::get<std::string>(*stats.max);
  auto cut = type.IsString() ? TruncatedMax(max, length) : TruncatedBinaryMax(max, length);
  if (!cut) {
    stats.min.reset();
    stats.max.reset();
    return stats;
  }
  const std::string& min = std::get<std::string>(*stats.min);
  stats.min = type.IsString() ? TruncatedMin(min, length) : min.substr(0, length);
  stats.max = *std::move(cut);
  return stats;
}

FileStats::FileStats(const TableSchema& schema, int32_t level, std::string_view format)
    : fields_(schema.fields), keys_(schema.has_primary_key() ? schema.KeyFields() : std::vector<DataField>{}) {
  TableOptions options(schema.options);
  auto by_level = OptionAtLevel(options, "metadata.stats-mode.per.level", level);
  StatsMode table_mode = ParseStatsMode(by_level ? *by_level : options.Text("metadata.stats-mode", "truncate(16)"));
  dense_ = options.Bool("metadata.stats-dense-store", true);
  int64_t first = options.Integer("metadata.stats-keep-first-n-columns", -1);
  // Format 9: keys are kept longer, except in Avro files.
  key_mode_ = format == "avro" ? table_mode : StatsMode{StatsMode::Kind::kTruncate, 128};
  bool thin = options.Bool("data-file.thin-mode", false);
  for (size_t i = 0; i < fields_.size(); ++i) {
    StatsMode mode = table_mode;
    if (auto own = options.Find("fields." + fields_[i].name + ".stats-mode")) {
      mode = ParseStatsMode(*own);
    } else if (first >= 0 && static_cast<int64_t>(i) >= first) {
      mode = {StatsMode::Kind::kNone, 0};
    }
    if (thin && FindField(keys_, fields_[i].name) >= 0) mode = key_mode_;
    modes_.push_back(mode);
  }
}

namespace {

SimpleStats ToSimpleStats(const std::vector<ColumnStats>& stats, const std::vector<DataType>& types) {
  std::vector<Value> min, max;
  std::vector<std::optional<int64_t>> nulls;
  for (const ColumnStats& column : stats) {
    min.push_back(column.min ? *column.min : Value{});
    max.push_back(column.max ? *column.max : Value{});
    nulls.push_back(column.null_count);
  }
  return {BinaryRow::Of(min, types).Serialize(), BinaryRow::Of(max, types).Serialize(), std::move(nulls)};
}

}  // namespace

SimpleStats FileStats::Keys(const std::vector<ColumnStats>& stats) const {
  std::vector<ColumnStats> kept;
  std::vector<DataType> types;
  for (size_t i = 0; i < stats.size(); ++i) {
    types.push_back(keys_[i].type.WithNullable(true));
    kept.push_back(ApplyStatsMode(stats[i], keys_[i].type, key_mode_));
  }
  return ToSimpleStats(kept, types);
}

SimpleStats FileStats::Values(const std::vector<ColumnStats>& stats, std::optional<std::vector<std::string>>* columns) const {
  std::vector<ColumnStats> kept;
  std::vector<DataType> types;
  std::vector<std::string> names;
  for (size_t i = 0; i < fields_.size(); ++i) {
    ColumnStats column = ApplyStatsMode(stats[i], fields_[i].type, modes_[i]);
    if (dense_ && !column.min && !column.max && !column.null_count) continue;
    kept.push_back(std::move(column));
    types.push_back(fields_[i].type.WithNullable(true));
    names.push_back(fields_[i].name);
  }
  columns->reset();
  if (names.size() != fields_.size()) *columns = std::move(names);
  return ToSimpleStats(kept, types);
}

}  // namespace mica
