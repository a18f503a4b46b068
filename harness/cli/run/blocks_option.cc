#include "harness/cli/run/blocks_option.h"

#include <limits>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/store/added.h"
#include "harness/study/matrix/matrix.h"
#include "harness/text/quantity.h"

namespace scalestudy {

std::optional<std::pair<std::int64_t, std::int64_t>> read_blocks(const std::string& text,
                                                                 const Study& study,
                                                                 const Store& store) {
  if (text.empty()) {
    return std::nullopt;
  }
  if (study.trials.until || study.trials.is_for_verdicts || study.search) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--blocks {}: study {} stops by what its trials say (trials.until, "
                            "trials.for, search), "
                            "which a part of them cannot; give a number of trials instead",
                            text,
                            study.name));
  }
  const std::int64_t count = block_count(expand(with_additions(study, store)));
  const std::size_t dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last < *first || *last > count) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "--blocks {}: give a block, or FIRST-LAST, of the study's 1 to {}", text, count));
  }
  return std::pair(*first - 1, *last - 1);
}

double settle_budget_s(const std::string& text) {
  if (text.empty() || text == "true") {
    return std::numeric_limits<double>::infinity();
  }
  const Quantity asked = parse_duration_s(text);
  if (!asked.value || !(*asked.value > 0.0)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--settle={}: needs a duration above 0, e.g. 20min", text));
  }
  return *asked.value;
}

}  // namespace scalestudy
