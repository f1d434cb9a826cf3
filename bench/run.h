// The commands that follow the line: discover, plan, run, judge, conclude, render.
#pragma once

#include "bench/base/sysroot.h"
#include "bench/session.h"

namespace linkburn {

/// What may be loaded: this machine, or from within a drill its tree alone, `drill_tree`
/// (session.h). A captured tree has no links to load.
Status check_run_root(const Sysroot& root, const std::string& drill_tree);

/// `linkburn run PROFILE`: active, this node. Returns the exit code.
int run_command(const Session& session);

/// `linkburn inspect`: passive, this node or a captured tree.
int inspect_command(const Session& session);

/// `linkburn report EVIDENCE...`: judge again and render.
int report_command(const Session& session);

}  // namespace linkburn
