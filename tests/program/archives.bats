#!/usr/bin/env bats
# inspect of folders, archives and pipes: what is packed is judged like what is not.
# shellcheck disable=SC2154
load helper

# judge JSON PATH...: the report of inspect, without its source, time and command. Sets $status.
judge() {
  local json=$1
  shift
  rm -f "$json.whole"
  run --separate-stderr "$LINKBURN" inspect "$@" --site none --format "json=$json.whole" --quiet
  [[ -s $json.whole ]] || { echo "no report: $stderr" >&2; return 1; }
  python3 - "$json.whole" "$json" <<'PY'
import json, sys
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()
                if k not in ("started", "source", "command", "when", "root")}
    return [plain(v) for v in value] if isinstance(value, list) else value
json.dump(plain(json.load(open(sys.argv[1]))), open(sys.argv[2], "w"), indent=1, sort_keys=True)
PY
}

told() {  # told JSON: classes and components of the findings, and the nodes
  python3 -c "import json,sys; r=json.load(open(sys.argv[1]))
print(' '.join(n.get('name', '') for n in r['nodes']))
for f in r['findings']: print(f['class'], f['component'])" "$1"
}

broken_node() {  # broken_node FOLDER NAME: a tree whose link has half its lanes
  "$TREE_UNPACK" "$1" pair.tree width-x8.overlay
  echo "$2" >"$1/proc/sys/kernel/hostname"
}

@test "a tree is judged alike as a sysroot, as a folder, and packed" {
  for name in $(all_trees); do
    tree "$name"
    rm -f "$dir"/*.tar.gz
    "$LINKBURN" inspect --sysroot "$dir/node" --site none --format "json=$dir/x" --quiet \
      --capture "$dir/node.tar.gz" || true
    judge "$dir/a.json" --sysroot "$dir/node"
    before=$status
    judge "$dir/b.json" "$dir/node"
    [[ $status == "$before" ]]
    judge "$dir/c.json" "$dir/node.tar.gz"
    [[ $status == "$before" ]]
    diff "$dir/a.json" "$dir/b.json" || { echo "$name as a folder" >&2; return 1; }
    diff "$dir/a.json" "$dir/c.json" || { echo "$name packed" >&2; return 1; }
  done
}

@test "every kind of archive is told by its content" {
  broken_node "$dir/node" node07
  judge "$dir/a.json" "$dir/node"
  [[ $(told "$dir/a.json") == *degraded* ]]
  tar cf "$dir/plain" -C "$dir" node
  gzip -k -c "$dir/plain" >"$dir/one"
  bzip2 -k -c "$dir/plain" >"$dir/two"
  xz -k -c "$dir/plain" >"$dir/three"
  zstd -q -c "$dir/plain" >"$dir/four"
  lz4 -q -c "$dir/plain" >"$dir/five"
  (cd "$dir" && zip -q -r -y six.zip node && mv six.zip six)
  tar cf "$dir/seven" -C "$dir" one
  mkdir "$dir/folder" && cp "$dir/three" "$dir/folder/"
  for archive in plain one two three four five six seven folder; do
    judge "$dir/b.json" "$dir/$archive"
    diff "$dir/a.json" "$dir/b.json" || { echo "$archive" >&2; return 1; }
  done
  judge "$dir/b.json" - <"$dir/one"
  diff "$dir/a.json" "$dir/b.json"
}

@test "several nodes in a folder or an archive are several nodes" {
  broken_node "$dir/rack/node01" node01
  "$TREE_UNPACK" "$dir/rack/node02" pair.tree
  rm "$dir/rack/node02/proc/sys/kernel/hostname"
  mkdir -p "$dir/rack/node03"
  echo node03 >"$dir/rack/node03/hostname"
  grep -r . "$dir/rack/node01/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/"{current,max}_link_{speed,width} |
    sed "s#$dir/rack/node01##" >"$dir/rack/node03/files.txt"
  judge "$dir/a.json" "$dir/rack"
  [[ $(told "$dir/a.json" | sed -n 1p) == "node01 node02 node03" ]]
  tar czf "$dir/rack.tgz" -C "$dir" rack
  judge "$dir/b.json" "$dir/rack.tgz"
  diff "$dir/a.json" "$dir/b.json"
  tar czf "$dir/one.tgz" -C "$dir/rack" node01
  tar czf "$dir/two.tgz" -C "$dir/rack" node02
  judge "$dir/b.json" "$dir/one.tgz" "$dir/two.tgz"
  [[ $(told "$dir/b.json" | sed -n 1p) == "node01 node02" ]]
}

@test "texts beside a tree are texts of its node" {
  "$TREE_UNPACK" "$dir/sosreport-x" pair.tree
  echo node07 >"$dir/sosreport-x/proc/sys/kernel/hostname"
  mkdir -p "$dir/sosreport-x/sos_commands/kernel"
  echo '[ 1.000000] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.' \
    >"$dir/sosreport-x/sos_commands/kernel/dmesg"
  judge "$dir/a.json" "$dir/sosreport-x"
  [[ $(told "$dir/a.json" | sed -n 1p) == node07 ]]
  [[ $(told "$dir/a.json") == *marginal* ]]
  tar cJf "$dir/sos.tar.xz" -C "$dir" sosreport-x
  judge "$dir/b.json" "$dir/sos.tar.xz"
  diff "$dir/a.json" "$dir/b.json"
}

@test "what is neither text nor file is left alone" {
  broken_node "$dir/all/node" node07
  mkfifo "$dir/all/pipe"
  printf 'LPKSHHRH\0\0\0\0' >"$dir/all/system.journal"
  ln -s /etc/passwd "$dir/all/outside"
  ln -s / "$dir/all/everything"
  judge "$dir/a.json" "$dir/all"
  [[ $(told "$dir/a.json") == *degraded* ]]
  run ! grep -q outside "$dir/a.json"
}

@test "a tree whose links lead outside stays inside" {
  mkdir -p "$dir/t/sys/bus/pci/devices" "$dir/t/sys/class"
  echo secret >"$dir/secret"
  ln -s ../../../../../../../../../../../../"$dir/secret" "$dir/t/sys/bus/pci/devices/0000:01:00.0"
  ln -s / "$dir/t/sys/class/net"
  run "$LINKBURN" inspect "$dir/t"
  [[ $output != *secret* ]]
  tar cf "$dir/t.tar" -C "$dir" t
  run "$LINKBURN" inspect "$dir/t.tar"
  [[ $output != *secret* && $status == 2 ]]
}

@test "a truncated archive is judged as far as it goes, and is no pass" {
  tree pair.tree
  judge "$dir/a.json" "$dir/node"
  [[ $status == 0 ]]
  head -c 300000 /dev/urandom | base64 >"$dir/node/zz-last.txt"
  tar czf "$dir/whole.tgz" --sort=name -C "$dir" node
  size=$(stat -c %s "$dir/whole.tgz")
  head -c $((size - 100000)) "$dir/whole.tgz" >"$dir/cut.tgz"
  judge "$dir/b.json" "$dir/cut.tgz"
  [[ $status == 3 ]]
  grep -q "ended early" "$dir/b.json"
}

@test "an encrypted archive is refused with a clear line" {
  echo "01:00.0 text" >"$dir/text"
  (cd "$dir" && zip -q -P secret closed.zip text)
  assert_refused 2 "encrypted" "$LINKBURN" inspect "$dir/closed.zip"
}

@test "archives that only fill a disk are unpacked no further" {
  head -c 1100000000 /dev/zero | tr '\0' 'a' | gzip -1 | gzip -1 >"$dir/bomb.gz"
  assert_refused 2 "200 times" "$LINKBURN" inspect "$dir/bomb.gz"
  echo text >"$dir/text"
  inner=text
  for i in 1 2 3 4; do
    tar czf "$dir/deep$i.tgz" -C "$dir" "$inner"
    inner=deep$i.tgz
  done
  assert_refused 2 "archives" "$LINKBURN" inspect "$dir/deep4.tgz"
}

@test "nothing to read, nothing known and no text are told apart" {
  : >"$dir/empty"
  mkdir "$dir/hollow"
  echo "some words" >"$dir/words"
  printf '\0\1\2\3' >"$dir/bytes"
  assert_refused 2 "empty" "$LINKBURN" inspect "$dir/empty"
  assert_refused 2 "empty" "$LINKBURN" inspect "$dir/hollow"
  assert_refused 2 "nothing in it is known" "$LINKBURN" inspect "$dir/words"
  assert_refused 2 "no text" "$LINKBURN" inspect "$dir/bytes"
  assert_refused 2 "neither a file nor a pipe" "$LINKBURN" inspect /dev/zero
  assert_refused 2 "cannot open" "$LINKBURN" inspect "$dir/absent"
  assert_refused 2 "the running node" "$LINKBURN" inspect /
}

@test "a pipe is read to its end" {
  broken_node "$dir/node" node07
  judge "$dir/a.json" "$dir/node"
  tar czf "$dir/node.tgz" -C "$dir" node
  judge "$dir/b.json" <(cat "$dir/node.tgz")
  diff "$dir/a.json" "$dir/b.json"
  mkfifo "$dir/pipe"
  (sleep 0.3; cat "$dir/node.tgz" >"$dir/pipe") &
  judge "$dir/b.json" "$dir/pipe"
  diff "$dir/a.json" "$dir/b.json"
}

@test "a pipe that never ends is left at a signal and at the deadline" {
  mkfifo "$dir/pipe"
  run --separate-stderr timeout 20 "$LINKBURN" inspect "$dir/pipe" --deadline 0.5
  [[ $status == 3 && $stderr == *deadline* ]]
  run --separate-stderr timeout -s INT --preserve-status 1 "$LINKBURN" inspect - < <(exec sleep 5)
  [[ $status == 130 ]]
  run --separate-stderr timeout -s INT --preserve-status 1 "$LINKBURN" inspect "$dir/pipe"
  [[ $status == 130 ]]
}

@test "a file that may not be read is told, and the rest is judged" {
  [[ $(id -u) == 0 ]] && skip "root may read everything"
  broken_node "$dir/all/node" node07
  echo text >"$dir/all/closed.txt"
  chmod 000 "$dir/all/closed.txt"
  judge "$dir/a.json" "$dir/all"
  [[ $(told "$dir/a.json") == *degraded* ]]
  grep -q "closed.txt" "$dir/a.json"
}

@test "a tree without the list of its bus, and one without links, are judged as far as they go" {
  broken_node "$dir/node" node07
  rm -rf "$dir/node/sys/bus/pci/devices" "$dir/node/sys/class"
  judge "$dir/a.json" "$dir/node"
  [[ $(told "$dir/a.json") == *"degraded 0000:17:00.0"* ]]
  tar cf "$dir/devices.tar" -C "$dir/node" sys/devices
  judge "$dir/b.json" "$dir/devices.tar"
  [[ $(told "$dir/b.json") == *"degraded 0000:17:00.0"* ]]
  "$TREE_UNPACK" "$dir/flat" pair.tree
  (cd "$dir/flat/sys/bus/pci/devices" && for f in *; do cp -rL "$f" "x$f" && rm "$f" && mv "x$f" "$f"; done)
  rm -rf "$dir/flat/sys/devices"
  judge "$dir/c.json" "$dir/flat"
  [[ $(told "$dir/c.json") != *degraded* && $(told "$dir/c.json") != *lost* ]]
  grep -q lone_end "$dir/c.json.whole"
}
