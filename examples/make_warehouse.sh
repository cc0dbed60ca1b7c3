#!/usr/bin/env bash
# Writes examples/warehouse anew with real Apache Paimon (Flink connector 1.3.1) from make_warehouse.sql. Needs Java,
# Maven and the network; the warehouse in the repository was made by it. The files hold no absolute path.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mapfile -t flink < <("$here/../tests/interop/java/build" flink)
rm -rf "$here/warehouse"
"${flink[@]}" "$here/warehouse" "$here/make_warehouse.sql"
find "$here/warehouse" -name '.*.crc' -delete
