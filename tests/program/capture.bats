#!/usr/bin/env bats
# inspect --capture: what was read of a node, packed so that the answer elsewhere is the same.
# shellcheck disable=SC2154
load helper

# answer FOLDER JSON [OPTION...]: what inspect says of a tree, without its source, time and command.
answer() {
  local folder=$1 json=$2
  shift 2
  run --separate-stderr "$LINKBURN" inspect --sysroot "$folder" --format "json=$json.whole" --quiet "$@"
  [[ -s $json.whole ]] || { echo "no report: $stderr" >&2; return 1; }
  plain "$json.whole" "$json"
}

plain() {  # plain WHOLE JSON
  python3 - "$1" "$2" <<'PY'
import json, sys
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()
                if k not in ("started", "source", "command", "when", "root")}
    return [plain(v) for v in value] if isinstance(value, list) else value
report = plain(json.load(open(sys.argv[1])))
json.dump(report, open(sys.argv[2], "w"), indent=1, sort_keys=True)
PY
}

# judged JSON: verdict, codes, classes and components, which redaction must not change.
judged() {
  python3 -c "import json,sys; r=json.load(open(sys.argv[1]))
print(r['verdict'], r['exit'], len(r['not_judged']))
for f in r['findings']: print(f['code'], f['class'], f['component'])" "$1"
}

unpack() {  # unpack ARCHIVE: into $dir/replayed
  rm -rf "$dir/replayed"
  mkdir "$dir/replayed"
  tar xzf "$1" -C "$dir/replayed" --strip-components=1
}

@test "every tree's capture gives the same answer, and so does the capture of that" {
  for name in $(all_trees); do
    tree "$name"
    rm -f "$dir"/*.tar.gz
    answer "$dir/node" "$dir/a.json" --capture "$dir/node.tar.gz"
    before=$status
    unpack "$dir/node.tar.gz"
    mv "$dir/replayed" "$dir/again" && rm -rf "$dir/node" && mv "$dir/again" "$dir/node"
    answer "$dir/node" "$dir/b.json" --capture "$dir/again.tar.gz"
    [[ $status == "$before" ]]
    diff "$dir/a.json" "$dir/b.json" || { echo "$name" >&2; return 1; }
    unpack "$dir/again.tar.gz"
    diff -r --no-dereference "$dir/node" "$dir/replayed" || { echo "$name" >&2; return 1; }
  done
}

# Host name, Ethernet addresses, GUIDs and serial numbers of a tree, one a line.
secrets() {
  cat "$dir/node/proc/sys/kernel/hostname" 2>/dev/null
  cat "$dir/node/proc/sys/kernel/random/boot_id" 2>/dev/null
  find "$dir/node/sys" -type f \( -name address -o -name node_guid -o -name sys_image_guid -o \
    -name '*serial*' \) -exec cat {} + 2>/dev/null |
    grep -vE '^(0000:)?[0-9a-f]{2}(:[0-9a-f]{2})?(\.[0-9a-f])?$|^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}$|^[0:f]*$'
  find "$dir/node/sys" -path '*/gids/*' -type f -exec cat {} + 2>/dev/null | grep -v '^[0:]*$'
  grep -aohE 'SN-[A-Z0-9]{8,}|b8:ce:f6(:[0-9a-f]{2}){3}|10\.99\.0\.[0-9]+|7d3f0a55-[0-9a-f-]+' -r "$dir/node" || true
}

@test "a redacted capture is judged alike and holds no name, serial number or address" {
  for name in $(all_trees); do
    tree "$name"
    rm -f "$dir"/*.tar.gz
    secrets | sort -u | sed '/^$/d' >"$dir/secrets"
    answer "$dir/node" "$dir/a.json" --capture "$dir/node.tar.gz" --redact
    before=$status
    unpack "$dir/node.tar.gz"
    answer "$dir/replayed" "$dir/b.json"
    [[ $status == "$before" ]]
    diff <(judged "$dir/a.json") <(judged "$dir/b.json") || { echo "$name" >&2; return 1; }
    ! grep -raFwf "$dir/secrets" "$dir/replayed" || { echo "$name" >&2; return 1; }
  done
}

@test "a redacted archive does not tell its file's name, nor what the kernel says of others" {
  tree pair.tree
  mkdir -p "$dir/node/var/log"
  printf '[    1.000000] nfs: server files.acme.example not responding\n' >"$dir/node/var/log/dmesg"
  answer "$dir/node" "$dir/a.json" --capture "$dir/pair.tar.gz" --redact
  [[ $(tar tzf "$dir/pair.tar.gz" | cut -d/ -f1 | sort -u) == redacted ]]
  unpack "$dir/pair.tar.gz"
  run ! grep -raq acme "$dir/replayed"
}

@test "errors of the node are part of its capture" {
  tree pair.tree
  mkdir -p "$dir/node/linkburn"
  printf '%s\tio\tcannot read: Input/output error\t\n' \
    sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/current_link_{speed,width} >"$dir/node/linkburn/errors"
  answer "$dir/node" "$dir/a.json" --capture "$dir/node.tar.gz"
  before=$status
  [[ $(judged "$dir/a.json") == *lost* ]]
  unpack "$dir/node.tar.gz"
  grep -q "current_link_width.io.cannot read" "$dir/replayed/linkburn/errors"
  answer "$dir/replayed" "$dir/b.json"
  [[ $status == "$before" ]]
  diff "$dir/a.json" "$dir/b.json"
}

@test "only what was read is packed" {
  tree pair.tree
  echo secret >"$dir/node/proc/secret"
  answer "$dir/node" "$dir/a.json" --capture "$dir/node.tar.gz"
  unpack "$dir/node.tar.gz"
  [[ ! -e $dir/replayed/proc/secret ]]
  [[ $(tar tzf "$dir/node.tar.gz" | cut -d/ -f1 | sort -u) == node ]]
  [[ $(tar tvzf "$dir/node.tar.gz" | cut -c1-10 | LC_ALL=C sort -u | tr '\n' ' ') == "-rw-r--r-- drwxr-xr-x lrwxrwxrwx " ]]
}

@test "the live node's capture gives the same answer" {
  run --separate-stderr "$LINKBURN" inspect --capture "$dir/live.tar.gz" --format "json=$dir/a.whole" --quiet
  before=$status
  [[ $before == 0 || $before == 1 || $before == 3 ]]
  plain "$dir/a.whole" "$dir/a.json"
  unpack "$dir/live.tar.gz"
  answer "$dir/replayed" "$dir/b.json"
  [[ $status == "$before" ]]
  diff <(judged "$dir/a.json") <(judged "$dir/b.json")
}

@test "a capture is never overwritten, and has one kind of name" {
  tree pair.tree
  echo old >"$dir/node.tar.gz"
  assert_refused 2 "already there" "$LINKBURN" inspect --sysroot "$dir/node" --capture "$dir/node.tar.gz"
  [[ $(cat "$dir/node.tar.gz") == old ]]
  assert_refused 2 ".tar.gz" "$LINKBURN" inspect --sysroot "$dir/node" --capture "$dir/node.zip"
  assert_refused 2 "--capture" "$LINKBURN" inspect --sysroot "$dir/node" --redact
}

@test "a capture that cannot be written is no pass, and leaves nothing behind" {
  tree pair.tree
  run --separate-stderr "$LINKBURN" inspect --sysroot "$dir/node" --capture "$dir/absent/node.tar.gz"
  [[ $status == 3 && $output == PASS* && $stderr == *"cannot write the capture"* ]]
  if [[ -w /dev/full && $(id -u) == 0 ]]; then
    ln -s /dev/full "$dir/full.tar.gz"
    assert_refused 2 "already there" "$LINKBURN" inspect --sysroot "$dir/node" --capture "$dir/full.tar.gz"
  fi
  [[ -z $(find "$dir" -name '*partial*') ]]
}
