#include "bench/site_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "bench/base/fd.h"
#include "bench/base/toml_table.h"
#include "report/ratings/site.h"

namespace linkburn {
namespace {

/// Room for a cluster of thousands of nodes; the text goes into the evidence of each run.
constexpr std::size_t kMostBytes = 1 << 20;

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error;
}

}  // namespace

Result<std::optional<SiteText>> site_in_force(const std::string& option, bool live_node) {
  if (option == kNoSiteFile) return std::optional<SiteText>();
  std::string file = option;
  if (file.empty() && live_node && exists(kDefaultSiteFile)) file = kDefaultSiteFile;
  if (file.empty()) return std::optional<SiteText>();
  auto text = read_input_file(file, "site file", kMostBytes);
  if (!text) return text.error();
  // Whose node it is does not matter here: every block is checked.
  if (const auto site = read_site(*text, file, ""); !site) return site.error();
  return std::optional(SiteText{file, std::move(*text)});
}

void name_slots(const SiteText& text, const std::string& node, std::vector<Body>& records) {
  const auto site = read_site(text.text, text.file, node);
  if (!site) return;
  const auto name = [&](const ComponentId& device, std::optional<Slot>& place) {
    if (const auto sticker = site->slot_name(device, place)) place = renamed(place, *sticker);
  };
  for (Body& record : records) {
    if (auto* link = std::get_if<Link>(&record)) name(link->component, link->slot);
    if (auto* component = std::get_if<Component>(&record))
      name(component->component, component->slot);
  }
}

Status check_new_file(const std::string& path) {
  if (path.empty() || !exists(path)) return {};
  return Error{Code::invalid, "the site file is there already", path,
               "it is not overwritten: give another name"};
}

Status save_site(const std::string& path, const std::string& text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd)
    return errno_error(
        errno, "cannot create the site file", path,
        errno == EEXIST ? "it is there already and is not overwritten" : "give a writable place");
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int number = errno;
      ::unlink(path.c_str());
      return errno_error(number, "cannot write the site file", path, "free some space");
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace linkburn
