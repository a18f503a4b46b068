// Units as programs print them beside a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// A unit that is known to be one: "ms", "seconds", "s/it", "s/10it", "tokens/s", "Hz", "GiB",
// "MB/s".
struct PrintedUnit {
  enum class Kind { kTime, kTimePer, kPerTime, kSize, kSizePerTime };

  Kind kind = Kind::kTime;
  double factor = 1.0;  // in s, s per something, something per s, bytes, bytes/s
};

// Absent for a text that is none.
std::optional<PrintedUnit> parse_printed_unit(std::string_view text);

// Whether a number of this name is a time: ", time ", "dt=", "latency: ".
bool names_time(std::string_view words);

// Whether the word after a number names the next one: " samples/sec" of "1.22 samples/sec: 203",
// " ms/step" of "loss 2.3 ms/step 105". Before a number without a colon it may be the unit of the
// one before: if that has no other name, is called a time and may be one in this unit, or if the
// next one has its own unit.
// - name: what is before the number, of it alone; rest: what is after the word.
// - is_column: whether a tab or two blanks are before the word: then a size is no unit of a time.
bool is_next_label(std::string_view name,
                   std::string_view word,
                   std::string_view rest,
                   bool is_column = false);

// Throws BadNumber if a known unit stands behind the number, "1250ms", or in the name before it,
// "time (ms): 1250", "samples_per_sec: 12", and is another than the rule's; "86%" is not of unit 1.
// A word that is the label of the next number is no unit of this one. What may be the label of the
// next column is none if `known` begins with it.
// - known: what the pattern itself has behind the number and blanks.
void refuse_other_unit(std::string_view before,
                       std::string_view number,
                       std::string_view behind,
                       const ExtractRule& rule,
                       std::string_view known = {});

}  // namespace scalestudy
