// Driver files of a captured tree, where nothing can hang.
#include <map>
#include <memory>

#include "bench/inventory/inventory.h"

namespace linkburn {
namespace {

// Each holds the descriptors of its whole path, some fifteen.
constexpr std::size_t kMaxFolders = 32;

/// Folders that were read from: files are asked for folder by folder, and most of a read is the way
/// to the folder.
class Folders {
 public:
  explicit Folders(const Sysroot& root) : root_(root) {}

  Result<std::string> read(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return root_.read(path);
    const auto folder = at(path.substr(0, slash));
    if (!folder) return folder.error();
    return folder->read(path.substr(slash + 1));
  }

 private:
  Result<Sysroot> at(const std::string& path) {
    if (const auto known = known_.find(path); known != known_.end()) return known->second;
    const std::size_t slash = path.rfind('/');
    auto folder = slash == std::string::npos
                      ? root_.below(path)
                      : below(at(path.substr(0, slash)), path.substr(slash + 1));
    if (known_.size() >= kMaxFolders) known_.clear();
    known_.emplace(path, folder);
    return folder;
  }

  static Result<Sysroot> below(const Result<Sysroot>& parent, const std::string& name) {
    if (!parent) return parent.error();
    return parent->below(name);
  }

  const Sysroot& root_;
  std::map<std::string, Result<Sysroot>> known_;
};

}  // namespace

DriverFiles read_directly(const Sysroot& root) {
  return [folders = std::make_shared<Folders>(root)](const std::string& path) {
    return folders->read(path);
  };
}

}  // namespace linkburn
