// What the library keeps of one process besides the world's state: its contexts, memory, streams,
// events and modules. Touched inside a Call only (session.h).
#pragma once

namespace linkburn::soft {

struct Cuda {};

}  // namespace linkburn::soft
