# Shared by the tests of the whole program. CMake gives LINKBURN, TREE_UNPACK and IN_DRILL (paths of the binaries).
# shellcheck shell=bash disable=SC2154

bats_require_minimum_version 1.5.0

setup() {
  dir=$BATS_TEST_TMPDIR
  # A mark in the environment, which workers inherit: finds whatever a test leaves behind.
  export LINKBURN_TEST_MARK="mark-$$-$BATS_TEST_NUMBER-$RANDOM"
  quick=$dir/quick.toml
  cat >"$quick" <<'TOML'
schema = 1
name = "quick"
time_budget_s = 30
sampling_period_ms = 20
require = ["presence", "width", "speed"]
[phases]
idle_ms = 50
cool_down_ms = 50
[[step]]
workload = "host_copy"
lanes = "each_pair"
buffer_mib = 16
warm_up_ms = 50
measure_ms = 300
TOML
}

tree() {  # tree NAME [OVERLAY...]: unpacks a node tree into $dir/node
  rm -rf "$dir/node"
  "$TREE_UNPACK" "$dir/node" "$@"
}

# The node trees that lie with the tests, and those that scripts made.
all_trees() {
  local here
  here=$(dirname "$BATS_TEST_DIRNAME")/nodes
  find "$here" "$(dirname "$(dirname "$LINKBURN")")/nodes" -name '*.tree' -printf '%f\n' | sort
}

# Processes of this test that are still alive, zombies not counted.
left_behind() {
  local environ found=0
  for environ in /proc/[0-9]*/environ; do
    [[ $environ == "/proc/$$/environ" || $environ == "/proc/$BASHPID/environ" ]] && continue
    grep -qs "LINKBURN_TEST_MARK=$LINKBURN_TEST_MARK" "$environ" || continue
    [[ $(tr '\0' ' ' <"${environ%environ}cmdline") == */exe\ worker\ * ||
       $(readlink "${environ%environ}exe") == "$LINKBURN" ]] && found=$((found + 1))
  done 2>/dev/null
  echo "$found"
}

# Ten seconds for the kernel to take away what was killed.
assert_nothing_left() {
  local i
  for ((i = 0; i < 100; ++i)); do
    [[ $(left_behind) == 0 ]] && return 0
    sleep 0.1
  done
  echo "left behind: $(left_behind) processes" >&2
  return 1
}

# One clear line on stderr, nothing on stdout, the given exit code.
assert_refused() {  # assert_refused CODE PATTERN COMMAND...
  local code=$1 pattern=$2
  shift 2
  run --separate-stderr "$@"
  [[ $status == "$code" ]] || { echo "exit $status: $stderr" >&2; return 1; }
  [[ -z $output ]] || { echo "stdout: $output" >&2; return 1; }
  [[ ${#stderr_lines[@]} == 1 && $stderr == *"$pattern"* ]] || { echo "stderr: $stderr" >&2; return 1; }
}
