#include "harness/report/input/times_to.h"

#include <cmath>

#include <fmt/format.h>

#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {

std::string reached_text(const EstimateRow* reached) {
  return reached == nullptr
             ? ""
             : fmt::format(
                   "{:.0f} of {}",
                   std::round(reached->value.value_or(0.0) * static_cast<double>(reached->n)),
                   reached->n);
}

std::string median_text(const EstimateRow* median) {
  if (median == nullptr) {
    return "";
  }
  const Scale scale = scale_for("s", median->value.value_or(median->lo.value_or(1.0)));
  const std::string least =
      median->lo
          ? fmt::format("at least {} {}", format_plain(*median->lo * scale.factor), scale.unit)
          : "";
  if (!median->value) {
    return "not reached by half" + (least.empty() ? "" : "; " + least);
  }
  if (!median->hi && median->lo) {
    return fmt::format("{} {}, {}", format_plain(*median->value * scale.factor), scale.unit, least);
  }
  return format_interval(measure_of(*median),
                         {.factor = scale.factor, .unit = " " + scale.unit, .levels = {}});
}

}  // namespace scalestudy::report
