#!/usr/bin/env bats
# What the kernel log of a node tells an inspect.
# shellcheck disable=SC2154
load helper

inspect() { run --separate-stderr "$LINKBURN" inspect --sysroot "$dir/node" "$@"; }

@test "a GPU that fell off the bus and answers again is a warning" {
  tree pair.tree log-xid79.overlay
  inspect
  [[ $status == 0 && $output == PASS* && $output == *LB-DEV-DROPPED* && $output == *"Xid"* ]]
}

@test "one that does not answer is lost, once" {
  tree pair.tree log-xid79.overlay all-ones-63.overlay
  inspect
  [[ $status == 1 && $output == *"1 lost"* && $output != *LB-DEV-DROPPED* ]]
}

@test "a storm of damaged packets in the log is a fault, whatever the average" {
  tree pair.tree log-aer-storm.overlay
  inspect
  [[ $status == 1 && $output == *"1 degraded"* && $output == *LB-AER-CORRECTED* && $output == *"within 10 s"* ]]
}

@test "recorded evidence of a log gives the same verdict" {
  tree pair.tree log-aer-storm.overlay
  inspect --evidence "$dir/e.jsonl" --format "json=$dir/a.json"
  run --separate-stderr "$LINKBURN" report "$dir/e.jsonl" --format "json=$dir/b.json"
  [[ $status == 1 ]]
}
