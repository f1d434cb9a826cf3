#include "bench/captures/shown_files.h"

#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::string_view kBus = "sys/bus/pci/devices/";

/// Ends of paths, each the place where a component ends: "a", "a/b", "a/b/c".
std::vector<std::size_t> ends_of(std::string_view path) {
  std::vector<std::size_t> ends;
  for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1))
    ends.push_back(at);
  ends.push_back(path.size());
  return ends;
}

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_root_bus(std::string_view name) {
  return name.starts_with("pci") && name.find(':') != name.npos;
}

/// The value of a KEY=VALUE line of a uevent file.
std::optional<std::string> value_of(std::string_view uevent, std::string_view key) {
  for (const std::string_view line : lines_of(uevent)) {
    const std::string_view text = trim(line);
    if (text.starts_with(key) && text.substr(key.size()).starts_with('='))
      return std::string(trim(text.substr(key.size() + 1)));
  }
  return std::nullopt;
}

/// From paths as texts have them to paths of a node: two names of one folder become one.
class Places {
 public:
  /// A folder below the devices tells where each function on its path hangs.
  void learn_path(std::string_view path) {
    if (!path.starts_with("sys/devices/")) return;
    bool below_root_bus = false;
    std::size_t from = 0;
    for (const std::size_t end : ends_of(path)) {
      const std::string_view name = path.substr(from, end - from);
      from = end + 1;
      below_root_bus = below_root_bus || is_root_bus(name);
      const auto address = below_root_bus ? parse_pci_address(name) : std::nullopt;
      if (address) folders_.try_emplace(to_string(*address), path.substr(0, end));
    }
  }

  /// "sys/class/net/eth0/device" is the function that its uevent file names.
  void learn_uevent(std::string_view path, const std::string& text) {
    constexpr std::string_view kFile = "/uevent";
    if (!path.ends_with(kFile)) return;
    path.remove_suffix(kFile.size());
    const auto slot = value_of(text, "PCI_SLOT_NAME");
    const auto address = slot ? parse_pci_address(*slot) : std::nullopt;
    if (address && parse_pci_address(last_name(path)) != address)
      names_.emplace(path, std::string(kBus) + to_string(*address));
  }

  /// "…/0000:17:00.0/infiniband/mlx5_0" is the device of that name in its class.
  void learn_class(const std::string& path) {
    const std::string placed = place(path);
    std::size_t from = 0;
    std::string_view class_name;
    bool below_function = false;
    for (const std::size_t end : ends_of(placed)) {
      const std::string_view name = std::string_view(placed).substr(from, end - from);
      const bool is_class = name == "infiniband" || name == "net" || name == "hwmon";
      if (below_function && !class_name.empty())
        classes_.emplace(fmt::format("sys/class/{}/{}", class_name, name), placed.substr(0, end));
      class_name = below_function && is_class ? name : std::string_view();
      below_function = parse_pci_address(name).has_value() || below_function;
      from = end + 1;
    }
  }

  std::string place(std::string path) const {
    path = renamed(path, classes_);
    path = renamed(path, names_);
    if (!path.starts_with(kBus)) return path;
    const std::size_t end = std::min(path.find('/', kBus.size()), path.size());
    const auto address = parse_pci_address(path.substr(kBus.size(), end - kBus.size()));
    if (!address) return path;
    const std::string name = to_string(*address);
    const auto folder = folders_.find(name);
    const std::string rest = path.substr(end);
    return (folder == folders_.end() ? std::string(kBus) + name : folder->second) + rest;
  }

  void put_links(MemoryTree& tree) const {
    for (const auto& [address, folder] : folders_)
      tree.put_link(std::string(kBus) + address, "../../../" + folder.substr(4));
    for (const auto& [name, folder] : classes_) tree.put_link(name, "/" + folder);
    for (const auto& [name, folder] : names_)
      if (name != place(name)) tree.put_link(name, "/" + place(folder));
  }

 private:
  using Names = std::map<std::string, std::string, std::less<>>;

  /// The path with the longest of these folders in front replaced.
  static std::string renamed(const std::string& path, const Names& names) {
    if (names.empty()) return path;
    const auto ends = ends_of(path);
    for (auto end = ends.rbegin(); end != ends.rend(); ++end)
      if (const auto found = names.find(std::string_view(path).substr(0, *end));
          found != names.end())
        return found->second + path.substr(*end);
    return path;
  }

  Names folders_;  ///< address to folder
  Names names_;    ///< folder to the function that it is
  Names classes_;  ///< device of a class to its folder
};

/// "10DE:2330" as "0x10de" and "0x2330".
void put_ids(MemoryTree& tree, const std::string& folder, std::string_view ids,
             std::string_view prefix) {
  const std::size_t colon = ids.find(':');
  const auto vendor = parse_int(ids.substr(0, colon), 16);
  const auto device = colon == ids.npos ? std::nullopt : parse_int(ids.substr(colon + 1), 16);
  if (!vendor || !device || *vendor < 0 || *device < 0) return;
  const bool is_subsystem = !prefix.empty();
  tree.put_file(fmt::format("{}/{}vendor", folder, prefix), fmt::format("0x{:04x}\n", *vendor));
  tree.put_file(fmt::format("{}/{}device", folder, is_subsystem ? prefix : ""),
                fmt::format("0x{:04x}\n", *device));
}

/// What a uevent file says of a function, as the files say it that the text may lack
/// [linux drivers/pci/pci-driver.c, pci_uevent].
void put_uevent(MemoryTree& tree, const std::string& folder, const std::string& text) {
  if (!parse_pci_address(last_name(folder))) return;
  const auto class_code = value_of(text, "PCI_CLASS");
  const auto code = class_code ? parse_int(*class_code, 16) : std::nullopt;
  if (code && *code >= 0 && *code <= 0xffffff)
    tree.put_file(folder + "/class", fmt::format("0x{:06x}\n", *code));
  if (const auto ids = value_of(text, "PCI_ID")) put_ids(tree, folder, *ids, "");
  if (const auto ids = value_of(text, "PCI_SUBSYS_ID")) put_ids(tree, folder, *ids, "subsystem_");
  if (const auto driver = value_of(text, "DRIVER"))
    tree.put_link(folder + "/driver", "/sys/bus/pci/drivers/" + std::string(last_name(*driver)));
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

bool ShownFiles::has_one_line(std::string_view path) {
  const std::string_view name = last_name(path);
  return name != "uevent" && !name.starts_with("aer_dev_") && name != "resource" &&
         name != "meminfo" && name != "status" && path.starts_with("sys/");
}

bool ShownFiles::room_for(const std::string& path, std::size_t bytes) {
  const bool is_new = !files_.contains(path) && !errors_.contains(path);
  const std::size_t size = bytes + (is_new ? path.size() : 0);
  if (bytes_ + size > kMaxBytes || (is_new && files_.size() + errors_.size() >= kMaxFiles))
    return false;
  bytes_ += size;
  return true;
}

void ShownFiles::see(const std::string& path) {
  if (room_for(path, 0)) files_.try_emplace(path);
}

void ShownFiles::add_line(const std::string& path, std::string_view line) {
  if (!room_for(path, line.size() + 1)) return;
  std::string& text = files_[path];
  if (has_one_line(path)) text.clear();
  if (text.size() + line.size() < kMaxFileBytes) text.append(line).push_back('\n');
}

void ShownFiles::fail(const std::string& path, const Error& error) {
  if (room_for(path, 0)) errors_.try_emplace(path, error);
}

void ShownFiles::merge(ShownFiles&& later) {
  for (auto& [path, text] : later.files_) {
    if (text.empty())
      see(path);
    else if (room_for(path, text.size()))
      files_[path] = std::move(text);
  }
  for (auto& [path, error] : later.errors_) fail(path, error);
}

std::shared_ptr<const MemoryTree> ShownFiles::tree() const {
  Places places;
  for (const auto& [path, text] : files_) {
    places.learn_path(folder_of(path));
    places.learn_path(path);
    places.learn_uevent(path, text);
  }
  for (const auto& [path, text] : files_) places.learn_class(path);
  auto tree = std::make_shared<MemoryTree>();
  places.put_links(*tree);
  KeptErrors errors;
  for (const auto& [path, error] : errors_)
    if (!files_.contains(path)) errors.emplace(places.place(path), error);
  for (const auto& [path, error] : errors) tree->put_file(path, {});
  for (const auto& [path, text] : files_) {
    const std::string placed = places.place(path);
    if (parse_pci_address(last_name(placed)))
      tree->put_folder(placed);
    else
      tree->put_file(placed, text);
  }
  for (const auto& [path, text] : files_)
    if (path.ends_with("/uevent")) put_uevent(*tree, folder_of(places.place(path)), text);
  if (!errors.empty()) tree->put_file(kErrorsFile, to_text(errors));
  return tree;
}

}  // namespace linkburn
