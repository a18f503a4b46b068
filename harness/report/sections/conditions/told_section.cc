// Which parts of the details have something to tell: a law of two device counts, a prediction that
// came out as predicted or memory that stays the same is nothing to read about.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/answer/projection_answer.h"
#include "harness/report/answer/target_answers.h"
#include "harness/report/input/estimates.h"
#include "harness/report/rules/lint.h"
#include "harness/report/sections/sections.h"
#include "harness/study/declared/words.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

bool has_value(const ReportInput& input, const char* metric) {
  return std::ranges::any_of(input.results.estimates, [&](const EstimateRow& row) {
    return row.metric == metric && row.value;
  });
}

bool tells_laws(const ReportInput& input) {
  return std::ranges::any_of(input.results.laws,
                             [](const LawRow& row) { return row.levels >= kFewestLawLevels; });
}

bool tells_volumes(const ReportInput& input) {
  constexpr double as_predicted = 0.01;
  const bool is_asked = input.declared.report_template == to_word(ReportKind::kProjection);
  return std::ranges::any_of(input.results.volumes, [&](const VolumeRow& row) {
    return row.quantity != kLinkRate &&
           (is_asked || (row.ratio && std::abs(*row.ratio - 1.0) > as_predicted));
  });
}

// Time in the kernel counts from a tenth of the CPU time on, by the lower end of its interval.
bool tells_usage(const ReportInput& input) {
  constexpr double much = 0.1;
  constexpr std::array asked = {"power_w",
                                "loading_share",
                                "preprocessing_share",
                                "gpu_busy_share",
                                "memory_share",
                                "link_share",
                                "declared_link_share"};
  return std::ranges::any_of(asked, [&](const char* metric) { return has_value(input, metric); }) ||
         std::ranges::any_of(input.results.estimates, [](const EstimateRow& row) {
           return row.metric == "system_share" && row.lo && *row.lo > much;
         });
}

// A device's memory is worth a table if the study compares it, if a GPU's driver counted it, if the
// largest model that fits it is known, or if a cell takes a quarter more or less than its base.
bool tells_memory(const ReportInput& input) {
  constexpr double much = 1.25;
  const auto peak = [&](const CellRow& cell) {
    return measure_of(input.estimate(cell.id, names::kPeakBytes)).value.value_or(0.0);
  };
  return has_value(input, "driver_memory_bytes") || has_value(input, "largest_layers") ||
         std::ranges::any_of(
             input.declared.analysis.metrics,
             [](const MetricRequest& request) { return request.metric == names::kPeakBytes; }) ||
         std::ranges::any_of(pairs_of(input), [&](const Pair& pair) {
           const double most = std::max(peak(*pair.cell), peak(*pair.base));
           const double least = std::min(peak(*pair.cell), peak(*pair.base));
           return least > 0.0 && most > much * least;
         });
}

// "n/a" in every row says that nothing could overlap.
bool tells_overlap(const ReportInput& input) {
  return has_value(input, "overlap_efficiency");
}

// Cells known to within 5 % need no table, unless the study stops at a precision.
bool tells_precision(const ReportInput& input) {
  constexpr double well = 0.05;
  return input.declared.trials.until.has_value() ||
         std::ranges::any_of(input.cells, [&](const CellRow& cell) {
           const EstimateRow* time = input.estimate(cell.id, names::kStepTime);
           return cell.role == CellRole::kMeasured && time != nullptr && time->lo && time->hi &&
                  time->value && *time->hi - *time->lo > 2.0 * well * *time->value;
         });
}

// What was expected names each target once; a table adds the cells of those that have several.
bool tells_targets(const ReportInput& input) {
  return input.results.targets.size() > distinct_targets(input).size();
}

// Disturbed trials matter if a cell's time moves by a quarter of its half-width without them.
bool tells_disturbed(const ReportInput& input) {
  return std::ranges::any_of(input.results.estimates, [&](const EstimateRow& row) {
    if (row.variant != Variant::kUndisturbed || !row.value) {
      return false;
    }
    const EstimateRow* with =
        input.estimate(row.cell_id, row.metric, row.statistic, Variant::kWithDisturbed);
    return with != nullptr && with->value && with->lo && with->hi &&
           std::abs(*with->value - *row.value) > (*with->hi - *with->lo) / 8.0;
  });
}

// One or two break-evens are told in a sentence each.
bool tells_thresholds(const ReportInput& input) {
  return input.results.thresholds.size() > 2;
}

bool tells_lint(const ReportInput& input) {
  return std::ranges::any_of(
      lint(input), [](const LintResult& result) { return result.state == LintState::kBroken; });
}

// Without further metrics a technique's speedup stands in the table of pairs already.
bool tells_techniques(const ReportInput& input) {
  return !input.declared.analysis.metrics.empty();
}

// "[Projection](#projection) and [Scenarios](#scenarios)": what has numbers that no trial measured.
std::string unmeasured(const ReportInput& input) {
  const auto has_rows = [&](bool are_scenarios) {
    return std::ranges::any_of(input.results.projections, [&](const ProjectionRow& row) {
      return (row.provenance == Provenance::kScenario) == are_scenarios;
    });
  };
  const bool has_volumes = std::ranges::any_of(
      input.results.volumes, [](const VolumeRow& row) { return row.quantity != kLinkRate; });
  std::vector<std::string> parts = {
      input.publications.empty() ? "" : "[Published figures](#published-figures)",
      has_rows(false) ? "[Projection](#projection)" : "",
      has_rows(true) ? "[Scenarios](#scenarios)" : "",
      has_volumes && (input.is_full || tells_volumes(input))
          ? "the column \"By first principles\" of [First principles](#first-principles)"
          : "",
      projection_text(input).empty() ? "" : fmt::format("the line \"{}\"", kProjectedLine)};
  std::erase(parts, "");
  return join_words(parts);
}

struct Told {
  const char* tag;
  bool (*is_told)(const ReportInput& input);
  const char* meaning;
};
constexpr std::array kTold = {
    Told{"tells_laws", tells_laws, "a law rests on three device counts or more"},
    Told{"tells_volumes", tells_volumes, "first principles are off by more than 1 %, or asked for"},
    Told{"tells_usage",
         tells_usage,
         "energy, loading, GPUs or links were told, or the kernel takes a tenth"},
    Told{"tells_memory", tells_memory, "memory is compared, told by a driver, or differs by 25 %"},
    Told{"tells_overlap", tells_overlap, "some communication could overlap"},
    Told{"tells_precision", tells_precision, "some cell is known to less than 5 %"},
    Told{"tells_techniques", tells_techniques, "techniques are compared by more than their speed"},
    Told{"tells_lint", tells_lint, "some rule of reporting is broken"},
    Told{"tells_disturbed", tells_disturbed, "disturbed trials move the time of some cell"},
    Told{"tells_thresholds", tells_thresholds, "there are three break-evens or more"},
    Told{"tells_targets", tells_targets, "some target is about several cells"}};

}  // namespace

Section told_section() {
  Tags tags;
  for (const Told& told : kTold) {
    tags.push_back({told.tag, TagKind::kFlag, told.meaning});
  }
  tags.push_back({"unmeasured",
                  TagKind::kText,
                  "what has numbers that were not measured, as Markdown ({{{unmeasured}}})"});
  return {tags, [](View& view, const ReportInput& input, const Figures&) {
            view.set_text("unmeasured", unmeasured(input));
            for (const Told& told : kTold) {
              view.set_flag(told.tag, input.is_full || told.is_told(input));
            }
          }};
}

}  // namespace scalestudy::report
