#include "catalog/view.h"

#include "base/json.h"

namespace mica {

const std::string& View::QueryFor(const std::string& dialect) const {
  auto own = dialects.find(dialect);
  if (own != dialects.end()) return own->second;
  return query.empty() && !dialects.empty() ? dialects.begin()->second : query;
}

std::string View::DialectOf(const std::string& dialect) const {
  if (dialects.contains(dialect) || dialects.empty()) return dialect;
  for (const auto& [name, text] : dialects) {
    if (query.empty() || text == query) return name;
  }
  return dialect;
}

std::string View::ToJson() const {
  Json json = Json::object();
  json["fields"] = Json::array();
  for (const DataField& field : fields) json["fields"].push_back(field.ToJson());
  json["query"] = query;
  json["dialects"] = dialects;
  if (comment) json["comment"] = *comment;
  json["options"] = options;
  return PrettyJson(json);
}

View View::FromJson(std::string_view text, std::string_view what) {
  Json json = ParseJson(text, what);
  View view;
  try {
    for (const Json& field : json.value("fields", Json::array())) view.fields.push_back(DataField::FromJson(field));
    view.query = json.value("query", "");
    view.dialects = json.value("dialects", std::map<std::string, std::string>());
    if (json.contains("comment") && json["comment"].is_string()) view.comment = json["comment"].get<std::string>();
    view.options = json.value("options", Options());
  } catch (const Json::exception& error) {
    throw Corrupt("Cannot read {}: {}", what, error.what());
  }
  return view;
}

}  // namespace mica
