// A renderer: verdict and evidence to one output format. Pure; the caller decides where it goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/evidence/record.h"
#include "report/verdict.h"

namespace linkburn {

/// What is rendered: one verdict over one or more nodes, and the evidence it came from.
struct Report {
  Verdict verdict;
  std::vector<Evidence> nodes;
};

struct RenderOptions {
  bool colour = false;  ///< text only; colour never carries meaning alone
  int columns = 100;
};

struct Renderer {
  std::string_view name;     ///< as in --format NAME
  std::string_view purpose;  ///< one line for --help
  std::string (*render)(const Report& report, const RenderOptions& options);
};

}  // namespace linkburn
