#!/usr/bin/env bats
# inspect over node trees: verdict, exit code and formats as a user sees them.
# shellcheck disable=SC2154
load helper

inspect() { run --separate-stderr "$LINKBURN" inspect --sysroot "$dir/node" "$@"; }

# field FILE EXPRESSION: python over the parsed report, which is `r`.
field() { python3 -c "import json,sys; r=json.load(open(sys.argv[1])); print($2)" "$1"; }

@test "a healthy node passes" {
  tree pair.tree
  inspect
  [[ $status == 0 && $output == PASS* ]]
}

@test "a width fault is found at its link, in every format" {
  tree pair.tree width-x8.overlay
  inspect
  [[ $status == 1 && $output == FAIL* && $output == *"LB-PCIE-WIDTH"* && $output == *"0000:17:00.0"* ]]
  inspect --format oneline
  [[ $status == 1 && ${#lines[@]} == 1 && ${#output} -le 80 ]]
  [[ ${output:0:20} == *"x8<x16"* ]]
  inspect --format "json=$dir/r.json" --quiet
  [[ $(field "$dir/r.json" "r['verdict'], r['exit']") == "FAIL 1" ]]
  [[ $(field "$dir/r.json" "[f['component'] for f in r['findings'] if f['class']=='degraded']") == "['0000:17:00.0']" ]]
}

@test "one end that says x8 is enough, and both are named" {
  tree pair.tree width-x8-one-end.overlay
  inspect
  [[ $status == 1 && $output == *"LB-PCIE-WIDTH"* ]]
}

@test "a slow idle link needs load and is no fault" {
  tree pair.tree speed-gen3-idle.overlay
  inspect
  [[ $status == 3 && $output == INCOMPLETE* && $output == *"under load"* && $output != *degraded* ]]
  inspect --require presence,width
  [[ $status == 0 ]]
}

@test "all ones is lost, not a width" {
  tree pair.tree all-ones-63.overlay
  inspect
  [[ $status == 1 && $output == *lost* && $output != *x63* ]]
}

@test "a sleeping device is not woken and not judged" {
  tree pair.tree suspended.overlay
  inspect
  [[ $output == *asleep* && $output != *lost* && $output != *degraded* ]]
}

@test "unknown abilities are undecided" {
  for overlay in max-missing max-255 width-0; do
    tree pair.tree $overlay.overlay
    inspect
    [[ $status == 3 && $output == INCOMPLETE* ]]
  done
}

@test "a port that gives less than the device can do is limited, which is no fault" {
  tree pair.tree device-limited-by-port.overlay
  inspect
  [[ $status == 0 && $output == *limited* ]]
}

@test "a node without links says so plainly" {
  tree nolinks.tree
  inspect
  [[ $status == 3 && $output == *"no PCIe links"* ]]
}

@test "the big node and the switched one are healthy" {
  tree switch8.tree
  inspect
  [[ $status == 0 ]]
  tree aurora-like.tree
  inspect
  [[ $status == 0 && $output == *limited* ]]
}

@test "an incomplete capture has no healthy or degraded link in it" {
  tree partial.tree
  inspect --format "json=$dir/r.json"
  [[ $status == 3 ]]
  [[ $(field "$dir/r.json" "[f for f in r['findings'] if f['class'] in ('healthy','degraded') and f['component'].startswith('0000:')]") == "[]" ]]
}

@test "recorded evidence gives the same verdict" {
  tree pair.tree width-x8.overlay
  inspect --format oneline --evidence "$dir/e.jsonl"
  before=$output
  run "$LINKBURN" report "$dir/e.jsonl" --format oneline
  [[ $status == 1 && $output == "$before" ]]
}

@test "works with an empty environment, from /, umask 077, without HOME" {
  tree pair.tree
  cd /
  umask 077
  run env -i "$LINKBURN" inspect --sysroot "$dir/node" --format oneline
  [[ $status == 0 ]]
}

@test "works as an ordinary user" {
  [[ $(id -u) == 0 ]] || skip "is one already"
  tree pair.tree
  chmod -R a+rX "$dir"
  run setpriv --reuid=65534 --regid=65534 --clear-groups env -i "$LINKBURN" inspect --sysroot "$dir/node" --format oneline
  # Where the folders above are closed to others, there is nothing to test.
  [[ $output == *"Permission denied"* ]] && skip "the build is not readable for others"
  [[ $status == 0 ]]
}

@test "captured machines replay without a false finding" {
  [[ -n ${LINKBURN_CAPTURED_NODES:-} ]] || skip "LINKBURN_CAPTURED_NODES is not set"
  mkdir "$dir/aurora" "$dir/qib"
  tar xjf "$LINKBURN_CAPTURED_NODES"/nec-aurora-8ve-2ib.tar.bz2 -C "$dir/aurora" --strip-components=1
  tar xjf "$LINKBURN_CAPTURED_NODES"/xeon-phi-era-qib-partial.tar.bz2 -C "$dir/qib" --strip-components=1
  run "$LINKBURN" inspect --sysroot "$dir/aurora" --format "json=$dir/r.json"
  [[ $status == 0 ]]
  [[ $(field "$dir/r.json" "sorted({f['class'] for f in r['findings']})") == "['healthy', 'limited']" ]]
  [[ $(field "$dir/r.json" "[f['component'] for f in r['findings'] if f['class']=='limited']") == "['0000:60:00.0']" ]]
  run "$LINKBURN" inspect --sysroot "$dir/qib" --format "json=$dir/q.json"
  [[ $status == 3 ]]
  [[ $(field "$dir/q.json" "[f['class'] for f in r['findings'] if f['class'] in ('degraded','lost','misconfigured')]") == "[]" ]]
}

# judged OVERLAY...: what inspect says of pair.tree with these, as JSON in $dir/r.json.
judged() {
  tree pair.tree "$@"
  inspect --format "json=$dir/r.json"
}

@test "a root bus below a controller has links like any other" {
  judged vmd-x1.overlay
  [[ $status == 1 ]]
  [[ $(field "$dir/r.json" "[f['component'] for f in r['findings'] if f['class']=='degraded']") == "['10000:e1:00.0']" ]]
}

@test "a device whose port is hidden is not judged, unless it does not answer" {
  judged hidden-port.overlay
  [[ $status == 0 ]]
  [[ $(field "$dir/r.json" "[n['what'] for n in r['not_judged']]") == *"0001:00:00.0"* ]]
  judged hidden-port.overlay hidden-port-lost.overlay
  [[ $status == 1 ]]
  [[ $(field "$dir/r.json" "[f['component'] for f in r['findings'] if f['class']=='lost']") == "['0001:00:00.0']" ]]
}

@test "a function that does not answer counts for its card" {
  judged function1-lost.overlay
  [[ $status == 1 ]]
  [[ $(field "$dir/r.json" "[f['component'] for f in r['findings'] if f['class']=='lost']") == "['0000:17:00.0']" ]]
}

@test "a refused request is no link fault, a link that went down is" {
  judged aer-refused-request.overlay
  [[ $status == 0 ]]
  judged aer-surprise-down.overlay
  [[ $status == 1 ]]
  grep -q "1 fatal SDES at 0000:16:01.0" "$dir/r.json"
}

@test "an Ethernet port that is down is undecided, whatever its physical state says" {
  judged roce-down.overlay
  [[ $status == 3 ]]
  [[ $(field "$dir/r.json" "[f['component'] for f in r['findings'] if f['class']=='undecided']") == "['mlx5_0/1']" ]]
}

@test "the nominal link of a chip-to-chip GPU is not judged" {
  judged chip-to-chip.overlay
  [[ $status == 0 ]]
  [[ $(field "$dir/r.json" "[n['why'] for n in r['not_judged'] if '17:00.0' in n['what']]") == *"chip-to-chip"* ]]
}

@test "a listed device that cannot be found is not passed over" {
  tree pair.tree
  rm -r "$dir"/node/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0
  inspect
  [[ $status == 3 && $output == *"0000:17:00.0"* ]]
}

@test "two runs of one host are two things" {
  tree pair.tree
  inspect --evidence "$dir/good.jsonl"
  tree pair.tree width-x8.overlay
  inspect --evidence "$dir/bad.jsonl"
  run "$LINKBURN" report "$dir/good.jsonl" "$dir/bad.jsonl" --format "json=$dir/r.json"
  [[ $status == 1 ]]
  [[ $(field "$dir/r.json" "[(l['width'], l['class']) for l in r['links'] if l['component']=='0000:17:00.0']") == "[(16, 'healthy'), (8, 'degraded')]" ]]
}

@test "a record that is missing in the middle is noticed" {
  tree pair.tree
  inspect --evidence "$dir/e.jsonl"
  sed -i 5d "$dir/e.jsonl"
  run "$LINKBURN" report "$dir/e.jsonl"
  [[ $status == 3 && $output == *"1 record is missing"* ]]
}

@test "interfaces of this machine say their link modes, or why not" {
  found=
  for device in /sys/class/net/*/device; do [[ -e $device ]] && found=$(basename "$(dirname "$device")"); done
  [[ -n $found ]] || skip "no network interface with a device here"
  run --separate-stderr "$LINKBURN" inspect --evidence "$dir/e.jsonl"
  line=$(grep '"kind":"interface"' "$dir/e.jsonl" | grep "\"component\":\"$found\"")
  [[ $line == *'"modes_source"'* || $line == *'"modes_absent"'* ]]
  [[ $line == *'"module"'* || $line == *'"module_absent"'* ]]
  [[ $line != *"not asked"* ]]
  assert_nothing_left
}

@test "a port on one of its four lanes is degraded, one that its partner holds back is not" {
  tree rdma.tree
  inspect --format "json=$dir/r.json" --quiet
  [[ $(field "$dir/r.json" "[f['class'] for f in r['findings'] if f['component']=='mlx5_1/1']") == "['limited']" ]]
  [[ $(field "$dir/r.json" "r['ports'][0]['recommended_gid_index']") == 3 ]]
  tree rdma.tree roce-one-lane.overlay
  inspect --format oneline
  [[ $status == 1 && $output == *"25<100Gb/s"*"LB-PORT-WIDTH"* ]]
}
