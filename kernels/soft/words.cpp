#include "kernels/soft/words.h"

#include <algorithm>

#include "bench/drill/model.h"

namespace linkburn::soft {
namespace {

std::uint32_t load(const std::uint32_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

bool opens(const Session& session, const Gate& gate, const drill::Op& op) {
  if ((load(gate.word) == gate.value) != gate.any_but) return true;
  const bool begun = op.start_ns > 0;
  return begun && gate.limit_ns != drill::kNever && session.now_ns() >= op.start_ns + gate.limit_ns;
}

}  // namespace

int Words::cell(Session& session, std::uint32_t* word) {
  const auto known = cells_.find(word);
  if (known != cells_.end()) return known->second;
  const int cell = drill::open_cell(session.state(), session.process());
  if (cell < 0) return -1;
  cells_[word] = cell;
  drill::write_cell(session.state(), cell, load(word));
  return cell;
}

bool Words::look(Session& session) {
  drill::State& state = session.state();
  for (const auto& [word, cell] : cells_) {
    const std::uint32_t value = load(word);
    if (state.cells[static_cast<std::size_t>(cell)].value != value)
      drill::write_cell(state, cell, value);
  }
  std::erase_if(gates_, [&](const Gate& gate) {
    const drill::Op* op = drill::find_op(state, gate.stream, gate.seq);
    if (op == nullptr || op->failed) return true;
    if (!opens(session, gate, *op)) return false;
    drill::open_gate(state, gate.stream, gate.seq);
    return true;
  });
  return !gates_.empty() || !cells_.empty();
}

void Words::forget(Session& session, const std::byte* begin, std::size_t bytes) {
  const std::byte* end = begin + bytes;
  const auto inside = [&](const std::uint32_t* word) {
    const auto* at = reinterpret_cast<const std::byte*>(word);
    return at >= begin && at < end;
  };
  std::erase_if(cells_, [&](const auto& entry) {
    if (!inside(entry.first)) return false;
    drill::close_cell(session.state(), entry.second);
    return true;
  });
  std::erase_if(gates_, [&](const Gate& gate) { return inside(gate.word); });
}

}  // namespace linkburn::soft
