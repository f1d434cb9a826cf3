#!/bin/bash
# Usage: no_devices.sh GPU_CONFORMANCE
# Where there are no real devices, a list that was not tried is no pass.
set -u
if compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
  echo "this node has devices of its own"
  exit 0
fi
said=$("$1" --libraries real)
code=$?
echo "$said"
[[ $code -eq 3 && $said == *"nothing was shown"* ]]
