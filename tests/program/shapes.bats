#!/usr/bin/env bats
# Healthy nodes of many shapes: inspect has no finding about them but what is true.
# shellcheck disable=SC2154
load helper

# field EXPRESSION: python over the parsed report of the last inspect, which is `r`.
field() { python3 -c "import json,sys; r=json.load(open(sys.argv[1])); print($1)" "$dir/r.json"; }

# classes: those that findings have, and the components of all that are not healthy.
classes() { field "sorted({f['class'] for f in r['findings']})"; }
others() { field "sorted(f['component'] for f in r['findings'] if f['class'] != 'healthy')"; }

shape() {  # shape EXIT CLASSES OTHERS TREE [OVERLAY...]
  local exit=$1 classes=$2 others=$3
  shift 3
  tree "$@"
  run --separate-stderr "$LINKBURN" inspect --sysroot "$dir/node" --format text --format "json=$dir/r.json"
  [[ $status == "$exit" && $(classes) == "$classes" && $(others) == "$others" ]] && return
  echo "$*: exit $status, $(classes), $(others)" >&2
  echo "$output" >&2
  return 1
}

# As root and as an ordinary user; what both have to say is the same.
both() { shape "$@" && shape "$@" "${4%.tree}-user.overlay"; }

@test "eight GPUs and their rails behind switches" {
  both 0 "['healthy']" "[]" switch8.tree
  [[ $(field "len([l for l in r['links'] if l['class'] == 'healthy'])") == 36 ]]
}

@test "four GPUs below root ports, NICs with virtual functions, an onboard NIC" {
  both 0 "['healthy']" "[]" pcie4.tree
}

@test "a GPU on a chip-to-chip link" {
  both 0 "['healthy']" "[]" grace.tree
  [[ $(field "[n['why'] for n in r['not_judged'] if '0009:01:00.0' in n['what']]") == *"chip-to-chip"* ]]
}

@test "InfiniBand with a port that nobody uses, as an old kernel shows it" {
  both 0 "['healthy']" "[]" ib2.tree
}

@test "a virtual machine in which no link is visible" {
  both 3 "['healthy']" "[]" vm.tree
  [[ $output == *"no PCIe links"* ]]
}

@test "a storage node with empty bays" {
  both 0 "['healthy']" "[]" storage24.tree
}

@test "a workstation with a Thunderbolt box and disks behind VMD" {
  both 0 "['healthy']" "[]" workstation.tree
  for link in 0000:04:00.0 0000:06:00.0; do
    [[ $(field "[n['why'] for n in r['not_judged'] if '$link' in n['what']]") == *Thunderbolt* ]]
  done
}

@test "slots have the names that firmware gives them, and for a user those of the kernel" {
  shape 0 "['healthy']" "[]" pcie4.tree
  [[ $(field "[l['slot']['label'] for l in r['links'] if l['component'] == '0000:01:00.0']") == "['PCIE1']" ]]
  shape 0 "['healthy']" "[]" pcie4.tree pcie4-user.overlay
  [[ $(field "[l['slot']['label'] for l in r['links'] if l['component'] == '0000:01:00.0']") == "['1']" ]]
}
