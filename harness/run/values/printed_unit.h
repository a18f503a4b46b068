// Units as programs print them beside a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// A unit that is known to be one: "ms", "seconds", "s/it", "s/10it", "tokens/s", "GiB", "MB/s".
struct PrintedUnit {
  enum class Kind { kTime, kTimePer, kPerTime, kSize, kSizePerTime };

  Kind kind = Kind::kTime;
  double factor = 1.0;  // in s, s per something, something per s, bytes, bytes/s
};

// Absent for a text that is none.
std::optional<PrintedUnit> parse_printed_unit(std::string_view text);

// Throws BadNumber if a known unit stands behind the number, "1250ms", or in the name before it,
// "time (ms): 1250", "samples_per_sec: 12", and is another than the rule's. A word that is the
// label of the next number is no unit of this one.
void refuse_other_unit(std::string_view before,
                       std::string_view number,
                       std::string_view behind,
                       const ExtractRule& rule);

}  // namespace scalestudy
