// What the rules over the kernel log have in common: whose line it is, and how it is told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/rules/rule.h"

namespace linkburn {

/// NVIDIA's number for a GPU that has fallen off the bus [NVIDIA open-gpu-kernel-modules,
/// nverror.h].
inline constexpr int kXidOffTheBus = 79;

using LogLines = std::vector<Seen<KernelLine>>;

/// The device does not answer, or its link is down, when this line is written.
bool says_gone(const KernelLine& line);

/// What a line about this component concerns: the device end of a link for either end and for all
/// functions of a device. Where no link was read, for a port the device below it, when its way up
/// is known and there is only one.
ComponentId subject_of(const Story& story, const ComponentId& id);

/// The lines that `wanted` accepts, by the component that they concern. In the order of their
/// times. Lines that name nothing are left out.
std::map<ComponentId, LogLines> lines_by_subject(const Story& story,
                                                 bool (*wanted)(const KernelLine& line));

/// Nothing is known of the node but its log, or what its log tells of devices and wiring: there is
/// no inventory to compare with.
bool is_log_alone(const Story& story);

/// The inventory is what somebody pasted, or there is none: what it does not list can be there.
bool may_lack_devices(const Story& story);

/// The inventory lists this component, or an end of a link by this name.
bool is_listed(const Story& story, const ComponentId& id);

/// The log names a device that the inventory does not: hidden, removed, or a name that no device
/// ever had. Then says so in `not_judged`.
bool is_stranger(const Story& story, const ComponentId& id, const LogLines& lines, RuleOutput& out);

/// True: its link registers could be read, or it was found again after the log last said that it
/// was gone. False: it does not answer, or its link is down. Nothing: there is no telling.
std::optional<bool> answers_now(const Story& story, const ComponentId& id);

/// "kernel log, 74889 s after boot: NVRM: Xid ..."; with a wall time where the log has no other.
std::string quote(const KernelLine& line);

/// A finding about what these lines say; at least one.
Finding log_finding(const Story& story, const ComponentId& id, std::string code, FindingClass cls,
                    Aspect aspect, const LogLines& lines);

}  // namespace linkburn
