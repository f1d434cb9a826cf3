// show_gids: the GID tables of all RDMA ports [github.com/Mellanox/mlnx-tools, sbin/show_gids].
#include <algorithm>
#include <map>

#include "bench/base/text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr int kMaxGids = 4096;

struct Row {
  std::string device;
  int port = 0;
  Gid gid;
};

/// Eight groups, as sysfs writes a GID.
bool is_gid(std::string_view word) {
  constexpr std::size_t kCharacters = 39;
  return word.size() == kCharacters && std::count(word.begin(), word.end(), ':') == 7 &&
         word.find_first_not_of("0123456789abcdefABCDEF:") == word.npos;
}

/// "mlx5_0  1  3  0000:0000:0000:0000:0000:ffff:c000:0206  192.0.2.6  v2  eth0"; address, version
/// and interface may be missing.
std::optional<Row> row_of(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 4 || !is_gid(words[3])) return std::nullopt;
  const auto port = parse_int(words[1]);
  const auto index = parse_int(words[2]);
  if (!port || *port < 0 || *port > 255 || !index || *index < 0 || *index >= kMaxGids)
    return std::nullopt;
  Row row{printable(words[0], 64),
          static_cast<int>(*port),
          {static_cast<int>(*index), std::string(words[3]), {}, {}}};
  for (std::size_t i = 4; i < words.size(); ++i) {
    const bool first = words[i] == "v1";
    if (!first && words[i] != "v2") continue;
    row.gid.type = first ? "IB/RoCE v1" : "RoCE v2";
    if (i + 1 < words.size()) row.gid.netdev = printable(words[i + 1], 64);
    break;
  }
  return row;
}

bool is_heading(std::string_view line) {
  const auto words = words_of(line);
  return words.size() >= 4 && words[0] == "DEV" && words[1] == "PORT" && words[2] == "INDEX" &&
         words[3] == "GID";
}

bool is_ruler(std::string_view line) {
  line = trim(line);
  return !line.empty() && line.find_first_not_of("- \t") == line.npos;
}

class ShowGidsReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (is_heading(line)) return whole_ = true, Take::understood;
    if (auto row = row_of(line)) return add(std::move(*row)), Take::understood;
    const bool frame = is_ruler(line) || trim(line).starts_with("n_gids_found=");
    return frame ? Take::understood : Take::elsewhere;
  }

  void finish(NodeDraft& node) override {
    for (auto& [id, port] : ports_) node.add(node.ports, std::move(port));
  }

 private:
  void add(Row row) {
    const ComponentId id = ComponentId::port(row.device, row.port);
    if (++rows_ > NodeDraft::kMaxItems) return;
    Port& port = ports_[id];
    port.component = id;
    port.gids_read = whole_;
    // The entries of the port's own interface come first; those of its VLANs follow.
    if (port.netdev.empty()) port.netdev = row.gid.netdev;
    port.gids.push_back(std::move(row.gid));
  }

  std::map<ComponentId, Port> ports_;
  std::size_t rows_ = 0;
  bool whole_ = false;  ///< the heading was there
};

bool begins(std::string_view line, std::string_view) { return is_heading(line) || row_of(line); }

std::unique_ptr<PartReader> make() { return std::make_unique<ShowGidsReader>(); }

}  // namespace

const CaptureKind show_gids_capture{"show_gids", "show_gids", begins, make};

}  // namespace linkburn
