// The part of the vocabulary of evidence for what people captured with other tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"

namespace linkburn {

/// One stretch of what was given to `inspect`, and what was made of it. Stretches of one kind in
/// one file are one record.
struct CapturePart {
  static constexpr std::string_view kKind = "capture_part";
  std::string source;  ///< the file as given, with an archive's member: "bug.tgz:lspci.txt"
  std::string reader;  ///< name in bench/captures/table.h; empty: nothing knew these lines
  std::int64_t first_line = 0;  ///< in its file, from 1
  std::int64_t lines = 0;       ///< that are not blank
  std::int64_t not_understood = 0;
  std::vector<std::string> examples;  ///< the first few that were not understood
  template <class Fields>
  void fields(Fields& f) {
    f("source", source), f("reader", reader), f("first_line", first_line), f("lines", lines);
    f("not_understood", not_understood), f("examples", examples);
  }
};

/// A rate that another tool measured and printed. What is not said is absent.
struct Measurement {
  static constexpr std::string_view kKind = "measurement";
  std::string tool;       ///< "nvbandwidth", "bandwidthTest", "perftest", "nccl-tests"
  std::string test;       ///< in the tool's own word: "host_to_device_memcpy_ce", "ib_write_bw"
  std::string direction;  ///< "h2d", "d2h", "duplex", "p2p", "write", "read", "send", "collective"
  std::string method;     ///< "copy_engine", "kernel"
  std::string memory;     ///< of the host: "pinned", "pageable"
  ComponentId component;  ///< what was loaded: a GPU by its number ("gpu3"), a port, the node
  std::optional<ComponentId> peer;  ///< the other end of p2p and RDMA
  std::string statistic;            ///< "average", "peak", "median"
  std::optional<double>
      rate_gbs;      ///< GB/s, one direction unless `duplex`; collectives: bus bandwidth
  std::string text;  ///< the number and its unit as printed
  std::optional<std::int64_t> bytes;  ///< size of the message or buffer
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> wrong;  ///< elements that arrived with another value
  template <class Fields>
  void fields(Fields& f) {
    f("tool", tool), f("test", test), f("direction", direction), f("method", method);
    f("memory", memory), f("component", component), f("peer", peer), f("statistic", statistic);
    f("rate_gbs", rate_gbs), f("text", text), f("bytes", bytes), f("ranks", ranks);
    f("wrong", wrong);
  }
};

}  // namespace linkburn
