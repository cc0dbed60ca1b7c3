#include "meta/success_file.h"

#include "base/error.h"
#include "base/json.h"

namespace mica {

void WriteSuccessFile(FileSystem& fs, const std::string& path, int64_t now_millis) {
  int64_t created = now_millis;
  try {
    created = GetKey<int64_t>(ParseJson(fs.ReadFile(path), path), "creationTime");
  } catch (const Error&) {
    // There is none yet, or none that can be read: it begins now.
  }
  Json json = Json::object();
  json["creationTime"] = created;
  json["modificationTime"] = now_millis;
  fs.ReplaceAtomically(path, PrettyJson(json));
}

}  // namespace mica
