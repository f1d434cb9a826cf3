#include "report/rules/views.h"

#include <fmt/core.h>

#include <algorithm>

namespace linkburn {
namespace {

/// How near a source is to the registers. Text of lspci and files of sysfs are the same registers,
/// read and printed by others.
int nearness(std::string_view source) {
  if (source == "config") return 3;
  if (source == "lspci" || source == "files") return 2;
  return source == "nvidia-smi" ? 1 : 0;
}

std::string name_of(const EndView& view) {
  if (view.source == "config") return "the bytes of config space";
  if (view.source == "lspci") return "the text of lspci";
  if (view.source == "files") return "the files of sysfs";
  return view.source == "kernel log" ? "the kernel log" : view.source;
}

std::optional<LinkWidth> lanes(std::optional<LinkWidth> width) {
  return width && is_lane_count(*width) ? width : std::nullopt;
}

/// The driver's maximum is that of this GPU in this system, which can be less than the GPU's own.
template <class T>
bool differs(const EndView& believed, const EndView& other, std::optional<T> a, std::optional<T> b,
             bool is_maximum) {
  if (!a || !b || *a == *b) return false;
  return !(is_maximum && other.source == "nvidia-smi" && believed.source != other.source &&
           *b < *a);
}

/// "link width x8 (the text of lspci: x16)"
template <class T>
void note(std::string& words, std::string_view what, const EndView& other, std::optional<T> a,
          std::optional<T> b) {
  words += fmt::format("{}{} {} ({}: {})", words.empty() ? "" : ", ", what, to_string(*a),
                       name_of(other), to_string(*b));
}

std::string why(const EndView& believed, const EndView& other) {
  if (nearness(believed.source) == nearness(other.source))
    return believed.source == other.source ? "which was captured first"
                                           : "which is as good as the other";
  return believed.source == "config" ? "which are what the device itself said"
                                     : "which is nearer to the registers";
}

/// What the views of one end say otherwise than the one that is believed.
void compare(const LinkEnd& end, std::optional<LinkWidth> rated, Disagreement& found) {
  if (end.views.size() < 2) return;
  const EndView& believed = end.views.front();
  for (auto other = end.views.begin() + 1; other != end.views.end(); ++other) {
    const auto width = lanes(believed.width), other_width = lanes(other->width);
    const bool by_width = differs(believed, *other, width, other_width, false);
    const bool by_max_width =
        differs(believed, *other, lanes(believed.max_width), lanes(other->max_width), true);
    const bool by_max_speed = differs(believed, *other, believed.max_speed, other->max_speed, true);
    if (!by_width && !by_max_width && !by_max_speed) continue;
    std::string words;
    if (by_width) note(words, "link width", *other, width, other_width);
    if (by_max_width) note(words, "maximum width", *other, believed.max_width, other->max_width);
    if (by_max_speed) note(words, "maximum speed", *other, believed.max_speed, other->max_speed);
    found.words +=
        fmt::format("{}the sources disagree; believed: {}, {}: {}", found.words.empty() ? "" : "; ",
                    name_of(believed), why(believed, *other), words);
    if (nearness(believed.source) != nearness(other->source)) continue;
    const auto full = [](std::optional<LinkWidth> value, std::optional<LinkWidth> most) {
      return value && most && *value >= *most;
    };
    found.width_open =
        found.width_open || (by_width && full(width, rated) != full(other_width, rated)) ||
        (by_max_width && full(width, lanes(believed.max_width)) !=
                             full(other_width ? other_width : width, lanes(other->max_width)));
    found.speed_open = found.speed_open || by_max_speed;
  }
}

/// Two ends of one link have one width. Where they were captured apart, one of them is old news.
void compare_ends(const Story& story, const Link& link, std::optional<LinkWidth> rated,
                  Disagreement& found) {
  const auto device = lanes(link.device_end.width), port = lanes(link.peer_end.width);
  if (!story.is_captured() || !device || !port || *device == *port || !rated) return;
  if (nearness(link.device_end.source) == nearness(link.peer_end.source))
    found.width_open = found.width_open || (*device >= *rated) != (*port >= *rated);
}

}  // namespace

std::optional<Disagreement> disagreement(const Story& story, const Link& link,
                                         std::optional<LinkWidth> rated) {
  Disagreement found;
  compare(link.device_end, rated, found);
  compare(link.peer_end, rated, found);
  compare_ends(story, link, rated, found);
  if (found.words.empty() && !found.width_open) return std::nullopt;
  return found;
}

std::string disagreement_text(const Story& story, const Link& link,
                              std::optional<LinkWidth> rated) {
  const auto found = disagreement(story, link, rated);
  return found && !found->words.empty() ? "; " + found->words : "";
}

std::optional<LinkSpeed> fastest_view(const Link& link) {
  std::optional<LinkSpeed> fastest;
  for (const LinkEnd* end : {&link.device_end, &link.peer_end})
    for (const EndView& view : end->views)
      if (view.speed && (!fastest || *view.speed > *fastest)) fastest = view.speed;
  return fastest;
}

}  // namespace linkburn
