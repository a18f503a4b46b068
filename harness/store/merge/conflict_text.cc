#include "harness/store/merge/conflict_text.h"

#include <algorithm>

#include "harness/text/text.h"

namespace scalestudy {

std::string differences_text(const std::vector<std::string>& lines) {
  if (lines.empty()) {
    return "its secrets differ, or a text or hash was changed";
  }
  const auto all_of = [&](const char* section) {
    return std::ranges::all_of(lines, [&](const auto& line) { return line.starts_with(section); });
  };
  const std::string what = all_of("axes.")     ? "all values"
                           : all_of("limits.") ? "the same limits"
                                               : "";
  return join(lines, "; ") + (what.empty()
                                  ? ""
                                  : ". Write " + what +
                                        " into one study file, run it in each of the folders with "
                                        "`scalestudy --results FOLDER run FILE --accept-changes "
                                        "--max-trials 1`, and merge again");
}

}  // namespace scalestudy
