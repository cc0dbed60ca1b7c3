#include "hive/hive_metastore.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "hive/hive_structs.h"
#include "hive/thrift_connection.h"

namespace mica {

namespace {

using V = ThriftValue;

// What a method may answer with instead of a result: the names of the exceptions of its fields 1, 2, ...
using Exceptions = std::vector<const char*>;
const Exceptions kMeta = {"MetaException"};
const Exceptions kMissingOrMeta = {"NoSuchObjectException", "MetaException"};
const Exceptions kMetaOrMissing = {"MetaException", "NoSuchObjectException"};
const Exceptions kChange = {"InvalidOperationException", "MetaException"};
const Exceptions kDrop = {"NoSuchObjectException", "InvalidOperationException", "MetaException"};
// This one's second exception is numbered 2 and called o3.
const Exceptions& kDropTable = kMissingOrMeta;

enum class Repeat { kSafe, kNever };

std::string UserName() {
  if (const char* name = std::getenv("HADOOP_USER_NAME"); name && *name) return name;
  const passwd* user = ::getpwuid(::geteuid());
  return user ? user->pw_name : std::to_string(::geteuid());
}

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

ErrorKind KindOf(std::string_view exception, const std::string& message) {
  if (exception == "NoSuchObjectException" || exception.starts_with("Unknown") || exception == "NoSuchLockException") {
    return ErrorKind::kNotFound;
  }
  if (exception == "AlreadyExistsException") return ErrorKind::kAlreadyExists;
  for (const char* sign : {"Permission", "AccessControl", "Authorization"}) {
    if (message.find(sign) != std::string::npos) return ErrorKind::kPermissionDenied;
  }
  return exception.starts_with("Invalid") ? ErrorKind::kInvalidArgument : ErrorKind::kIoError;
}

}  // namespace

struct HiveMetastore::Impl {
  HiveMetastoreSettings settings;
  std::string user = UserName();
  std::mutex mutex;
  std::vector<std::unique_ptr<ThriftConnection>> idle;
  size_t current = 0;  // the server that answered last
  std::atomic<int64_t> calls{0};

  std::unique_ptr<ThriftConnection> Connect() {
    size_t first;
    {
      std::lock_guard lock(mutex);
      first = current;
    }
    const size_t count = settings.servers.size();
    std::string why;
    for (int round = 0; round < settings.connect_rounds; ++round) {
      if (round > 0) (settings.sleeper ? settings.sleeper : SystemSleeper())(settings.round_delay.count());
      for (size_t i = 0; i < count; ++i) {
        const size_t at = (first + i) % count;
        const HiveServer& server = settings.servers[at];
        try {
          auto connection = std::make_unique<ThriftConnection>(server.host, server.port, settings.connect_timeout,
                                                               settings.answer_timeout);
          Introduce(*connection);
          std::lock_guard lock(mutex);
          current = at;
          return connection;
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::kIoError) throw;
          why = error.what();
        }
      }
    }
    throw IoError("No metastore of {} can be reached (tried {} times): {}", count, settings.connect_rounds, why);
  }

  // A struct that was read, or is to be written.
  template <typename Struct>
  Struct Located(Struct read) const {
    if (settings.location_in_properties) LocationFromProperty(&read);
    return read;
  }
  template <typename Struct>
  ThriftValue Written(Struct written) const {
    if (settings.location_in_properties) LocationToProperty(&written);
    return ToThrift(written);
  }

  // Files that the metastore makes belong to this user.
  void Introduce(ThriftConnection& connection) {
    bool sent = false;
    try {
      connection.Call("set_ugi", V::Struct({{1, V::Text(user)}, {2, V::Texts({user})}}), &sent);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) throw;
    }
  }

  std::unique_ptr<ThriftConnection> Take() {
    {
      std::lock_guard lock(mutex);
      while (!idle.empty()) {
        auto connection = std::move(idle.back());
        idle.pop_back();
        if (connection->IsAlive()) return connection;
      }
    }
    return Connect();
  }

  // What the method returns, field 0 of its result.
  ThriftValue Call(const std::string& method, const ThriftValue& arguments, const Exceptions& exceptions,
                   Repeat repeat) {
    std::unique_ptr<ThriftConnection> connection;
    ThriftValue result;
    for (int attempt = 0;; ++attempt) {
      connection = Take();
      bool sent = false;
      try {
        ++calls;
        result = connection->Call(method, arguments, &sent);
        break;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kIoError) throw;
        if (attempt == 0 && (!sent || repeat == Repeat::kSafe)) continue;
        if (!sent || repeat == Repeat::kSafe) throw;
        throw OutcomeUnknown("The metastore may or may not have done '{}': {}. Look before trying again", method,
                             error.what());
      }
    }
    const std::string server = connection->server();
    {
      std::lock_guard lock(mutex);
      idle.push_back(std::move(connection));
    }
    for (auto& [id, field] : result.fields) {
      if (id == 0) return std::move(field);
      const bool known = id >= 1 && static_cast<size_t>(id) <= exceptions.size();
      const char* exception = known ? exceptions[static_cast<size_t>(id) - 1] : "an unknown exception";
      const std::string message = field.TextAt(1);
      throw MakeError(KindOf(exception, message), "The metastore at '{}' refused '{}': {}: {}", server, method,
                      exception, message);
    }
    return {};
  }

  ThriftValue Read(const std::string& method, const ThriftValue& arguments, const Exceptions& exceptions) {
    return Call(method, arguments, exceptions, Repeat::kSafe);
  }
  void Change(const std::string& method, const ThriftValue& arguments, const Exceptions& exceptions) {
    Call(method, arguments, exceptions, Repeat::kNever);
  }
  // Nothing when there is no such thing.
  std::optional<ThriftValue> Find(const std::string& method, const ThriftValue& arguments,
                                  const Exceptions& exceptions) {
    try {
      return Read(method, arguments, exceptions);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kNotFound) return std::nullopt;
      throw;
    }
  }
};

namespace {

ThriftValue Names(const std::string& database, const std::string& table) {
  return V::Struct({{1, V::Text(database)}, {2, V::Text(table)}});
}

std::vector<std::string> TextsOf(const ThriftValue& list) {
  std::vector<std::string> texts;
  for (const ThriftValue& item : list.items) texts.push_back(item.text);
  return texts;
}

HiveLock LockOf(const ThriftValue& answer) {
  return {answer.NumberAt(1), static_cast<HiveLock::State>(answer.NumberAt(2))};
}

template <typename Function>
void ForEachBatch(const std::vector<std::string>& names, size_t batch, const Function& function) {
  for (size_t i = 0; i < names.size(); i += batch) {
    const auto begin = names.begin() + static_cast<ptrdiff_t>(i);
    function(std::vector<std::string>(begin, begin + static_cast<ptrdiff_t>(std::min(batch, names.size() - i))));
  }
}

}  // namespace

HiveMetastore::HiveMetastore(HiveMetastoreSettings settings) : impl_(std::make_unique<Impl>()) {
  impl_->settings = std::move(settings);
}

HiveMetastore::~HiveMetastore() = default;

const std::string& HiveMetastore::user() const {
  return impl_->user;
}

int64_t HiveMetastore::call_count() const {
  return impl_->calls;
}

// ---- databases ----

std::vector<std::string> HiveMetastore::DatabaseNames() {
  return TextsOf(impl_->Read("get_all_databases", {}, kMeta));
}

std::optional<HiveDatabase> HiveMetastore::FindDatabase(const std::string& name) {
  auto found = impl_->Find("get_database", V::Struct({{1, V::Text(name)}}), kMissingOrMeta);
  return found ? std::optional(impl_->Located(ToHiveDatabase(*found))) : std::nullopt;
}

void HiveMetastore::CreateDatabase(const HiveDatabase& database) {
  impl_->Change("create_database", V::Struct({{1, impl_->Written(database)}}),
                {"AlreadyExistsException", "InvalidObjectException", "MetaException"});
}

void HiveMetastore::AlterDatabase(const HiveDatabase& database) {
  impl_->Change("alter_database", V::Struct({{1, V::Text(database.name)}, {2, impl_->Written(database)}}), kMetaOrMissing);
}

void HiveMetastore::DropDatabase(const std::string& name, bool delete_data) {
  impl_->Change("drop_database", V::Struct({{1, V::Text(name)}, {2, V::Bool(delete_data)}, {3, V::Bool(false)}}),
                kDrop);
}

// ---- tables ----

std::vector<std::string> HiveMetastore::TableNames(const std::string& database) {
  return TextsOf(impl_->Read("get_all_tables", V::Struct({{1, V::Text(database)}}), kMeta));
}

std::vector<std::string> HiveMetastore::TableNames(const std::string& database, const std::string& type) {
  return TextsOf(impl_->Read("get_tables_by_type",
                             V::Struct({{1, V::Text(database)}, {2, V::Text("*")}, {3, V::Text(type)}}), kMeta));
}

std::optional<HiveTable> HiveMetastore::FindTable(const std::string& database, const std::string& name) {
  auto found = impl_->Find("get_table", Names(database, name), kMetaOrMissing);
  return found ? std::optional(impl_->Located(ToHiveTable(*found))) : std::nullopt;
}

void HiveMetastore::ForEachTable(const std::string& database, const std::vector<std::string>& names,
                                 const std::function<void(std::vector<HiveTable>)>& take) {
  ForEachBatch(names, static_cast<size_t>(impl_->settings.batch), [&](const std::vector<std::string>& some) {
    const ThriftValue found =
        impl_->Read("get_table_objects_by_name", V::Struct({{1, V::Text(database)}, {2, V::Texts(some)}}),
                    {"MetaException", "InvalidOperationException", "UnknownDBException"});
    std::vector<HiveTable> tables;
    for (const ThriftValue& item : found.items) tables.push_back(impl_->Located(ToHiveTable(item)));
    take(std::move(tables));
  });
}

void HiveMetastore::CreateTable(const HiveTable& table) {
  impl_->Change("create_table", V::Struct({{1, impl_->Written(table)}}),
                {"AlreadyExistsException", "InvalidObjectException", "MetaException", "NoSuchObjectException"});
}

void HiveMetastore::AlterTable(const std::string& database, const std::string& name, const HiveTable& table,
                               bool cascade) {
  HiveParameters context = {{"DO_NOT_UPDATE_STATS", "true"}};
  if (cascade) context["CASCADE"] = "true";
  impl_->Change("alter_table_with_environment_context",
                V::Struct({{1, V::Text(database)},
                           {2, V::Text(name)},
                           {3, impl_->Written(table)},
                           {4, V::Struct({{1, V::TextMap(context)}})}}),
                kChange);
}

void HiveMetastore::DropTable(const std::string& database, const std::string& name, bool delete_data) {
  impl_->Change("drop_table", V::Struct({{1, V::Text(database)}, {2, V::Text(name)}, {3, V::Bool(delete_data)}}),
                kDropTable);
}

std::vector<std::string> HiveMetastore::PrimaryKey(const std::string& database, const std::string& table) {
  try {
    const ThriftValue found = impl_->Read("get_primary_keys", V::Struct({{1, Names(database, table)}}), kMetaOrMissing);
    const ThriftValue* keys = found.Find(1, ThriftType::kList);
    std::map<int64_t, std::string> columns;  // by their place in the key
    if (keys) {
      for (const ThriftValue& key : keys->items) columns[key.NumberAt(4)] = key.TextAt(3);
    }
    std::vector<std::string> names;
    for (auto& [place, name] : columns) names.push_back(std::move(name));
    return names;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUnsupported) return {};
    throw;
  }
}

// ---- partitions ----

std::vector<std::string> HiveMetastore::PartitionNames(const std::string& database, const std::string& table) {
  ThriftValue arguments = Names(database, table);
  arguments.fields[3] = V::I16(-1);
  return TextsOf(impl_->Read("get_partition_names", arguments, kMissingOrMeta));
}

void HiveMetastore::ForEachPartition(const std::string& database, const std::string& table,
                                     const std::function<void(std::vector<HivePartition>)>& take) {
  ForEachBatch(PartitionNames(database, table), static_cast<size_t>(impl_->settings.batch),
               [&](const std::vector<std::string>& some) {
                 ThriftValue arguments = Names(database, table);
                 arguments.fields[3] = V::Texts(some);
                 const ThriftValue found = impl_->Read("get_partitions_by_names", arguments, kMetaOrMissing);
                 std::vector<HivePartition> partitions;
                 for (const ThriftValue& item : found.items) partitions.push_back(impl_->Located(ToHivePartition(item)));
                 take(std::move(partitions));
               });
}

std::optional<HivePartition> HiveMetastore::FindPartition(const std::string& database, const std::string& table,
                                                          const std::vector<std::string>& values) {
  ThriftValue arguments = Names(database, table);
  arguments.fields[3] = V::Texts(values);
  auto found = impl_->Find("get_partition", arguments, kMetaOrMissing);
  return found ? std::optional(impl_->Located(ToHivePartition(*found))) : std::nullopt;
}

void HiveMetastore::AddPartitions(const std::string& database, const std::string& table,
                                  const std::vector<HivePartition>& partitions) {
  const auto batch = static_cast<size_t>(impl_->settings.batch);
  for (size_t i = 0; i < partitions.size(); i += batch) {
    std::vector<ThriftValue> some;
    for (size_t j = i; j < std::min(i + batch, partitions.size()); ++j) some.push_back(impl_->Written(partitions[j]));
    ThriftValue request = Names(database, table);
    request.fields[3] = V::Structs(std::move(some));
    request.fields[4] = V::Bool(true);   // those that exist are passed over, so a repeated call does no harm
    request.fields[5] = V::Bool(false);  // the partitions are not wanted back
    impl_->Read("add_partitions_req", V::Struct({{1, std::move(request)}}),
                {"InvalidObjectException", "AlreadyExistsException", "MetaException"});
  }
}

void HiveMetastore::AlterPartition(const HivePartition& partition) {
  ThriftValue arguments = Names(partition.database, partition.table);
  arguments.fields[3] = impl_->Written(partition);
  impl_->Change("alter_partition", arguments, kChange);
}

bool HiveMetastore::DropPartition(const std::string& database, const std::string& table,
                                  const std::vector<std::string>& values) {
  ThriftValue arguments = Names(database, table);
  arguments.fields[3] = V::Texts(values);
  arguments.fields[4] = V::Bool(false);
  return impl_->Find("drop_partition", arguments, kMissingOrMeta).has_value();
}

void HiveMetastore::MarkPartitionDone(const std::string& database, const std::string& table,
                                      const HiveParameters& values) {
  ThriftValue arguments = Names(database, table);
  arguments.fields[3] = V::TextMap(values);
  arguments.fields[4] = V::I32(1);  // LOAD_DONE
  impl_->Read("markPartitionForEvent", arguments,
              {"MetaException", "NoSuchObjectException", "UnknownDBException", "UnknownTableException",
               "UnknownPartitionException", "InvalidPartitionException"});
}

std::string HiveMetastore::ConfigValue(const std::string& name, const std::string& fallback) {
  return impl_
      ->Read("get_config_value", V::Struct({{1, V::Text(name)}, {2, V::Text(fallback)}}),
             {"ConfigValSecurityException"})
      .text;
}

// ---- locks ----

HiveLock HiveMetastore::Lock(const std::string& database, const std::string& table) {
  // EXCLUSIVE, on a TABLE.
  ThriftValue component = V::Struct({{1, V::I32(3)}, {2, V::I32(2)}, {3, V::Text(database)}, {4, V::Text(table)}});
  return LockOf(impl_->Call("lock",
                            V::Struct({{1, V::Struct({{1, V::Structs({std::move(component)})},
                                                      {3, V::Text(impl_->user)},
                                                      {4, V::Text(HostName())},
                                                      {5, V::Text("mica")}})}}),
                            {"NoSuchTxnException", "TxnAbortedException"}, Repeat::kNever));
}

HiveLock HiveMetastore::CheckLock(int64_t id) {
  return LockOf(impl_->Read("check_lock", V::Struct({{1, V::Struct({{1, V::I64(id)}})}}),
                            {"NoSuchTxnException", "TxnAbortedException", "NoSuchLockException"}));
}

void HiveMetastore::Unlock(int64_t id) {
  impl_->Read("unlock", V::Struct({{1, V::Struct({{1, V::I64(id)}})}}), {"NoSuchLockException", "TxnOpenException"});
}

}  // namespace mica
