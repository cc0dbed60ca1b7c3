// Paimon's data types (Format 2): immutable values, cheap to copy. Text and JSON forms are those of schema files.
// Thread safe: all state is const and shared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace mica {

enum class TypeRoot : uint8_t {
  kChar, kVarchar, kBoolean, kBinary, kVarbinary, kDecimal, kTinyInt, kSmallInt, kInt, kBigInt, kFloat, kDouble,
  kDate, kTime, kTimestamp, kTimestampLtz, kVariant, kBlob, kArray, kMultiset, kMap, kRow,
};

struct DataField;

class DataType {
 public:
  static constexpr int32_t kMaxLength = 2147483647;

  DataType() : DataType(TypeRoot::kInt) {}
  explicit DataType(TypeRoot root, bool nullable = true, int32_t length = 0, int32_t scale = 0)
      : root_(root), nullable_(nullable), length_(length), scale_(scale) {}

  static DataType Char(int32_t n) { return DataType(TypeRoot::kChar, true, n); }
  static DataType Varchar(int32_t n) { return DataType(TypeRoot::kVarchar, true, n); }
  static DataType String() { return Varchar(kMaxLength); }
  static DataType Bytes() { return DataType(TypeRoot::kVarbinary, true, kMaxLength); }
  static DataType Int() { return DataType(TypeRoot::kInt); }
  static DataType BigInt() { return DataType(TypeRoot::kBigInt); }
  static DataType Decimal(int32_t precision, int32_t scale) {
    return DataType(TypeRoot::kDecimal, true, precision, scale);
  }
  static DataType Timestamp(int32_t precision) { return DataType(TypeRoot::kTimestamp, true, precision); }
  static DataType TimestampLtz(int32_t precision) { return DataType(TypeRoot::kTimestampLtz, true, precision); }
  static DataType Array(DataType element);
  static DataType Multiset(DataType element);
  static DataType Map(DataType key, DataType value);
  static DataType Row(std::vector<DataField> fields);

  TypeRoot root() const { return root_; }
  bool nullable() const { return nullable_; }
  int32_t length() const { return length_; }     // CHAR, VARCHAR, BINARY, VARBINARY
  int32_t precision() const { return length_; }  // DECIMAL, TIME, TIMESTAMP, TIMESTAMP_LTZ
  int32_t scale() const { return scale_; }       // DECIMAL
  const DataType& element() const;               // ARRAY, MULTISET
  const DataType& key() const;                   // MAP
  const DataType& value() const;                 // MAP
  const std::vector<DataField>& fields() const;  // ROW

  DataType WithNullable(bool nullable) const;
  // True for everything that is not ARRAY, MULTISET, MAP, ROW, VARIANT or BLOB: may be a key or partition column.
  bool IsPrimitive() const;
  bool IsString() const { return root_ == TypeRoot::kChar || root_ == TypeRoot::kVarchar; }
  bool IsBinary() const { return root_ == TypeRoot::kBinary || root_ == TypeRoot::kVarbinary; }
  bool IsInteger() const { return root_ >= TypeRoot::kTinyInt && root_ <= TypeRoot::kBigInt; }
  bool IsTimestamp() const { return root_ == TypeRoot::kTimestamp || root_ == TypeRoot::kTimestampLtz; }
  // DECIMAL with p <= 18 / TIMESTAMP with p <= 3: fit a BinaryRow slot (Format 6.1).
  bool IsCompactDecimal() const { return root_ == TypeRoot::kDecimal && length_ <= 18; }
  bool IsCompactTimestamp() const { return IsTimestamp() && length_ <= 3; }

  // Equality includes nullability, field names, ids, comments of nested rows.
  bool operator==(const DataType& other) const;
  // Equality apart from nullability at the top.
  bool SameTypeAs(const DataType& other) const { return WithNullable(true) == other.WithNullable(true); }

  // SQL text, e.g. "DECIMAL(10, 2) NOT NULL", "ARRAY<INT>", "ROW<`a` INT>" (Format 2 for atomic types).
  std::string ToString() const;
  Json ToJson() const;
  // Reads both forms (string or object). Throws Corrupt or InvalidArgument. `next_field_id` numbers ROW fields
  // that carry no id (old files); nullptr starts at 0.
  static DataType FromJson(const Json& json, int32_t* next_field_id = nullptr);
  // The string grammar of Format 2 for atomic types and postfix ARRAY / MULTISET, case-insensitive.
  static DataType Parse(std::string_view text);

 private:
  struct Children;
  TypeRoot root_;
  bool nullable_;
  int32_t length_;
  int32_t scale_;
  std::shared_ptr<const Children> children_;
};

struct DataField {
  int32_t id = -1;
  std::string name;
  DataType type;
  std::optional<std::string> description;
  std::optional<std::string> default_value;

  bool operator==(const DataField&) const = default;
  Json ToJson() const;
  static DataField FromJson(const Json& json, int32_t* next_field_id = nullptr);
};

// Ids and names of the system columns (Format 2.1).
inline constexpr int32_t kKeyFieldIdBase = 1073741823;
inline constexpr int32_t kSystemFieldIdStart = 1073741823;
inline constexpr int32_t kSequenceNumberId = 2147483646;
inline constexpr int32_t kValueKindId = 2147483645;
inline constexpr int32_t kLevelId = 2147483644;
inline constexpr int32_t kRowKindId = 2147483643;
inline constexpr int32_t kRowIdId = 2147483642;
inline constexpr std::string_view kKeyPrefix = "_KEY_";
inline constexpr std::string_view kSequenceNumber = "_SEQUENCE_NUMBER";
inline constexpr std::string_view kValueKind = "_VALUE_KIND";
inline constexpr std::string_view kRowId = "_ROW_ID";

DataField SequenceNumberField();  // BIGINT NOT NULL
DataField ValueKindField();       // TINYINT NOT NULL
DataField KeyField(const DataField& field);  // _KEY_<name>, id + kKeyFieldIdBase

// Position of a name, or -1.
int FindField(const std::vector<DataField>& fields, std::string_view name);
int FindFieldById(const std::vector<DataField>& fields, int32_t id);

// Gives ids the way a new schema gets them (Format 2.1): columns pre-order, nested fields post-order.
// Continues after *highest_id and leaves the highest id given there.
std::vector<DataField> AssignFieldIds(std::vector<DataField> fields, int32_t* highest_id);
DataType AssignNestedIds(const DataType& type, int32_t* highest_id);
// The highest id below the system range, nested included; -1 for none.
int32_t HighestFieldId(const std::vector<DataField>& fields);

// Ids of list elements, map keys and values in data files (Format 8.2). `field_id` owns the type, `depth` starts at 1.
int32_t ElementFieldId(int32_t field_id, int32_t depth);
int32_t MapKeyFieldId(int32_t field_id, int32_t depth);
int32_t MapValueFieldId(int32_t field_id, int32_t depth);

}  // namespace mica
