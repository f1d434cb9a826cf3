#!/usr/bin/env bats
# Bad input: one clear line on stderr with the fix, the right exit code, nothing on stdout.
# shellcheck disable=SC2154
load helper

@test "typos in command, option, format, word and profile have suggestions" {
  assert_refused 2 "did you mean 'inspect'?" "$LINKBURN" inspcet
  assert_refused 2 "did you mean '--sysroot'?" "$LINKBURN" inspect --sysrot /x
  assert_refused 2 "did you mean 'json'?" "$LINKBURN" inspect --format jason
  assert_refused 2 "did you mean 'width'?" "$LINKBURN" inspect --require widht
  assert_refused 2 "did you mean 'smoke'?" "$LINKBURN" run smoek --lock "$dir/lock"
}

@test "missing files and folders are named" {
  assert_refused 2 "$dir/none.jsonl" "$LINKBURN" report "$dir/none.jsonl"
  assert_refused 2 "$dir/none" "$LINKBURN" inspect --sysroot "$dir/none"
  assert_refused 2 "$dir/none.toml" "$LINKBURN" run "$dir/none.toml" --lock "$dir/lock"
  assert_refused 2 "no node is captured" "$LINKBURN" inspect --sysroot "$dir"
  assert_refused 2 "cannot write" "$LINKBURN" inspect --format "json=$dir/none/out.json"
}

@test "a profile with an unknown key names file, line and nearest key" {
  sed -i 's/warm_up_ms/warmup_ms/' "$quick"
  assert_refused 2 "quick.toml:13" "$LINKBURN" run "$quick" --lock "$dir/lock"
}

@test "a folder without rights" {
  [[ $(id -u) != 0 ]] || skip "root may read everything"
  mkdir -m 000 "$dir/locked"
  assert_refused 2 "Permission denied" "$LINKBURN" report "$dir/locked/x.jsonl"
}

@test "a file that is no evidence, and an empty one" {
  echo "hello" >"$dir/text"
  : >"$dir/empty"
  assert_refused 2 "no evidence" "$LINKBURN" report "$dir/text"
  assert_refused 2 "no evidence" "$LINKBURN" report "$dir/empty"
  assert_refused 2 "not a regular file" "$LINKBURN" report "$dir"
}

@test "a wrong schema version says which and what to do" {
  echo '{"kind":"run_start","seq":1,"at_ns":0,"schema":9}' >"$dir/new.jsonl"
  assert_refused 2 "schema version 9" "$LINKBURN" report "$dir/new.jsonl"
}

@test "evidence cut within a line is judged as far as it goes" {
  tree pair.tree
  "$LINKBURN" inspect --sysroot "$dir/node" --evidence "$dir/e.jsonl" >/dev/null
  head -c -30 "$dir/e.jsonl" >"$dir/cut.jsonl"
  run --separate-stderr "$LINKBURN" report "$dir/cut.jsonl"
  [[ $status == 3 && $stderr == *"the last line is cut"* && $output == INCOMPLETE* ]]
}

@test "one unreadable file among several is not a pass" {
  tree pair.tree
  "$LINKBURN" inspect --sysroot "$dir/node" --evidence "$dir/e.jsonl" >/dev/null
  run --separate-stderr "$LINKBURN" report "$dir/e.jsonl" "$dir/none.jsonl"
  [[ $status == 3 && $stderr == *none.jsonl* ]]
}

@test "evidence is never overwritten" {
  tree pair.tree
  echo precious >"$dir/e.jsonl"
  assert_refused 2 "never overwritten" "$LINKBURN" inspect --sysroot "$dir/node" --evidence "$dir/e.jsonl"
  [[ $(cat "$dir/e.jsonl") == precious ]]
}

@test "a worker by hand, and run with a foreign tree, are refused" {
  assert_refused 2 "not by hand" env -i "$LINKBURN" worker 3>&-
  assert_refused 2 "takes no --sysroot" "$LINKBURN" run smoke --sysroot "$dir"
}

@test "help and version go to stdout with exit 0" {
  run --separate-stderr "$LINKBURN" --help
  [[ $status == 0 && $output == *"Exit codes"* && -z $stderr ]]
  run --separate-stderr "$LINKBURN" --version
  [[ $status == 0 && $output == linkburn\ * ]]
}

@test "a reader that goes away is no error" {
  tree pair.tree
  set +o pipefail
  "$LINKBURN" inspect --sysroot "$dir/node" --format json 2>"$dir/err" | true
  [[ ! -s $dir/err ]]
}
