// Sizes in memory, as tables have them.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "harness/text/number.h"

namespace scalestudy::report {

// Bytes as a number of MiB, "7.5"; "" where they are not known.
inline std::string mebibytes(std::optional<double> bytes) {
  return bytes ? format_plain(*bytes / std::exp2(20.0)) : "";
}

}  // namespace scalestudy::report
