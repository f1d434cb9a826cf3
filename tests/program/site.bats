#!/usr/bin/env bats
# Site files as a site uses them: written from a good node, then held against one that is not.
# shellcheck disable=SC2154
load helper

inspect() { run --separate-stderr "$LINKBURN" inspect --sysroot "$dir/node" "$@"; }
field() { python3 -c "import json,sys; r=json.load(open(sys.argv[1])); print($2)" "$1"; }

# good TREE: unpacks it and writes $dir/site.toml from it
good() {
  tree "$1"
  inspect --write-site "$dir/site.toml" --quiet
  [[ $status == 0 && -s $dir/site.toml ]]
}

@test "what is written from a good node judges the same node PASS" {
  for name in pair.tree switch8.tree; do
    rm -f "$dir/site.toml"
    good $name
    inspect --site "$dir/site.toml"
    [[ $status == 0 && $output == PASS* ]]
  done
}

@test "a site file is never overwritten, and never written from a faulty node" {
  good pair.tree
  before=$(cat "$dir/site.toml")
  assert_refused 2 "there already" "$LINKBURN" inspect --sysroot "$dir/node" --write-site "$dir/site.toml"
  [[ $(cat "$dir/site.toml") == "$before" ]]
  tree pair.tree width-x8.overlay
  inspect --write-site "$dir/other.toml"
  [[ $status == 1 && $stderr == *"no site file is written"* && ! -e $dir/other.toml ]]
}

@test "a GPU that is missing is lost, and its slot is named" {
  good pair.tree
  tree pair.tree vanished.overlay
  inspect
  [[ $status == 0 ]]
  inspect --site "$dir/site.toml" --format "json=$dir/r.json" --format text
  [[ $status == 1 && $output == *LB-EXPECT-MISSING* && $output == *"slot 1"* ]]
  [[ $(field "$dir/r.json" "[(f['class'], f['place']['label']) for f in r['findings'] if f['class']=='lost']") == "[('lost', '1')]" ]]
}

@test "an x8 card in an x16 slot is degraded, though both ends claim x8" {
  good pair.tree
  tree pair.tree x8-both-ends.overlay
  inspect --site "$dir/site.toml"
  [[ $status == 1 && $output == *LB-PCIE-WIDTH* && $output == *"site file"* ]]
}

@test "a port at half of its rate, and one that is gone" {
  good switch8.tree
  rail=$(cd "$dir/node/sys/class/infiniband" && grep -l NDR ./*/ports/1/rate | head -1)
  echo "200 Gb/sec (4X HDR)" >"$dir/node/sys/class/infiniband/$rail"
  inspect --site "$dir/site.toml"
  [[ $status == 1 && $output == *LB-PORT-RATE* && $output == *"400 Gb/s, from: site file"* ]]
  rm "$dir/node/sys/class/infiniband/mlx5_9"
  inspect --site "$dir/site.toml"
  [[ $status == 1 && $output == *LB-EXPECT-MISSING* && $output == *mlx5_9/1* ]]
}

@test "a link that sleeps or shows no files is no pass where the site expects its width" {
  good pair.tree
  tree pair.tree suspended.overlay
  inspect
  [[ $status == 0 ]]
  inspect --site "$dir/site.toml" --format oneline
  [[ $status == 3 && $output == *"is expected by site file"* ]]
  tree pair.tree
  rm "$dir/node/sys/devices/pci0000:16/0000:16:01.0/"{,0000:17:00.0/}{current,max}_link_*
  rm -f "$dir/node/sys/devices/pci0000:16/0000:16:01.0/"{,0000:17:00.0/}config
  inspect --site "$dir/site.toml" --format oneline
  [[ $status == 3 && $output == *"is expected by site file"* ]]
}

@test "an empty file name is no site file, and a folder is none" {
  tree pair.tree
  assert_refused 2 "--site: a name is missing" "$LINKBURN" inspect --sysroot "$dir/node" --site ""
  assert_refused 2 "Is a directory" "$LINKBURN" inspect --sysroot "$dir/node" --site "$dir"
}

@test "what the site says is right is right" {
  tree pair.tree x8-both-ends.overlay
  printf 'schema = 1\n[[slot]]\nslot = "1"\nwidth = 8\nname = "FRONT 1"\n' >"$dir/site.toml"
  inspect --site "$dir/site.toml"
  [[ $status == 0 ]]
}

@test "a known fault is accepted until its day, shown, and fails without the file" {
  tree pair.tree width-x8.overlay
  cat >"$dir/site.toml" <<'TOML'
schema = 1
[slot_names]
"1" = "FRONT 1"
[[exception]]
slot = "FRONT 1"
code = "LB-PCIE-WIDTH"
reason = "riser on order"
expires = 2999-12-31
TOML
  inspect --site "$dir/site.toml" --evidence "$dir/e.jsonl"
  [[ $status == 0 && $output == *DEGRADED*"FRONT 1"* && $output == *"accepted by the site until 2999-12-31: riser on order"* ]]
  run "$LINKBURN" report "$dir/e.jsonl"
  [[ $status == 0 ]]
  run "$LINKBURN" report "$dir/e.jsonl" --site none
  [[ $status == 1 ]]
  sed -i 's/2999-12-31/2020-01-01/' "$dir/site.toml"
  run "$LINKBURN" report "$dir/e.jsonl" --site "$dir/site.toml"
  [[ $status == 1 && $output == *"expired on 2020-01-01"* ]]
}

@test "the names of the site are in the evidence" {
  tree pair.tree
  printf 'schema = 1\n[[host]]\nmatch = ["pa*"]\n[host.slot_names]\n"17:00" = "FRONT 1"\n' >"$dir/site.toml"
  inspect --site "$dir/site.toml" --evidence "$dir/e.jsonl" --quiet
  [[ $status == 0 ]]
  grep -q '"kind":"site"' "$dir/e.jsonl"
  grep '"kind":"link"' "$dir/e.jsonl" | grep -q '"label":"FRONT 1","source":"site"'
}

@test "a wrong site file is refused before anything is run" {
  tree pair.tree
  assert_refused 2 "nosuch.toml" "$LINKBURN" inspect --sysroot "$dir/node" --site "$dir/nosuch.toml"
  printf 'schema = 1\n[expect]\ngpus = 8\n' >"$dir/site.toml"
  assert_refused 2 "site.toml:3" "$LINKBURN" inspect --sysroot "$dir/node" --site "$dir/site.toml"
  assert_refused 2 "did you mean 'gpu'" "$LINKBURN" run "$quick" --site "$dir/site.toml"
  assert_refused 2 "site.toml:3" "$LINKBURN" report "$dir/e.jsonl" --site "$dir/site.toml"
}
