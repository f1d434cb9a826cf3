// 32-bit words of memory that streams wait for or write. What a stream writes the model knows at
// once, as a cell; what the host stores it learns when the program calls in, or, while the program
// waits in a call, every 100 us.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/soft/session.h"

namespace linkburn::soft {

/// A gate in a stream that opens when the word is as it shall be, or after a time.
struct Gate {
  int stream = -1;
  std::uint64_t seq = 0;
  const std::uint32_t* word = nullptr;
  std::uint32_t value = 0;
  bool any_but = false;                   ///< opens when the word is not `value`
  std::int64_t limit_ns = drill::kNever;  ///< counted from when the stream came to it
};

class Words {
 public:
  /// The cell that stands for this word, made when there is none; -1: no room.
  int cell(Session& session, std::uint32_t* word);
  void add(const Gate& gate) { gates_.push_back(gate); }

  /// Tells the model what the words hold now. True: the host may still have to store something that
  /// a stream waits for.
  bool look(Session& session);
  /// This memory is about to go.
  void forget(Session& session, const std::byte* begin, std::size_t bytes);

 private:
  std::map<std::uint32_t*, int> cells_;
  std::vector<Gate> gates_;
};

}  // namespace linkburn::soft
