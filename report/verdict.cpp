#include "report/verdict.h"

#include <algorithm>

namespace linkburn {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "PASS";
    case Outcome::fail:
      return "FAIL";
    case Outcome::incomplete:
      break;
  }
  return "INCOMPLETE";
}

}  // namespace linkburn
