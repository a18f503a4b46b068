#include "harness/import/runs/column_meaning.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/run/values/line_extractor.h"
#include "harness/run/values/printed_unit.h"
#include "harness/study/parameters/metrics.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

[[noreturn]] void refuse(const std::string& entry, const std::string& message) {
  throw Error(ErrorKind::kUsage, fmt::format("--map {}: {}", entry, message));
}

// The last '=' separates, as in the map of published figures.
Meaning parse_meaning(const std::string& entry,
                      const RunsRequest& request,
                      const CellFinder& finder) {
  const std::size_t equals = entry.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
    refuse(entry, "COLUMN=MEANING or COLUMN=METRIC:UNIT is required");
  }
  const std::size_t colon = entry.find(':', equals);
  Meaning meaning;
  meaning.column = entry.substr(0, equals);
  meaning.word = entry.substr(equals + 1, colon == std::string::npos ? colon : colon - equals - 1);
  std::string unit = colon == std::string::npos ? "" : entry.substr(colon + 1);
  meaning.is_metric = meaning.word != kStepMeaning && !finder.has(meaning.word) &&
                      meaning.word != "run" && meaning.word != "block" &&
                      meaning.word != request.order;
  if (!meaning.is_metric) {
    if (!unit.empty()) {
      refuse(entry, "only a metric has a unit");
    }
    return meaning;
  }
  if (!protocol::is_name(meaning.word)) {
    refuse(entry, fmt::format("\"{}\" cannot be the name of a metric", meaning.word));
  }
  if (is_computed(meaning.word)) {
    refuse(entry,
           fmt::format("the analysis computes {0} itself: yours would not be compared. Call it "
                       "printed_{0}",
                       meaning.word));
  }
  if (unit.empty() &&
      (meaning.word.ends_with("_bytes") || meaning.word.ends_with("_bytes_per_s"))) {
    refuse(entry,
           fmt::format("write the unit of the column, as in {}:GB", meaning.word) +
               (meaning.word.ends_with("_s") ? "/s" : ""));
  }
  const bool is_time = meaning.word.ends_with("_time_s");
  ExtractRule rule;
  rule.metric = meaning.word;
  meaning.is_in_seconds = unit.empty() && is_time;
  meaning.has_means = unit.find('/') != std::string::npos;
  rule.unit = meaning.is_in_seconds ? "s" : unit;
  meaning.unit = stored_unit(rule);
  if (meaning.unit.is_rate || meaning.unit.needs_amount ||
      (meaning.unit.unit.empty() && !rule.unit.empty())) {
    refuse(entry,
           fmt::format("\"{}\" is not a unit of {}{}",
                       unit,
                       meaning.word,
                       is_time ? "; write s, ms or us" : ""));
  }
  return meaning;
}

}  // namespace

std::vector<Meaning> parse_map(const RunsRequest& request, const CellFinder& finder) {
  std::vector<Meaning> meanings;
  for (const std::string& entry : request.column_map) {
    Meaning meaning = parse_meaning(entry, request, finder);
    if (!meaning.is_metric &&
        std::ranges::find(meanings, meaning.word, &Meaning::word) != meanings.end()) {
      refuse(entry, fmt::format("another column is {} already", meaning.word));
    }
    meanings.push_back(std::move(meaning));
  }
  if (std::ranges::find(meanings, names::kStepTime, &Meaning::word) == meanings.end()) {
    throw Error(
        ErrorKind::kUsage,
        "--map: no column is mapped to step_time_s, e.g. --map 'perf/step_time=step_time_s:ms'");
  }
  return meanings;
}

bool names_other_unit(const std::string& column) {
  ExtractRule rule;
  rule.unit = "s";
  try {
    refuse_other_unit("\"" + column + "\": ", "1", "", rule);
  } catch (const BadNumber&) {
    return true;
  }
  return false;
}

}  // namespace scalestudy
