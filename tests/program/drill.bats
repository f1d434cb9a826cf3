#!/usr/bin/env bats
# What was read of software devices is a DRILL wherever it is shown, and never loaded by chance.

# shellcheck disable=SC2154

load helper

drill_tree() {  # the tree of a drill: any tree with the marker in it
  tree pair.tree "$@"
  mkdir -p "$dir/node/linkburn"
  echo hot-retrain >"$dir/node/linkburn/drill"
}

assert_marked() {  # assert_marked PATH_OPTIONS...: in every format, and when judged again
  rm -f "$dir"/d.*
  run "$LINKBURN" inspect "$@" --site none --quiet --format text --format "json=$dir/d.json" \
    --format "oneline=$dir/d.line" --evidence "$dir/d.jsonl"
  [[ $status == 0 && $output == "DRILL PASS  "* && $output == *"nothing about real hardware"* ]]
  [[ $(cat "$dir/d.line") == "lb DRILL PASS "* ]]
  grep -q '^  "drill": true,' "$dir/d.json"
  run "$LINKBURN" report "$dir/d.jsonl" --format oneline
  [[ $status == 0 && $output == "lb DRILL PASS "* ]]
}

@test "a drill's tree is marked in every format" {
  drill_tree
  assert_marked --sysroot "$dir/node"
  assert_marked "$dir/node"
}

@test "a drill that fails is marked too, and fails" {
  drill_tree width-x8.overlay
  run "$LINKBURN" inspect --sysroot "$dir/node" --site none --format text --format "oneline=$dir/line"
  [[ $status == 1 && $output == "DRILL FAIL  "* && $(cat "$dir/line") == "lb DRILL FAIL "* ]]
}

@test "a capture of a drill stays one, redacted or not" {
  drill_tree
  for redact in "" --redact; do
    rm -rf "$dir/drill.tar.gz" "$dir/unpacked"
    "$LINKBURN" inspect --sysroot "$dir/node" --capture "$dir/drill.tar.gz" $redact --quiet >/dev/null
    assert_marked "$dir/drill.tar.gz"
    mkdir "$dir/unpacked"
    tar -xzf "$dir/drill.tar.gz" -C "$dir/unpacked"
    assert_marked --sysroot "$dir/unpacked/"*
  done
}

@test "beside a real node a drill is still told apart" {
  tree pair.tree
  "$LINKBURN" inspect --sysroot "$dir/node" --site none --quiet --evidence "$dir/real.jsonl" >/dev/null
  drill_tree
  echo drill7 >"$dir/node/proc/sys/kernel/hostname"
  "$LINKBURN" inspect --sysroot "$dir/node" --site none --quiet --evidence "$dir/soft.jsonl" >/dev/null
  run "$LINKBURN" report "$dir/real.jsonl" "$dir/soft.jsonl"
  [[ $output == "DRILL PASS  2 nodes"* && $output == *"== DRILL drill7 "* ]]
  [[ $(grep -c '^== DRILL ' <<<"$output") == 1 ]]
}

@test "what names no running drill is refused by every command, and empty is none" {
  mkdir "$dir/empty"
  for drill in nonsense "$dir/empty" "$dir/empty#x" "/" "#0"; do
    assert_refused 2 "no drill runs here" env LINKBURN_DRILL="$drill" "$LINKBURN" doctor
    assert_refused 2 "no drill runs here" env LINKBURN_DRILL="$drill" "$LINKBURN" inspect
    assert_refused 2 "no drill runs here" env LINKBURN_DRILL="$drill" "$LINKBURN" run smoke
  done
  LINKBURN_DRILL='' run "$LINKBURN" doctor --format json
  [[ $output == *'"drill": false'* ]]
}

@test "doctor in a drill says so, and looks for no library" {
  run "$IN_DRILL" "$LINKBURN" doctor
  [[ ($status == 0 || $status == 3) && $output == "DRILL linkburn "* ]]
  run "$IN_DRILL" "$LINKBURN" doctor --format json
  [[ $output == *'"drill": true'* ]]
  if [[ $("$LINKBURN" --version) == *"GPU driver layer in"* ]]; then
    [[ $output == *"libcuda.so.1 is not looked for in a drill"* ]]
    [[ $output == *"libcudart.so.13 is not looked for in a drill"* ]]
  fi
}

@test "what is judged in a drill is marked in every format, whatever was looked at" {
  tree pair.tree
  for root in / "$dir/node" "{tree}"; do
    rm -f "$dir"/d.*
    run "$IN_DRILL" "$LINKBURN" inspect --sysroot "$root" --site none --quiet --format text \
      --format "json=$dir/d.json" --format "oneline=$dir/d.line" --evidence "$dir/d.jsonl"
    [[ $output == "DRILL "* && $(cat "$dir/d.line") == "lb DRILL "* ]]
    grep -q '^  "drill": true,' "$dir/d.json"
    run "$LINKBURN" report "$dir/d.jsonl" --format oneline
    [[ $output == "lb DRILL "* ]]
  done
}

@test "run loads no tree but that of its own drill" {
  tree pair.tree
  assert_refused 2 "takes no --sysroot but a drill's" "$LINKBURN" run smoke --sysroot "$dir/node"
  drill_tree
  assert_refused 2 "not part of that drill" "$LINKBURN" run smoke --sysroot "$dir/node"
  assert_refused 2 "loads no real machine" "$IN_DRILL" "$LINKBURN" run smoke
  assert_refused 2 "not part of that drill" "$IN_DRILL" "$LINKBURN" run smoke --sysroot "$dir/node"
  assert_refused 2 "$dir/none" "$LINKBURN" run smoke --sysroot "$dir/none"
  assert_refused 2 "a name is missing" "$LINKBURN" run smoke --sysroot ""
}
