// perftest: ib_write_bw, ib_read_bw, ib_send_bw and their latency tests
// [linux-rdma/perftest src/perftest_parameters.c and .h].
#include <fmt/core.h>

#include <array>
#include <set>
#include <utility>

#include "bench/base/ascii.h"
#include "bench/base/text.h"
#include "bench/captures/copy_matrix.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

struct Verb {
  std::string_view title, test, direction;
};
/// Titles of the tests [perftest_parameters.c, ctx_print_test_info; testsStr].
constexpr std::array<Verb, 4> kVerbs{{{"RDMA_Write ", "ib_write", "write"},
                                      {"RDMA_Read ", "ib_read", "read"},
                                      {"Send ", "ib_send", "send"},
                                      {"Atomic ", "ib_atomic", "atomic"}}};

const Verb* verb_of(std::string_view line) {
  if (!line.ends_with(" Test") && line.find(" Test for ") == std::string_view::npos &&
      line.find(" Test (") == std::string_view::npos)
    return nullptr;
  if (line.find(" BW ") == std::string_view::npos &&
      line.find(" Latency ") == std::string_view::npos)
    return nullptr;
  for (const Verb& verb : kVerbs)
    if (line.starts_with(verb.title)) return &verb;
  return nullptr;
}

/// The word after "NAME :" in a line that may hold two such pairs.
std::string_view field(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trim(line.substr(at + name.size()));
  if (!rest.starts_with(':')) return {};
  const auto words = words_of(rest.substr(1));
  return words.empty() ? std::string_view() : words.front();
}

bool is_header(std::string_view line) {
  return line.starts_with("#bytes") && line.find("iterations") != std::string_view::npos;
}

/// MB/sec are 2^20 bytes, Gb/sec 10^9 bits [src/perftest_parameters.c, format_factor].
std::optional<double> gbs_of_header(std::string_view line) {
  if (line.find("BW average[Gb/sec]") != std::string_view::npos) return 1.0 / 8;
  if (line.find("BW average[M") != std::string_view::npos) return 1048576.0 / 1e9;
  return std::nullopt;
}

/// How lines of the block of parameters, of addresses and of remarks start.
constexpr std::array<std::string_view, 59> kRemarks{"Number of qps",
                                                    "Connection type",
                                                    "PCIe relax order",
                                                    "ibv_wr* API",
                                                    "TX depth",
                                                    "RX depth",
                                                    "CQ Moderation",
                                                    "CQE Poll Batch",
                                                    "Mtu",
                                                    "Link type",
                                                    "GID index",
                                                    "Gid index",
                                                    "Max inline data",
                                                    "rdma_cm QPs",
                                                    "Data ex. method",
                                                    "Outstand reads",
                                                    "local address:",
                                                    "remote address:",
                                                    "GID:",
                                                    "Waiting for client",
                                                    "* Waiting for client",
                                                    "Using ",
                                                    "WARNING: BW peak",
                                                    "Post List",
                                                    "Dual-port",
                                                    "Mcast",
                                                    "Inline data",
                                                    "Force SL",
                                                    "Use DM",
                                                    "Lock-free",
                                                    "Conflicting CPU frequency",
                                                    "Test integrity",
                                                    "Please run",
                                                    "initializing CUDA",
                                                    "CUDA device",
                                                    "Listing all CUDA",
                                                    "There is 1 device",
                                                    "There are ",
                                                    "[pid = ",
                                                    "making it the current",
                                                    "cuMemAlloc",
                                                    "allocated GPU buffer",
                                                    "deallocating",
                                                    "destroying current",
                                                    "Requested mtu",
                                                    "ethernet_read_keys",
                                                    "Couldn't",
                                                    "Unable to",
                                                    "Failed to",
                                                    "Failed status",
                                                    "Completion with error",
                                                    "scnt=",
                                                    "rcnt=",
                                                    "Did not detect devices",
                                                    "Port number",
                                                    "IB device",
                                                    "Error occurred",
                                                    "Device not recognized",
                                                    "Duration"};

bool is_remark(std::string_view line) {
  for (const std::string_view start : kRemarks)
    if (line.starts_with(start)) return true;
  return line.size() > 20 && line.find_first_not_of("-*") == std::string_view::npos;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view raw) override {
    const std::string_view line = trim(raw);
    if (const Verb* verb = verb_of(line)) return begin_test(line, *verb);
    if (const std::string_view device = field(line, "Device "); !device.empty()) {
      close();
      device_ = printable(device, 64);
      return Take::understood;
    }
    if (is_header(line)) {
      close();
      if (!of_one_side_) scale_ = gbs_of_header(line);
      unit_ = line.find("Gb/sec") != std::string_view::npos ? "Gb/sec" : "MB/sec";
      with_service_level_ = line.find("#sl") != std::string_view::npos;
      in_table_ = true;
      return Take::understood;
    }
    if (line.starts_with("Local results:") || line.starts_with("Remote results:")) {
      close();
      of_one_side_ = true;
      return Take::understood;
    }
    if (line.starts_with("Failed status ")) return take_failure(line);
    if (in_table_ && !line.empty() && is_digit(line.front())) return take_row(line);
    return line.empty() || is_remark(line) ? Take::understood : Take::elsewhere;
  }

  void finish(NodeDraft& node) override {
    close();
    for (Measurement& measurement : done_) node.add(node.measurements, std::move(measurement));
    for (const auto& [component, text] : failures_) {
      Reading reading;
      reading.component = component;
      reading.quantity = "rdma_connection";
      reading.text = text;
      node.add(node.records, Body(std::move(reading)));
    }
  }

 private:
  static constexpr std::size_t kMaxDone = 4096;

  Take begin_test(std::string_view line, const Verb& verb) {
    close();
    const bool bandwidth = line.find(" BW ") != std::string_view::npos;
    test_ = fmt::format("{}_{}", verb.test, bandwidth ? "bw" : "lat");
    direction_ = line.find("Bidirectional") != std::string_view::npos ? "duplex" : verb.direction;
    device_.clear();
    of_one_side_ = false;
    return Take::understood;
  }

  /// "65536  5000  92.99  92.51  0.176478": bytes, iterations, peak, average, messages. Of a sweep
  /// only the largest message is kept: the small ones measure latency.
  Take take_row(std::string_view line) {
    const auto words = words_of(line);
    const std::size_t average = with_service_level_ ? 4 : 3;
    const auto bytes = parse_int(words[0]);
    if (!bytes) return Take::not_understood;
    if (!scale_) return Take::understood;  // of latencies, or of one side
    const auto rate = words.size() > average ? rate_of_cell(words[average]) : std::nullopt;
    if (!rate) return Take::not_understood;
    if (best_.bytes && *best_.bytes >= *bytes) return Take::understood;
    best_.bytes = *bytes;
    best_.rate_gbs = *rate * *scale_;
    best_.text = fmt::format("{} {}", words[average], unit_);
    return Take::understood;
  }

  /// "Failed status 12: wr_id 0 syndrom 0x81": the status of the first failed completion.
  Take take_failure(std::string_view line) {
    constexpr std::size_t kMaxFailures = 256;
    const std::string_view status = line.substr(0, line.find(':'));
    if (failures_.size() < kMaxFailures)
      failures_.insert({port(), fmt::format("{}: {}", test_.empty() ? "perftest" : test_,
                                            printable(status, 64))});
    return Take::understood;
  }

  /// The tests print no port number, and use the first one unless told [perftest, --ib-port].
  ComponentId port() const {
    return device_.empty() ? ComponentId::node() : ComponentId::port(device_, 1);
  }

  void close() {
    if (best_.rate_gbs && done_.size() < kMaxDone) {
      best_.tool = "perftest";
      best_.test = test_;
      best_.direction = direction_;
      best_.statistic = "average";
      best_.component = port();
      done_.push_back(std::move(best_));
    }
    best_ = {};
    in_table_ = false;
    scale_.reset();
  }

  Measurement best_;
  std::vector<Measurement> done_;
  std::set<std::pair<ComponentId, std::string>> failures_;
  std::optional<double> scale_;
  std::string test_, direction_, device_, unit_;
  bool in_table_ = false, with_service_level_ = false;
  bool of_one_side_ = false;  ///< what follows repeats the half of a result
};

bool begins(std::string_view raw, std::string_view next) {
  const std::string_view line = trim(raw);
  constexpr std::string_view kWaits = "* Waiting for client to connect";
  const std::string_view after = trim(next);
  if ((verb_of(after) != nullptr || after.starts_with(kWaits)) && is_remark(line)) return true;
  if (line.starts_with(kWaits)) return true;
  if (verb_of(line) != nullptr || is_header(line)) return true;
  if (line.starts_with("Dual-port") && !field(line, "Device ").empty()) return true;
  for (const std::string_view start :
       {"Device not recognized to implement inline feature", "local address: LID ",
        "remote address: LID ", "Completion with error at ", "Failed status ",
        "Conflicting CPU frequency values detected", "PCIe relax order:", "Data ex. method :"})
    if (line.starts_with(start)) return true;
  return false;
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind perftest_capture{"perftest", "perftest: ib_write_bw, ib_read_bw, ib_send_bw",
                                   begins, make};

}  // namespace linkburn
