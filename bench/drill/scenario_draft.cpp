#include "bench/drill/scenario_draft.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "bench/drill/scenario_text.h"

namespace linkburn::drill {

int Draft::find(std::string_view name) const {
  const auto begin = state->functions.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(functions.size());
  const auto found =
      std::find_if(begin, end, [&](const Function& known) { return name == known.name.data(); });
  return found == end ? -1 : static_cast<int>(found - begin);
}

Error Draft::error(int line, std::string what) const {
  return {Code::invalid, std::move(what), fmt::format("{}:{}", source, line), {}};
}

std::shared_ptr<State> empty_state() {
  void* at = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check(at != MAP_FAILED, "no memory for the state of a scenario");
  return {static_cast<State*>(at), [](State* state) { ::munmap(state, sizeof(State)); }};
}

bool check_name(const Draft& draft, TableReader& table, const std::string& name) {
  if (draft.find(name) < 0) return true;
  table.fail(fmt::format("two devices are called '{}'", name));
  return false;
}

int add_function(Draft& draft, TableReader& table, const Function& function,
                 const std::string& name) {
  const std::size_t index = draft.functions.size();
  if (index == draft.state->functions.size()) {
    table.fail(fmt::format("more than {} PCI functions, ports among them", kMaxFunctions));
    return -1;
  }
  if (!check_name(draft, table, name)) return -1;
  Function& added = draft.state->functions[index];
  added = function;
  put_text(added.name, name);
  added.drift = 1;
  added.used = true;
  draft.functions.push_back({table.line(), {}});
  return static_cast<int>(index);
}

void train_link(Draft& draft, int index, const TrainedLink& link) {
  Function& function = draft.state->functions[index];
  const Function& port = draft.function(function.parent);
  function.target_gen = link.target_gen > 0 ? link.target_gen : port.port_gen;
  function.gen = std::min({function.cap_gen, port.port_gen, function.target_gen, link.most_gen});
  function.width = std::min({function.cap_width, port.port_width, link.most_width});
}

}  // namespace linkburn::drill
