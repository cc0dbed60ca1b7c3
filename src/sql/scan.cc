#include "sql/scan.h"

#include <set>

#include <duckdb/function/cast/default_casts.hpp>
#include <duckdb/function/partition_stats.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/tableref/table_function_ref.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression_iterator.hpp>

#include "base/text.h"
#include "engine/duck_types.h"
#include "sql/deleted_rows.h"
#include "sql/errors.h"
#include "sql/hidden_columns.h"
#include "sql/pushed_predicate.h"
#include "sql/split_list.h"
#include "sql/split_reader.h"
#include "table/deletions.h"
#include "table/file_mapping.h"

namespace mica::sql {

namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

// STRUCT of the partition columns. There is no empty struct: without partitions the column is a text, always NULL.
LogicalType PartitionType(const TableSchema& schema) {
  duckdb::child_list_t<LogicalType> children;
  for (const std::string& key : schema.partition_keys) children.emplace_back(key, ToDuckType(schema.Field(key).type));
  return children.empty() ? LogicalType::VARCHAR : LogicalType::STRUCT(std::move(children));
}

duckdb::Value PartitionOf(const Table& table, const ScanUnit& unit) {
  const TableSchema& schema = table.schema();
  LogicalType type = PartitionType(schema);
  if (schema.partition_keys.empty()) return duckdb::Value(type);
  std::vector<Value> values = BinaryRow::Deserialize(unit.split.partition).Values(table.partition_types());
  duckdb::vector<duckdb::Value> children;
  for (size_t i = 0; i < values.size(); ++i) {
    children.push_back(ToDuckValue(values[i], schema.Field(schema.partition_keys[i]).type));
  }
  return duckdb::Value::STRUCT(type, std::move(children));
}

struct TableScanInfo : public duckdb::TableFunctionInfo {
  duckdb::optional_ptr<MicaTableEntry> entry;
  std::shared_ptr<const ScanSource> source;
};

// Whether DuckDB's cast between the two keeps every value.
bool CastsExactly(const LogicalType& from, const LogicalType& to) {
  if (from == to) return true;
  auto width = [](LogicalTypeId id) {
    switch (id) {
      case LogicalTypeId::TINYINT:
        return 1;
      case LogicalTypeId::SMALLINT:
        return 2;
      case LogicalTypeId::INTEGER:
        return 4;
      case LogicalTypeId::BIGINT:
        return 8;
      default:
        return 0;
    }
  };
  auto unsigned_width = [](LogicalTypeId id) {
    switch (id) {
      case LogicalTypeId::UTINYINT:
        return 1;
      case LogicalTypeId::USMALLINT:
        return 2;
      case LogicalTypeId::UINTEGER:
        return 4;
      default:
        return 0;
    }
  };
  if (width(from.id()) > 0 && width(to.id()) > 0) return width(from.id()) <= width(to.id());
  if (unsigned_width(from.id()) > 0 && width(to.id()) > 0) return unsigned_width(from.id()) < width(to.id());
  return from.id() == LogicalTypeId::FLOAT && to.id() == LogicalTypeId::DOUBLE;
}

bool HasBloomFilter(const duckdb::TableFilter& filter) {
  using duckdb::TableFilterType;
  switch (filter.filter_type) {
    case TableFilterType::BLOOM_FILTER:
      return true;
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return child && HasBloomFilter(*child);
    }
    case TableFilterType::CONJUNCTION_AND:
    case TableFilterType::CONJUNCTION_OR:
      for (const auto& child : static_cast<const duckdb::ConjunctionFilter&>(filter).child_filters) {
        if (HasBloomFilter(*child)) return true;
      }
      return false;
    default:
      return false;
  }
}

const DataField* FieldAt(const ScanSource& source, idx_t column) {
  const auto& fields = source.table->schema().fields;
  return column < fields.size() ? &fields[column] : nullptr;
}

PredicatePtr FromFilterSet(const ScanSource& source, const duckdb::TableFilterSet& filters,
                           const std::function<idx_t(idx_t)>& column_at) {
  std::vector<PredicatePtr> parts;
  for (const auto& [position, filter] : filters.filters) {
    const DataField* field = FieldAt(source, column_at(position));
    if (field == nullptr) continue;
    if (PredicatePtr part = FromTableFilter(*filter, *field)) parts.push_back(std::move(part));
  }
  return parts.empty() ? nullptr : Predicate::And(std::move(parts));
}

// Writers leave NaN, the greatest of all numbers, out of the bounds of Parquet's statistics, and the engine's reader
// trusts bounds. It does not where a column is cast, be it to its own type.
void HideFloatsFromStatistics(duckdb::unique_ptr<duckdb::Expression>* expression) {
  const LogicalType& type = (*expression)->return_type;
  const bool is_float = type.id() == duckdb::LogicalTypeId::FLOAT || type.id() == duckdb::LogicalTypeId::DOUBLE;
  const auto expression_class = (*expression)->GetExpressionClass();
  if (is_float && (expression_class == duckdb::ExpressionClass::BOUND_COLUMN_REF ||
                   expression_class == duckdb::ExpressionClass::BOUND_FUNCTION)) {
    const LogicalType same = type;
    *expression = duckdb::make_uniq<duckdb::BoundCastExpression>(
        std::move(*expression), same, duckdb::BoundCastInfo(duckdb::DefaultCasts::NopCast), false);
    return;
  }
  duckdb::ExpressionIterator::EnumerateChildren(
      **expression, [](duckdb::unique_ptr<duckdb::Expression>& child) { HideFloatsFromStatistics(&child); });
}

class TableScanReader final : public duckdb::MultiFileReader {
 public:
  explicit TableScanReader(std::shared_ptr<const ScanSource> source) : source_(std::move(source)) {}

  static duckdb::unique_ptr<duckdb::MultiFileReader> Create(const duckdb::TableFunction& function) {
    return duckdb::make_uniq<TableScanReader>(function.function_info->Cast<TableScanInfo>().source);
  }

  duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override {
    return duckdb::make_uniq<TableScanReader>(source_);
  }

  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(duckdb::ClientContext&,
                                                           const duckdb::vector<duckdb::string>&,
                                                           const duckdb::FileGlobInput&) override {
    return duckdb::make_shared_ptr<SplitList>(source_, nullptr);
  }

  bool Bind(duckdb::MultiFileOptions&, duckdb::MultiFileList&, duckdb::vector<LogicalType>& types,
            duckdb::vector<duckdb::string>& names, duckdb::MultiFileReaderBindData& bind_data) override {
    for (const DataField& field : source_->table->schema().fields) {
      duckdb::MultiFileColumnDefinition column(field.name, ToDuckType(field.type));
      column.identifier = duckdb::Value::INTEGER(field.id);
      column.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(column.type));
      types.push_back(column.type);
      names.push_back(field.name);
      bind_data.schema.push_back(std::move(column));
    }
    bind_data.mapping = duckdb::MultiFileColumnMappingMode::BY_FIELD_ID;
    return true;
  }

  void BindOptions(duckdb::MultiFileOptions&, duckdb::MultiFileList&, duckdb::vector<LogicalType>&,
                   duckdb::vector<duckdb::string>&, duckdb::MultiFileReaderBindData&) override {}

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext&, duckdb::MultiFileList& files, const duckdb::MultiFileOptions&,
      duckdb::MultiFilePushdownInfo& info, duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) override {
    return Guard([&]() -> duckdb::unique_ptr<duckdb::MultiFileList> {
      auto& list = files.Cast<SplitList>();
      auto field_of = [&](const duckdb::BoundColumnRefExpression& reference) -> const DataField* {
        if (reference.binding.table_index != info.table_index || reference.depth != 0) return nullptr;
        if (reference.binding.column_index >= info.column_ids.size()) return nullptr;
        const DataField* field = FieldAt(*source_, info.column_ids[reference.binding.column_index]);
        return field != nullptr && reference.return_type == ToDuckType(field->type) ? field : nullptr;
      };
      std::vector<PredicatePtr> parts;
      if (list.predicate()) parts.push_back(list.predicate());
      size_t known = parts.size();
      for (const auto& filter : filters) {
        if (PredicatePtr part = FromExpression(*filter, field_of)) parts.push_back(std::move(part));
      }
      for (auto& filter : filters) HideFloatsFromStatistics(&filter);
      if (parts.size() == known) return nullptr;
      return duckdb::make_uniq<SplitList>(source_, Predicate::And(std::move(parts)));
    });
  }

  duckdb::unique_ptr<duckdb::MultiFileList> DynamicFilterPushdown(
      duckdb::ClientContext&, const duckdb::MultiFileList& files, const duckdb::MultiFileOptions&,
      const duckdb::vector<duckdb::string>&, const duckdb::vector<LogicalType>&,
      const duckdb::vector<duckdb::column_t>& column_ids, duckdb::TableFilterSet& filters) override {
    return Guard([&]() -> duckdb::unique_ptr<duckdb::MultiFileList> {
      const auto& list = files.Cast<SplitList>();
      PredicatePtr predicate = FromFilterSet(*source_, filters, [&](idx_t i) { return column_ids[i]; });
      if (predicate == nullptr) return nullptr;
      return list.Filtered([&](const ScanUnit& unit) { return UnitMayMatch(*source_, unit, *predicate); });
    });
  }

  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(duckdb::ClientContext& context,
                                                          duckdb::GlobalTableFunctionState& state,
                                                          const duckdb::OpenFileInfo& file, idx_t file_index,
                                                          const duckdb::MultiFileBindData& bind_data) override {
    return Guard([&]() -> duckdb::shared_ptr<duckdb::BaseFileReader> {
      const ScanUnit& unit = *UnitOf(file);
      if (unit.straight && !ReadsFewPages(*source_, unit, bind_data.file_list->Cast<SplitList>().predicate())) {
        return MultiFileReader::CreateReader(context, state, file, file_index, bind_data);
      }
      return OwnReader(file, bind_data);
    });
  }

  duckdb::ReaderInitializeType InitializeReader(duckdb::MultiFileReaderData& data,
                                                const duckdb::MultiFileBindData& bind_data,
                                                const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
                                                const duckdb::vector<duckdb::ColumnIndex>& global_ids,
                                                duckdb::optional_ptr<duckdb::TableFilterSet> filters,
                                                duckdb::ClientContext& context,
                                                duckdb::MultiFileGlobalState& state) override {
    return Guard([&] {
      const std::shared_ptr<const ScanUnit>& unit = UnitOf(data.reader->file);
      for (const duckdb::ColumnIndex& id : global_ids) {
        if (const DataField* field = FieldAt(*source_, id.GetPrimaryIndex()))
          CheckReadableInSql(field->type, field->name);
      }
      // Top-N and join filters may have become sharper since the list was made.
      if (filters) {
        PredicatePtr predicate =
            FromFilterSet(*source_, *filters, [&](idx_t i) { return global_ids[i].GetPrimaryIndex(); });
        if (predicate != nullptr && !UnitMayMatch(*source_, *unit, *predicate)) {
          return duckdb::ReaderInitializeType::SKIP_READING_FILE;
        }
      }
      bool own = IsOwn(*data.reader);
      bool tracked = std::any_of(global_ids.begin(), global_ids.end(),
                                 [](const duckdb::ColumnIndex& id) { return IsTracked(id.GetPrimaryIndex()); });
      bool mapped = own || !unit->straight ||
                    (!tracked && MapStraight(*data.reader, *unit, global_columns, global_ids, filters));
      if (!mapped) {
        auto reader = OwnReader(data.reader->file, bind_data);
        reader->file_list_idx = data.reader->file_list_idx;
        data.reader = std::move(reader);
      } else if (unit->straight && unit->split.DeletionsOf(0) != nullptr) {
        data.reader->deletion_filter =
            duckdb::make_uniq<DeletedRows>(ReadDeletions(*source_->table, *unit->split.DeletionsOf(0)));
      }
      return MultiFileReader::InitializeReader(data, bind_data, global_columns, global_ids, filters, context, state);
    });
  }

  void FinalizeBind(duckdb::MultiFileReaderData& data, const duckdb::MultiFileOptions& options,
                    const duckdb::MultiFileReaderBindData& bind_data,
                    const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
                    const duckdb::vector<duckdb::ColumnIndex>& global_ids, duckdb::ClientContext& context,
                    duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> state) override {
    Guard([&] {
      const std::shared_ptr<const ScanUnit>& unit = UnitOf(data.reader->file);
      bool own = IsOwn(*data.reader);
      for (idx_t i = 0; i < global_ids.size(); ++i) {
        idx_t column = global_ids[i].GetPrimaryIndex();
        if (column == COLUMN_IDENTIFIER_FILENAME && !unit->split.raw_convertible) {
          throw Unsupported(
              "__paimon_file_path exists only for rows that lie in one file: the table '{}' has to be "
              "compacted first",
              source_->table->name().ToString());
        }
        if (column == kBucketColumn) {
          data.constant_map.Add(duckdb::MultiFileGlobalIndex(i), duckdb::Value::INTEGER(unit->split.bucket));
        }
        if (column == kPartitionColumn) {
          data.constant_map.Add(duckdb::MultiFileGlobalIndex(i), PartitionOf(*source_->table, *unit));
        }
        if (own) continue;
        const DataField* field = FieldAt(*source_, column);
        if (field == nullptr) continue;
        int position = PartitionPosition(field->name);
        if (position < 0) continue;
        auto types = source_->table->partition_types();
        Value value = BinaryRow::Deserialize(unit->split.partition).Get(position, types[static_cast<size_t>(position)]);
        data.constant_map.Add(duckdb::MultiFileGlobalIndex(i), ToDuckValue(value, field->type));
      }
      MultiFileReader::FinalizeBind(data, options, bind_data, global_columns, global_ids, context, state);
    });
  }

 private:
  static const std::shared_ptr<const ScanUnit>& UnitOf(const duckdb::OpenFileInfo& file) {
    return static_cast<const UnitInfo&>(*file.extended_info).unit;
  }

  duckdb::shared_ptr<duckdb::BaseFileReader> OwnReader(const duckdb::OpenFileInfo& file,
                                                       const duckdb::MultiFileBindData& bind_data) const {
    const auto& list = bind_data.file_list->Cast<SplitList>();
    return duckdb::make_shared_ptr<SplitReader>(file, source_, UnitOf(file), list.predicate());
  }

  static bool IsOwn(const duckdb::BaseFileReader& reader) {
    return dynamic_cast<const SplitReader*>(&reader) != nullptr;
  }

  int PartitionPosition(const std::string& name) const {
    const auto& keys = source_->table->schema().partition_keys;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == name) return static_cast<int>(i);
    }
    return -1;
  }

  // Gives the columns of a Parquet file the ids of the schema it was written with, and the types that schema means.
  // False: DuckDB's reader would not give the exact values of a wanted column.
  bool MapStraight(duckdb::BaseFileReader& base, const ScanUnit& unit,
                   const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
                   const duckdb::vector<duckdb::ColumnIndex>& global_ids,
                   duckdb::optional_ptr<duckdb::TableFilterSet> filters) const {
    auto& reader = base.Cast<duckdb::ParquetReader>();
    auto file_schema = source_->table->schemas().Get(unit.split.files.front().schema_id);
    std::map<int32_t, idx_t> local_of;
    std::map<int32_t, const DataField*> file_field_of;
    for (const DataField& field : file_schema->fields) file_field_of[field.id] = &field;
    for (idx_t i = 0; i < reader.columns.size(); ++i) {
      auto& column = reader.columns[i];
      int position = FindField(file_schema->fields, column.name);
      // What the manifest says of the partition counts, whatever a file that was imported holds.
      const bool of_file = position >= 0 && PartitionPosition(column.name) < 0;
      int32_t id = of_file ? file_schema->fields[static_cast<size_t>(position)].id : -1;
      // An empty identifier would end the mapping of all later columns.
      column.identifier = duckdb::Value::INTEGER(id);
      if (id >= 0) local_of[id] = i;
    }
    for (idx_t i = 0; i < global_ids.size(); ++i) {
      const DataField* field = FieldAt(*source_, global_ids[i].GetPrimaryIndex());
      if (field == nullptr) continue;
      if (field->type.root() == TypeRoot::kChar) return false;
      auto local = local_of.find(field->id);
      if (local == local_of.end()) {
        // A file column in another letter case, or one that the writer left out (row tracking, thin mode).
        if (file_field_of.contains(field->id) && PartitionPosition(field->name) < 0) return false;
        continue;
      }
      const DataField& file_field = *file_field_of[field->id];
      auto& column = reader.columns[local->second];
      auto& physical = reader.root_schema->children[local->second];
      if (physical.type_info == duckdb::ParquetExtraTypeInfo::IMPALA_TIMESTAMP) return false;
      LogicalType meant = ToDuckType(file_field.type);
      LogicalTypeId found = column.type.id();
      bool relabel = (meant.id() == LogicalTypeId::TIMESTAMP && found == LogicalTypeId::TIMESTAMP_TZ) ||
                     (meant.id() == LogicalTypeId::TIMESTAMP_TZ && found == LogicalTypeId::TIMESTAMP) ||
                     (meant.id() == LogicalTypeId::TIME && found == LogicalTypeId::TIME_TZ);
      if (relabel) column.type = physical.type = meant;
      if (column.type != meant && !CastsExactly(column.type, meant)) return false;
      if (!file_field.type.IsPrimitive()) {
        // Nested types map by position only when nothing changed inside.
        if (!file_field.type.SameTypeAs(field->type) ||
            column.type != global_columns[global_ids[i].GetPrimaryIndex()].type) {
          return false;
        }
        continue;
      }
      if (!meant.IsNested() && file_field.type.root() != field->type.root() &&
          !(file_field.type.IsInteger() && field->type.IsInteger()) &&
          !(file_field.type.root() == TypeRoot::kFloat && field->type.root() == TypeRoot::kDouble) &&
          !(file_field.type.root() == TypeRoot::kVarchar && field->type.root() == TypeRoot::kVarchar) &&
          !(file_field.type.IsBinary() && field->type.IsBinary())) {
        return false;
      }
      LogicalType wanted = ToDuckType(field->type);
      if (!CastsExactly(column.type, wanted)) return false;
      // Shorter lengths and precisions cut values.
      if (file_field.type.root() == field->type.root() &&
          (file_field.type.length() > field->type.length() || file_field.type.scale() != field->type.scale())) {
        return false;
      }
      if (column.type != wanted && filters) {
        auto filter = filters->filters.find(i);
        if (filter != filters->filters.end() && HasBloomFilter(*filter->second)) return false;
      }
    }
    return true;
  }

  std::shared_ptr<const ScanSource> source_;
};

const SplitList& ListOf(duckdb::optional_ptr<const duckdb::FunctionData> bind_data) {
  return bind_data->Cast<duckdb::MultiFileBindData>().file_list->Cast<SplitList>();
}

std::string BytesText(int64_t bytes) {
  if (bytes < 10 * 1024) return fmt::format("{} B", bytes);
  if (bytes < int64_t{10} << 20) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1024);
  if (bytes < int64_t{10} << 30) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / (1 << 30));
}

duckdb::InsertionOrderPreservingMap<duckdb::string> ToString(duckdb::TableFunctionToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<duckdb::string> result;
  if (!input.table_function.function_info || !input.bind_data) return result;
  auto& info = input.table_function.function_info->Cast<TableScanInfo>();
  Guard([&] {
    const SplitList& list = ListOf(input.bind_data);
    const ScanCounts& counts = list.counts();
    const TableName& name = info.source->table->name();
    result["Table"] =
        fmt::format("[{}, {}, {}]", std::string(info.entry->ParentCatalog().GetName()), name.database, name.table);
    result["Snapshot"] = info.source->snapshot ? std::to_string(info.source->snapshot->id) : "none";
    result["pushedFilters"] = fmt::format("[{}]", list.predicate() ? list.predicate()->ToString() : "");
    std::string buckets = "ALL";
    if (!counts.buckets.empty()) {
      buckets.clear();
      for (int32_t bucket : counts.buckets) buckets += (buckets.empty() ? "" : ", ") + std::to_string(bucket);
    }
    result["bucketIds"] = fmt::format("[{}]", buckets);
    if (!info.source->table->schema().partition_keys.empty()) {
      std::set<std::string_view> partitions;
      for (const auto& unit : list.units()) partitions.insert(unit->split.partition);
      result["Partitions"] = std::to_string(partitions.size());
    }
    int64_t files = 0, bytes = 0, merging = 0;
    for (const auto& unit : list.units()) {
      files += static_cast<int64_t>(unit->split.files.size());
      bytes += unit->split.bytes();
      merging += unit->split.raw_convertible ? 0 : 1;
    }
    SnapshotTotals totals;
    if (info.source->snapshot) {
      ThreadExecutor executor;
      totals = TotalsOf(info.source->table->manifests(), *info.source->snapshot, executor);
    }
    for (const CommitMessage& message : info.source->pending) {
      for (const DataFileMeta& file : message.data.new_files) {
        ++totals.files;
        totals.bytes += file.file_size;
      }
    }
    result["Files"] = fmt::format("{} of {}", files, totals.files);
    result["Bytes"] = fmt::format("{} of {}", BytesText(bytes), BytesText(totals.bytes));
    if (counts.index_files > 0) {
      result["Index skips"] = fmt::format("{} of {}", counts.index_files_skipped, counts.index_files);
      if (counts.index_rows_skipped > 0) result["Index skips rows"] = std::to_string(counts.index_rows_skipped);
    }
    result["Splits"] = std::to_string(list.units().size());
    result["Merge"] = merging == 0 ? "none" : fmt::format("{} splits", merging);
  });
  return result;
}

// What ANALYZE TABLE found helps to order joins. It may be out of date, so it bounds no value.
duckdb::unique_ptr<duckdb::BaseStatistics> DistinctCountOf(duckdb::ClientContext&,
                                                           const duckdb::FunctionData* bind_data,
                                                           duckdb::column_t column) {
  const ScanSource& source = ListOf(bind_data).source();
  const DataField* field = source.statistics ? FieldAt(source, column) : nullptr;
  if (field == nullptr) return nullptr;
  auto known = source.statistics->columns.find(field->name);
  if (known == source.statistics->columns.end() || !known->second.distinct_count) return nullptr;
  auto result = duckdb::BaseStatistics::CreateUnknown(ToDuckType(field->type));
  result.SetDistinctCount(static_cast<idx_t>(*known->second.distinct_count));
  return result.ToUnique();
}

duckdb::vector<duckdb::PartitionStatistics> PartitionStats(duckdb::ClientContext&,
                                                           duckdb::GetPartitionStatsInput& input) {
  duckdb::vector<duckdb::PartitionStatistics> result;
  Guard([&] {
    const SplitList& list = ListOf(input.bind_data);
    auto count = list.exact_row_count();
    if (list.predicate() != nullptr || !count) return;
    duckdb::PartitionStatistics statistics;
    statistics.row_start = 0;
    statistics.count = static_cast<idx_t>(*count);
    statistics.count_type = duckdb::CountType::COUNT_EXACT;
    result.push_back(std::move(statistics));
  });
  return result;
}

// The entry brings the virtual columns into reach of the binder.
duckdb::BindInfo TableBindInfo(const duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  return duckdb::BindInfo(*ListOf(bind_data.get()).source().entry);
}

duckdb::virtual_column_map_t VirtualColumns(duckdb::ClientContext&,
                                            duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto result = ScanVirtualColumns(ListOf(bind_data.get()).source().table->schema());
  bind_data->Cast<duckdb::MultiFileBindData>().virtual_columns = result;
  return result;
}

TablePtr WithoutOtherBranch(const Table& table) {
  auto schema = std::make_shared<TableSchema>(table.schema());
  for (const char* key : {"scan.fallback-branch", "scan.primary-branch"}) schema->options.erase(key);
  return table.WithSchema(std::move(schema));
}

// The table and the other branch that its options name, each without the option.
void TakeOtherBranch(const MicaTableEntry& entry, ScanSource* source) {
  const Table& table = *entry.table();
  auto fallback = table.options().Find("scan.fallback-branch"), primary = table.options().Find("scan.primary-branch");
  source->table = entry.table();
  bool named = (fallback && !fallback->empty()) || (primary && !primary->empty());
  if (!named) return;
  if (fallback && primary) {
    throw InvalidArgument("Only one of 'scan.fallback-branch' and 'scan.primary-branch' may be set, table '{}'",
                          table.name().ToString());
  }
  source->table = WithoutOtherBranch(table);
  std::string branch = fallback ? *fallback : *primary;
  TablePtr other = WithoutOtherBranch(*table.WithOptions({{"branch", branch}}));
  if (other->name() == table.name()) return;
  const auto& own_fields = table.schema().fields;
  const auto& fields = other->schema().fields;
  bool same = fields.size() == own_fields.size() && other->schema().partition_keys == table.schema().partition_keys;
  for (size_t i = 0; same && i < fields.size(); ++i) {
    same = fields[i].name == own_fields[i].name && fields[i].type.SameTypeAs(own_fields[i].type);
  }
  if (!same) {
    throw InvalidArgument("Cannot read table '{}' together with the branch '{}': their columns differ", table.name().ToString(),
                          branch);
  }
  auto snapshot = other->snapshots().Latest();
  auto latest = table.snapshots().LatestId();
  bool travels = entry.snapshot() && latest && entry.snapshot()->id != *latest;
  if (travels && snapshot && snapshot->time_millis > entry.snapshot()->time_millis) {
    try {
      snapshot = other->snapshots().AtTime(entry.snapshot()->time_millis);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;
      snapshot.reset();
    }
  }
  source->other = ScanSource::Other{other, snapshot, /*is_primary=*/primary.has_value()};
}

}  // namespace

duckdb::virtual_column_map_t ScanVirtualColumns(const TableSchema& schema) {
  duckdb::virtual_column_map_t result;
  result.insert({duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME,
                 duckdb::TableColumn("__paimon_file_path", LogicalType::VARCHAR)});
  result.insert({duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER,
                 duckdb::TableColumn("__paimon_row_index", LogicalType::BIGINT)});
  result.insert({kBucketColumn, duckdb::TableColumn("__paimon_bucket", LogicalType::INTEGER)});
  result.insert({kPartitionColumn, duckdb::TableColumn("__paimon_partition", PartitionType(schema))});
  if (TableOptions(schema.options).Bool("row-tracking.enabled", false)) {
    result.insert({kRowIdColumn, duckdb::TableColumn(std::string(kRowId), LogicalType::BIGINT)});
    result.insert({kSequenceColumn, duckdb::TableColumn(std::string(kSequenceNumber), LogicalType::BIGINT)});
  }
  result.insert({duckdb::COLUMN_IDENTIFIER_EMPTY, duckdb::TableColumn("", LogicalType::BOOLEAN)});
  return result;
}

duckdb::TableFunction BindTableScan(duckdb::ClientContext& context, MicaTableEntry& entry,
                                    duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  auto source = std::make_shared<ScanSource>();
  TakeOtherBranch(entry, source.get());
  CheckReadable(source->table->schema());
  source->snapshot = entry.snapshot();
  if (source->snapshot) source->statistics = ReadStatistics(*source->table, *source->snapshot);
  source->entry = &entry;
  auto& transaction = MicaTransaction::Get(context, entry.ParentCatalog());
  if (const PendingWrite* pending = transaction.pending(entry.table()->name())) {
    if (pending->overwrite || pending->changes || entry.table()->schema().has_primary_key()) {
      throw Unsupported("The table '{}' was written in this transaction and cannot be read before the commit",
                        entry.table()->name().ToString());
    }
    source->pending = pending->messages;
  }

  auto& parquet = duckdb::Catalog::GetEntry<duckdb::TableFunctionCatalogEntry>(context, SYSTEM_CATALOG, DEFAULT_SCHEMA,
                                                                               "parquet_scan");
  duckdb::TableFunction function = parquet.functions.GetFunctionByOffset(0);
  auto info = duckdb::make_shared_ptr<TableScanInfo>();
  info->entry = &entry;
  info->source = source;
  function.name = "mica_scan";
  function.function_info = info;
  function.get_multi_file_reader = TableScanReader::Create;
  function.to_string = ToString;
  function.get_virtual_columns = VirtualColumns;
  function.get_row_id_columns = nullptr;
  function.late_materialization = false;
  function.get_bind_info = TableBindInfo;
  function.statistics = DistinctCountOf;
  function.statistics_extended = nullptr;
  function.serialize = nullptr;
  function.deserialize = nullptr;
  function.get_partition_stats = PartitionStats;

  duckdb::vector<duckdb::Value> inputs = {duckdb::Value("")};
  duckdb::named_parameter_map_t parameters;
  duckdb::vector<LogicalType> input_types;
  duckdb::vector<duckdb::string> input_names, names;
  duckdb::vector<LogicalType> types;
  duckdb::TableFunctionRef reference;
  duckdb::TableFunctionBindInput input(inputs, parameters, input_types, input_names, info.get(), nullptr, function,
                                       reference);
  bind_data = function.bind(context, input, types, names);
  bind_data->Cast<duckdb::MultiFileBindData>().virtual_columns = ScanVirtualColumns(source->table->schema());
  return function;
}

}  // namespace mica::sql
