// Reports made by hand: small, one per situation that a renderer must get right.
#pragma once

#include <string>

#include "report/render/renderer.h"

namespace linkburn::samples {

/// "0000:BB:00.0" and its port "0000:PP:00.0".
ComponentId device(int bus);

/// A link of 16.0 GT/s x16 at both ends, running at it, below port `device(0x10 + bus)`.
Link link(int bus);

/// Evidence of a finished run of profile smoke: two GPUs with their links, numa0, one RDMA port.
Evidence node(const std::string& name);

Finding finding(FindingClass cls, int bus);

/// GPU 1b:00.0 in slot 7 came up with 8 of 16 lanes.
Finding narrow_link();

/// A RoCE port on an interface in a bond, and a spare interface without a cable.
void add_roce(Evidence& evidence);
Finding slow_port();  ///< about that port

Report pass();
Report fail();
Report incomplete();
Report drill();
Report no_links();
Report several_nodes();

/// Texts of a node: a lone end of a link, two GPUs of which one misses links, rates of a benchmark,
/// lines that nobody knew, and a finding with the commands that would settle it.
Report captured();

/// Control characters, invalid UTF-8, escape sequences and very long texts in every field.
Report hostile();

/// Appends with the next record number.
void add(Evidence& evidence, Body body);

Reading reading(const ComponentId& id, const std::string& quantity, double value, Phase phase);

std::string rendered(std::string_view name, const Report& report, RenderOptions options = {});

}  // namespace linkburn::samples
