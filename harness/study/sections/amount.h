// An amount of a metric in a study file, in the metric's unit: "250 MB", "5ms", "80%", "1.7".
#pragma once

#include <optional>
#include <string>

#include "harness/study/declared/study.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

enum class Bare {
  kRefused,  // sizes and times need their unit
  kTaken,    // a number without one is in the store's unit; a step time needs its unit
};

// The key's value in the unit that the store has for the metric. A unit that is not the metric's is
// reported; what an extract rule gives in a unit of its own may repeat that.
std::optional<double> read_amount(Fields& fields,
                                  const std::string& key,
                                  const std::string& metric,
                                  const Study& study,
                                  Bare bare);

}  // namespace scalestudy
