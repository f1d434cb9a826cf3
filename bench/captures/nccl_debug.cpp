// NCCL with NCCL_DEBUG=INFO or WARN [NVIDIA nccl src/debug.cc, src/init.cc, src/transport/net_ib,
// src/misc/ibvwrap.cc].
#include "bench/captures/nccl_debug.h"

#include <array>
#include <set>
#include <tuple>

#include "bench/base/text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr std::array<std::string_view, 3> kMarks{"NCCL INFO ", "NCCL WARN ", "NCCL TRACE "};

/// Where the mark of NCCL stands, and how long it is.
struct Mark {
  std::size_t at = std::string_view::npos, length = 0;
};

Mark mark_in(std::string_view line) {
  for (const std::string_view mark : kMarks)
    if (const std::size_t at = line.find(mark); at != std::string_view::npos)
      return {at, mark.size()};
  return {};
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "node01:4711:4712" as "node01"; empty for any other word.
std::string_view host_in(std::string_view word) {
  const std::size_t second = word.rfind(':');
  if (second == std::string_view::npos || second == 0) return {};
  const std::size_t first = word.rfind(':', second - 1);
  if (first == std::string_view::npos || first == 0) return {};
  const bool numbers =
      is_number(word.substr(first + 1, second - first - 1)) && is_number(word.substr(second + 1));
  const std::string_view host = word.substr(0, first);
  // A time of day in front of the line looks alike.
  return numbers && !is_number(host) ? host : std::string_view();
}

/// "mlx5_0:1" as a port; nothing for any other word.
std::optional<ComponentId> port_in(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || word.back() == '.')) word.remove_suffix(1);
  const std::size_t colon = word.find(':');
  const auto number = colon == std::string_view::npos || colon == 0
                          ? std::nullopt
                          : parse_int(word.substr(colon + 1));
  if (!number || *number < 1 || *number > 255) return std::nullopt;
  return ComponentId::port(printable(word.substr(0, colon), 64), static_cast<int>(*number));
}

/// The port that a message names: "on dev mlx5_0:1", "hca mlx5_0", "NET/IB : mlx5_0:1 Got ...".
ComponentId port_of(std::string_view message) {
  const auto words = words_of(message);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + 1 < words.size() && words[i] == "hca" && !port_in(words[i + 1]))
      return ComponentId::port(printable(words[i + 1].substr(0, words[i + 1].find(',')), 64), 1);
    const bool named = i > 0 && (words[i - 1] == "dev" || words[i - 1] == "hca" ||
                                 (i == 2 && words[0] == "NET/IB" && words[1] == ":"));
    if (const auto port = named ? port_in(words[i]) : std::nullopt) return *port;
  }
  return ComponentId::node();
}

bool has(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

/// What it says that the network rules look at: quantity and text; nothing of most lines.
std::optional<std::pair<std::string_view, std::string_view>> told_by(std::string_view message) {
  using Told = std::pair<std::string_view, std::string_view>;
  constexpr std::string_view kNetwork = "Using network ";
  if (message.starts_with(kNetwork)) return Told("nccl_network", message.substr(kNetwork.size()));
  if (has(message, "NET/IB : No device found")) return Told("nccl_no_device", message);
  if (message.starts_with("NCCL_IB_DISABLE set by environment to 1"))
    return Told("nccl_setting", "NCCL_IB_DISABLE=1");
  if (has(message, " via NET/Socket")) return Told("nccl_used", "NET/Socket");
  if (has(message, " via NET/IB")) return Told("nccl_used", "NET/IB");
  if (has(message, "ibv_modify_qp failed") || has(message, "Got completion"))
    return Told("rdma_connection", message);
  if (has(message, "async event") && has(message, "port "))
    return Told("nccl_port_event", has(message, "port active") ? "port active" : "port error");
  return std::nullopt;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (trim(line).empty()) return Take::understood;
    const Mark mark = mark_in(line);
    if (mark.at == std::string_view::npos)
      return trim(line).starts_with("NCCL version ") ? Take::understood : Take::elsewhere;
    const std::string_view message = trim(line.substr(mark.at + mark.length));
    const auto told = told_by(message);
    if (!told || seen_.size() >= kMaxReadings) return Take::understood;
    const bool of_port = told->first == "rdma_connection" || told->first == "nccl_port_event";
    const ComponentId component = of_port ? port_of(message) : ComponentId::node();
    // Every process of a node says the same: each thing is told once.
    seen_.insert({component, std::string(told->first), printable(told->second, kMaxText)});
    return Take::understood;
  }

  void finish(NodeDraft& node) override {
    for (const auto& [component, quantity, text] : seen_) {
      Reading reading;
      reading.component = component;
      reading.quantity = quantity;
      reading.text = text;
      node.add(node.records, Body(std::move(reading)));
    }
  }

 private:
  static constexpr std::size_t kMaxReadings = 256;
  static constexpr std::size_t kMaxText = 400;
  std::set<std::tuple<ComponentId, std::string, std::string>> seen_;
};

bool begins(std::string_view line, std::string_view) {
  return mark_in(line).at != std::string_view::npos || trim(line).starts_with("NCCL version ");
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

std::optional<std::string_view> host_of_nccl_line(std::string_view line) {
  const Mark mark = mark_in(line);
  if (mark.at == std::string_view::npos) return std::nullopt;
  for (const std::string_view word : words_of(line.substr(0, mark.at)))
    if (const std::string_view host = host_in(word); !host.empty()) return host;
  return std::nullopt;
}

const CaptureKind nccl_debug_capture{"nccl_debug", "NCCL with NCCL_DEBUG=INFO or WARN", begins,
                                     make};

}  // namespace linkburn
