#!/usr/bin/env bats
# Active runs on this machine: what they leave, and what happens when they are disturbed.
# Tests of bats are subshells, which shellcheck cannot know.
# shellcheck disable=SC2154,SC2030,SC2031,SC2119,SC2120
load helper

start_run() {  # in the background; $! is its process
  "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" "$@" >"$dir/out" 2>"$dir/err" &
  runner=$!
}

# Waits until a worker of the run loads; prints its process number.
worker_of() {
  local i child
  for ((i = 0; i < 200; ++i)); do
    for child in $(pgrep -P "$1"); do
      [[ $(tr '\0' ' ' </proc/"$child"/cmdline) == *" worker "* ]] || continue
      grep -qs '"event":"start"' "$dir/e.jsonl" && echo "$child" && return 0
    done
    sleep 0.02
  done
  return 1
}

@test "a run measures memory, and says what it could not judge" {
  run --separate-stderr "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" --format "json=$dir/r.json"
  [[ $status == 0 || $status == 1 || $status == 3 ]]
  grep -q '"kind":"lap_window"' "$dir/e.jsonl"
  grep -q '"quantity":"wrong_words","unit":"words","value":0' "$dir/e.jsonl"
  tail -n 1 "$dir/e.jsonl" | grep -q '"kind":"run_end"'
  if ! compgen -G "/sys/bus/pci/devices/*/current_link_width" >/dev/null; then
    [[ $status == 3 ]]
    grep -q "no PCIe links" "$dir/r.json"
  fi
  assert_nothing_left
}

@test "two at once: the second says who holds the node" {
  start_run
  worker_of "$runner" >/dev/null
  assert_refused 3 "process $runner" "$LINKBURN" run "$quick" --lock "$dir/lock"
  wait "$runner" || true
  assert_nothing_left
}

@test "SIGINT, SIGTERM and SIGKILL at random moments: evidence is readable, nothing is left" {
  RANDOM=4711
  for seed in {1..24}; do
    rm -f "$dir/e.jsonl"
    case $((seed % 3)) in 0) signal=INT code=130 ;; 1) signal=TERM code=143 ;; 2) signal=KILL code=137 ;; esac
    # Background jobs of a script ignore SIGINT from the start; a run of its own session does not.
    setsid --fork env --default-signal=INT "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" \
      >"$dir/out" 2>"$dir/err" &
    wait $!
    for ((i = 0; i < 300; ++i)); do [[ -s $dir/e.jsonl ]] && break; sleep 0.01; done
    runner=$(fuser "$dir/lock" 2>/dev/null | awk '{print $1}')
    sleep "0.$(printf '%03d' $((RANDOM % 700)))"
    [[ -n $runner ]] && kill -s "$signal" "$runner" 2>/dev/null || true
    assert_nothing_left
    run --separate-stderr "$LINKBURN" report "$dir/e.jsonl" --format oneline
    [[ $status == 3 || $status == 1 ]] || { echo "seed $seed $signal: $status $output $stderr" >&2; return 1; }
    # The lock is free again: flock goes with its last descriptor.
    flock -n "$dir/lock" true
  done
}

@test "an interrupted run ends with 128+N and its evidence says so" {
  start_run
  worker_of "$runner" >/dev/null
  kill -TERM "$runner"
  code=0
  wait "$runner" || code=$?
  [[ $code == 143 ]]
  tail -n 1 "$dir/e.jsonl" | grep -q '"status":"interrupted","signal":15'
  [[ $(head -n 1 "$dir/out") == INCOMPLETE* ]]
  assert_nothing_left
}

@test "a worker that is killed is named, and the run ends by itself" {
  start_run
  kill -KILL "$(worker_of "$runner")"
  code=0
  wait "$runner" || code=$?
  [[ $code == 3 ]]
  grep -q "SIGKILL" "$dir/out"
  assert_nothing_left
}

@test "a worker that hangs is found, killed and named" {
  start_run
  kill -STOP "$(worker_of "$runner")"
  code=0
  wait "$runner" || code=$?
  [[ $code == 3 ]]
  grep -q "has not returned for" "$dir/out"
  assert_nothing_left
}

@test "the workers stop when the supervisor is frozen" {
  start_run
  worker=$(worker_of "$runner")
  kill -STOP "$runner"
  for ((i = 0; i < 100; ++i)); do
    [[ -d /proc/$worker ]] && ! grep -q '^State:.Z' "/proc/$worker/status" || break
    sleep 0.1
  done
  [[ $i -lt 100 ]]
  kill -CONT "$runner"
  wait "$runner" || true
  assert_nothing_left
}

@test "a full disk costs no result: exit 3, the reason, and the verdict" {
  rm -f "$dir/e.jsonl"
  run --separate-stderr "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence /dev/full
  [[ $status == 3 && $output == INCOMPLETE* && $stderr == *"No space left"* ]]
  assert_nothing_left
}

@test "a disk that fills up in mid-run keeps whole lines" {
  [[ $(id -u) == 0 ]] || skip "needs root to mount a small file system"
  mkdir "$dir/small"
  mount -t tmpfs -o size=8k tmpfs "$dir/small" || skip "cannot mount here"
  run --separate-stderr "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/small/e.jsonl"
  run_status=$status
  run --separate-stderr "$LINKBURN" report "$dir/small/e.jsonl" --format oneline
  umount "$dir/small"
  [[ $run_status == 3 && $status == 3 ]]
}

@test "a deadline ends the run" {
  sed -i 's/measure_ms = 300/measure_ms = 20000/' "$quick"
  run --separate-stderr "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" --deadline 1
  [[ $status == 3 ]]
  # Steps that were not done any more are no reason to pass.
  tail -n 1 "$dir/e.jsonl" | grep -q '"status":"interrupted"'
  assert_nothing_left
}

@test "works with an empty environment, from /, umask 077, without HOME" {
  cd /
  umask 077
  run env -i LINKBURN_TEST_MARK="$LINKBURN_TEST_MARK" "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" --format oneline
  [[ $status == 0 || $status == 1 || $status == 3 ]]
  [[ $output == lb* ]]
  assert_nothing_left
}

@test "works as an ordinary user" {
  [[ $(id -u) == 0 ]] || skip "is one already"
  chmod a+rwx "$dir"
  chmod a+r "$quick"
  run setpriv --reuid=65534 --regid=65534 --clear-groups env -i "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" --format oneline
  [[ $output == *"Permission denied"* ]] && skip "the build is not readable for others"
  [[ $status == 3 || $status == 0 ]]
  grep -q '"kind":"lap_window"' "$dir/e.jsonl"
}

@test "a stray BENCHMARK variable changes nothing" {
  run --separate-stderr env BENCHMARK_FORMAT=json BENCHMARK_FILTER=nothing BENCHMARK_OUT="$dir/x" \
    "$LINKBURN" run "$quick" --lock "$dir/lock" --evidence "$dir/e.jsonl" --format oneline
  [[ $output == lb* && ! -e $dir/x ]]
  grep -q '"kind":"lap_window"' "$dir/e.jsonl"
}

@test "doctor tells what can be judged and what to do" {
  run --separate-stderr "$LINKBURN" doctor
  [[ $status == 0 || $status == 3 ]]
  [[ $output == *"PCIe links"* && $output == *"profiles: "*smoke* && -z $stderr ]]
  run "$LINKBURN" doctor --format json
  python3 -c 'import json,sys; json.loads(sys.argv[1])' "$output"
}
