#!/usr/bin/env bats
# inspect over what other tools printed: files, folders, standard input, several nodes.
# shellcheck disable=SC2154
load helper

down='[   12.345678] pcieport 0000:00:01.0: pciehp: Slot(1): Link Down'
gone='[   13.000000] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.'

inspect() { run --separate-stderr "$LINKBURN" inspect "$@"; }

@test "a text is judged, and what was read of it is told" {
  printf '%s\n%s\n' "$gone" "$down" >"$dir/dmesg.txt"
  inspect "$dir/dmesg.txt"
  [[ $status == 1 && $output == FAIL* && $output == *"0000:17:00.0"* ]]
  [[ $output == *"These are captured texts"* && $output == *$'\nRead\n'* && $output == *kernel_log* ]]
}

@test "standard input is a text, in a pipe and beside files" {
  run --separate-stderr bash -c "echo '$gone' | '$LINKBURN' inspect -"
  [[ $status == 1 && $output == *"standard input"* ]]
  echo "$down" >"$dir/a.txt"
  run --separate-stderr bash -c "echo '$gone' | '$LINKBURN' inspect - '$dir/a.txt'"
  [[ $status == 1 && $output == *"standard input"* && $output == *a.txt* ]]
}

@test "lines that nobody knows are told in both formats and change nothing" {
  printf '%s\n' "$gone" >"$dir/dmesg.txt"
  printf 'call me\nback\n' >"$dir/notes.txt"
  inspect "$dir/dmesg.txt" "$dir/notes.txt"
  [[ $status == 1 && $output == *"not recognised"* && $output == *'"call me"'* ]]
  inspect "$dir/dmesg.txt" "$dir/notes.txt" --format json
  [[ $status == 1 && $output == *'"kind": ""'* && $output == *'"lines": 2'* ]]
}

@test "what holds nothing known is refused with one line" {
  echo hello >"$dir/notes.txt"
  assert_refused 2 "nothing in it is known" "$LINKBURN" inspect "$dir/notes.txt"
  mkdir "$dir/empty"
  assert_refused 2 "$dir/empty" "$LINKBURN" inspect "$dir/empty"
  : >"$dir/nothing.txt"
  assert_refused 2 "nothing.txt" "$LINKBURN" inspect "$dir/nothing.txt"
}

@test "a misspelt name is answered with the nearest" {
  echo "$gone" >"$dir/dmesg.txt"
  assert_refused 2 "did you mean '$dir/dmesg.txt'?" "$LINKBURN" inspect "$dir/dmseg.txt"
  assert_refused 2 "no such file or folder" "$LINKBURN" inspect "$dir/other/thing"
  assert_refused 2 "is given twice" "$LINKBURN" inspect - -
  assert_refused 2 "two places" "$LINKBURN" inspect "$dir/dmesg.txt" --sysroot "$dir"
}

@test "each of several nodes has its own evidence, and report says the same again" {
  printf '=== node07 ===\n%s\n=== node08 ===\n%s\n' "$gone" "$down" >"$dir/rack.txt"
  inspect "$dir/rack.txt" --evidence "$dir/r.jsonl"
  [[ $status == 1 && $output == "FAIL  2 nodes"* ]]
  [[ -s $dir/r.node07.jsonl && -s $dir/r.node08.jsonl ]]
  inspect "$dir/rack.txt" --format oneline
  line=$output
  run --separate-stderr "$LINKBURN" report "$dir/r.node07.jsonl" "$dir/r.node08.jsonl" --format oneline
  [[ $status == 1 && $output == "$line" ]]
}

@test "a site file applies to the node that the texts name" {
  printf '=== node07 ===\n%s\n' "$down" >"$dir/rack.txt"
  printf 'schema = 1\n[[host]]\nmatch = ["node07"]\n[[host.port]]\nport = "mlx5_0/1"\nexpect = "up"\n' >"$dir/site.toml"
  inspect "$dir/rack.txt" --site "$dir/site.toml" --format json
  [[ $status != 0 && $output == *"mlx5_0/1"* ]]
  sed -i 's/node07/node99/' "$dir/site.toml"
  inspect "$dir/rack.txt" --site "$dir/site.toml" --format json
  [[ $output != *"mlx5_0/1"* ]]
}

@test "nothing is read of this node" {
  echo "$down" >"$dir/dmesg.txt"
  inspect "$dir/dmesg.txt" --format json
  [[ $output != *numa0* && $output == *'"root": false'* ]]
}

@test "a format takes one value, and a capture may follow it" {
  echo "$gone" >"$dir/dmesg.txt"
  run --separate-stderr bash -c "'$LINKBURN' inspect --format oneline - <'$dir/dmesg.txt'"
  [[ $status == 1 && $output == lb*FAIL* ]]
  inspect --format json="$dir/a.json" --format oneline "$dir/dmesg.txt"
  [[ $status == 1 && $output == lb*FAIL* && -s $dir/a.json ]]
}

@test "what could not be read is an error of the node that it may be of, and of no other" {
  mkdir -p "$dir/rack/node07" "$dir/rack/node08"
  printf '=== node07 ===\n%s\n' "$down" >"$dir/rack/node07/dmesg.txt"
  printf '=== node08 ===\n%s\n' "$down" >"$dir/rack/node08/dmesg.txt"
  head -c 2000 /dev/urandom | base64 | gzip | head -c 900 >"$dir/rack/node08/more.gz"
  inspect "$dir/rack" --evidence "$dir/r.jsonl"
  grep -q '"kind":"tool_error"' "$dir/r.node08.jsonl"
  [[ $(<"$dir/r.node07.jsonl") != *tool_error* ]]
}

@test "a signal before anything was read ends with its number" {
  run --separate-stderr bash -c "sleep 3 | timeout --foreground --preserve-status -s INT 1 '$LINKBURN' inspect -"
  [[ $status == 130 && -z $output ]]
}
