// The site file of a run: which one is in force, and writing one from a node that is good.
#pragma once

#include <optional>
#include <string>

#include "bench/base/result.h"
#include "report/evidence/record.h"
#include "report/verdict.h"

namespace linkburn {

/// Taken on a live node when no --site is given and the file exists.
inline constexpr const char* kDefaultSiteFile = "/etc/linkburn/site.toml";
/// The word that switches site files off.
inline constexpr const char* kNoSiteFile = "none";

/// What --site says, read and checked; nothing when no site file is in force.
Result<std::optional<SiteText>> site_in_force(const std::string& option, bool live_node);

/// Gives the places in discovery's records the names that the site has for them.
void name_slots(const SiteText& text, const std::string& node, std::vector<Body>& records);

/// A site file that describes this node as it is. Fails when the node is not good.
Result<std::string> write_site(const Evidence& evidence, const Verdict& verdict);

/// Fails when there is something at this path already; an empty path is none.
Status check_new_file(const std::string& path);

/// Puts a site file where there is none yet.
Status save_site(const std::string& path, const std::string& text);

}  // namespace linkburn
