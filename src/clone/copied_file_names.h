// Names for the copies of data and index files. A name tells which file was copied, and which state of the target the copy
// was made for: a run that was cut short finds what it copied, a later one finds what it need not copy, and no name comes
// back that a snapshot of the target let go, which its expiry would delete. Thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "meta/manifest.h"
#include "meta/snapshot.h"

namespace mica {

class CopiedFileNames {
 public:
  // `base`: the target's latest snapshot.
  explicit CopiedFileNames(const std::optional<Snapshot>& base);

  // Which file it is: 16 digits of base 16.
  static std::string MarkOf(const ManifestEntry& source);
  static std::string MarkOf(const IndexManifestEntry& source);
  // The mark in the name of a copy; some other text, or nothing, for any other file.
  static std::string MarkIn(std::string_view name);

  // What stands before the uuid of the source's name stays, as does the extension.
  std::string NameFor(std::string_view source_name, const std::string& mark) const;

 private:
  std::string base_mark_;
};

// The name of a companion of a data file whose name changes: "<data file>.index" and the like.
std::string RenamedExtra(std::string_view extra, std::string_view old_name, std::string_view new_name);

}  // namespace mica
