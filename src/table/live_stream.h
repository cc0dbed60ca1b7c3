// The live files of a snapshot one part of a manifest after the other, for who looks at all of them once: memory holds that
// part and the names of what was deleted (Format 4.4). LiveEntries (live_files.h) collects them, and live_files.cc
// has both.
#pragma once

#include <memory>
#include <vector>

#include "meta/manifest.h"
#include "meta/snapshot.h"

namespace mica {

class LiveStream {
 public:
  // Reads the manifests that have deletions, without their statistics.
  LiveStream(ManifestStore& store, const Snapshot& snapshot, ManifestFilter filter = {});
  ~LiveStream();

  // The entries of the next part, which take the place of what is there; false at the end.
  bool Next(std::vector<ManifestEntry>* entries);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace mica
