#!/bin/bash
# Usage: same_life.sh DRILL_LIFE SCENARIO
# A drill is the same to the last byte, also while the machine is loaded by something else.
set -euo pipefail
life=$1 scenario=$2
folder=$(mktemp -d)
busy=()
finish() {
  for pid in "${busy[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap finish EXIT

"$life" "$scenario" --every 500 --until 30000 >"$folder/alone"
for _ in 1 2; do
  (while :; do :; done) &
  busy+=($!)
done
"$life" "$scenario" --every 500 --until 30000 >"$folder/beside"

tail -n 20 "$folder/alone"
lines=$(wc -l <"$folder/alone")
[[ $lines -gt 30 ]] || { echo "only $lines lines"; exit 1; }
cmp "$folder/alone" "$folder/beside"
