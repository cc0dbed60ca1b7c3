#include "catalog/migration_plan.h"

#include "base/json.h"

namespace mica {

namespace {
std::string PathOf(const std::string& root) {
  return JoinPath(root, "_migration.json");
}
}  // namespace

std::optional<MigrationPlan> MigrationPlan::Find(FileSystem& fs, const std::string& root) {
  const std::string path = PathOf(root);
  if (!fs.Exists(path)) return std::nullopt;
  const Json json = ParseJson(fs.ReadFile(path), path);
  MigrationPlan plan;
  plan.source = GetKey<std::string>(json, "source");
  plan.source_location = GetKey<std::string>(json, "sourceLocation");
  plan.commit_user = GetKey<std::string>(json, "commitUser");
  const Json* created = FindKey(json, "created");
  plan.created = created && created->is_boolean() && created->get<bool>();
  const Json* moves = FindKey(json, "moves");
  if (!moves || !moves->is_array()) throw Corrupt("The plan '{}' of a migration has no list of moves", path);
  for (const Json& move : *moves) {
    if (!move.is_array() || move.size() != 2 || !move[0].is_string() || !move[1].is_string()) {
      throw Corrupt("The plan '{}' of a migration has a move that names no two files", path);
    }
    plan.moves.push_back({move[0].get<std::string>(), move[1].get<std::string>()});
  }
  return plan;
}

void MigrationPlan::Save(FileSystem& fs, const std::string& root) const {
  Json json = {
      {"source", source}, {"sourceLocation", source_location}, {"commitUser", commit_user}, {"created", created}};
  json["moves"] = Json::array();
  for (const FileMove& move : moves) json["moves"].push_back(Json::array({move.from, move.to}));
  fs.ReplaceAtomically(PathOf(root), json.dump());
}

void MigrationPlan::Remove(FileSystem& fs, const std::string& root) {
  fs.DeleteFile(PathOf(root));
}

}  // namespace mica
