#!/usr/bin/env bash
# Writes examples/warehouse anew with real Apache Paimon (Flink connector 1.3.1) from make_warehouse.sql. Needs Java,
# Maven and the network; the warehouse in the repository was made by it. The files hold no absolute path.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mapfile -t flink < <("$here/../tests/interop/java/build" flink)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rm -rf "$here/warehouse"
"${flink[0]}" "-Djava.io.tmpdir=$scratch" "${flink[@]:1}" "$here/warehouse" "$here/make_warehouse.sql"
find "$here/warehouse" -name '.*.crc' -delete
