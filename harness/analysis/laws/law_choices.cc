#include "harness/analysis/laws/law_choices.h"

#include <algorithm>
#include <vector>

#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/laws/law_finding.h"
#include "harness/analysis/laws/law_points.h"
#include "harness/analysis/laws/laws.h"
#include "harness/text/number.h"
#include "stats/law_choice.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

Law law_of(stats::StepLaw step_law) {
  for (const std::string& word : words_of<Law>()) {
    const Law law = *from_word<Law>(word);
    if (step_law_of(law) == step_law) {
      return law;
    }
  }
  return Law::kAmdahl;
}

// "; Amdahl's law does not apply: its serial fraction is outside of 0 to 1".
std::string describe_unfit(const std::vector<stats::StepLaw>& unfit) {
  std::string text;
  for (const stats::StepLaw law : unfit) {
    text +=
        "; " + law_name(law_of(law)) + " does not apply: its serial fraction is outside of 0 to 1";
  }
  return text;
}

// "; the trials reject Amdahl's law all the same, so it only approximates the curve"; "" if the
// rows of the curve say no such thing of the law.
std::string describe_rejected(Law law, const Curve& curve, const std::vector<LawRow>& fitted) {
  const bool is_rejected = std::ranges::any_of(fitted, [&](const LawRow& row) {
    return row.law == law && row.group_label == curve.label && row.status == RowStatus::kRejected;
  });
  return is_rejected ? "; the trials reject " + law_name(law) +
                           " all the same, so it only approximates the curve"
                     : "";
}

// Why a law was chosen although another has a smaller error; "" if none has.
std::string describe_preference(const stats::LawChoice& choice) {
  const double error =
      *std::ranges::find(choice.laws, *choice.chosen, &stats::HeldOutError::law)->error;
  const bool is_least = std::ranges::none_of(choice.laws, [&](const stats::HeldOutError& law) {
    return law.error && *law.error + stats::kErrorRounding < error;
  });
  return is_least ? ""
                  : "; it has the fewest parameters of the laws within one standard error of the "
                    "least error";
}

// - unfit: laws that were left out because they do not apply.
std::string describe_choice(const stats::LawChoice& choice,
                            const std::vector<stats::StepLaw>& unfit,
                            const Curve& curve,
                            const std::vector<LawRow>& fitted) {
  std::string others;
  std::string chosen;
  for (const stats::HeldOutError& law : choice.laws) {
    const std::string said =
        law_name(law_of(law.law)) + " " + (law.error ? say_error(*law.error) : "cannot be fitted");
    if (choice.chosen && law.law == *choice.chosen) {
      chosen = said;
    } else {
      others += (others.empty() ? "" : ", ") + said;
    }
  }
  if (choice.chosen) {
    return std::string(choice.laws.size() == 1 ? "the only law that applies"
                                               : "chosen among the laws that apply") +
           ", by the mean error at each of " + std::to_string(choice.counts) +
           " device counts when it is left out of the fit: " + chosen +
           (others.empty() ? "" : " (" + others + ")") + describe_preference(choice) +
           describe_rejected(law_of(*choice.chosen), curve, fitted) + describe_unfit(unfit);
  }
  if (choice.counts < stats::kFewestCounts) {
    return "no law may be chosen: " +
           format_count(static_cast<std::int64_t>(choice.counts), "distinct device count") + ", " +
           std::to_string(stats::kFewestCounts) + " needed";
  }
  return "no law may be chosen: none can be fitted with a count left out";
}

LawChoiceRow choice_row(const Curve& curve,
                        const LawPoints& points,
                        const stats::LawChoice& choice,
                        const std::vector<stats::StepLaw>& unfit,
                        const std::vector<LawRow>& fitted) {
  LawChoiceRow row;
  row.group_label = curve.label;
  row.levels = static_cast<std::int64_t>(points.levels.size());
  row.n = static_cast<std::int64_t>(points.trials.size());
  row.status = row_status(choice.status);
  row.finding = points.shares_blocks()
                    ? describe_choice(choice, unfit, curve, fitted)
                    : "no law may be chosen: no blocks hold its cells side by side";
  if (choice.chosen) {
    row.chosen = law_of(*choice.chosen);
    row.held_out_error =
        std::ranges::find(choice.laws, *choice.chosen, &stats::HeldOutError::law)->error;
  }
  return row;
}

LawRow error_row(const Curve& curve,
                 const LawPoints& points,
                 const stats::HeldOutError& error,
                 const Study& study) {
  LawRow row;
  row.law = law_of(error.law);
  row.group_label = curve.label;
  row.cells = cell_ids(curve);
  row.parameter = "held_out_error";
  row.value = error.error;
  row.confidence = study.analysis.confidence;
  row.method = "leave_counts_out";
  row.n = static_cast<std::int64_t>(points.trials.size());
  row.levels = static_cast<std::int64_t>(points.levels.size());
  row.status = row_status(error.status);
  row.trials = points.trials;
  std::ranges::sort(row.trials);
  return row;
}

}  // namespace

LawChoices choose_laws(const StudyObservation& observation,
                       const Study& study,
                       const Communication& communication,
                       const std::vector<LawRow>& fitted) {
  LawChoices all;
  const Scaling scaling = observation.study.scaling;
  const bool is_asked =
      std::ranges::any_of(study.analysis.laws, [](Law law) { return law != Law::kAlphaBeta; });
  if (!is_asked || scaling == Scaling::kNone) {
    return all;
  }
  for (const Curve& curve : curves_along(observation, names::kDevices)) {
    const LawPoints points = points_of(curve, observation, study);
    stats::StepPoints step_points = points.step_points(scaling);
    step_points.communication_s =
        communication_time(law_cells(curve, observation), study, communication);
    std::vector<stats::StepLaw> candidates = stats::laws_that_apply(step_points);
    const auto end =
        std::stable_partition(candidates.begin(), candidates.end(), [&](stats::StepLaw law) {
          return may_apply(law, points, study.analysis.confidence);
        });
    const std::vector<stats::StepLaw> unfit(end, candidates.end());
    candidates.erase(end, candidates.end());
    if (!points.shares_blocks()) {
      step_points.n = {};
      step_points.t = {};
    }
    const stats::LawChoice choice = stats::choose_law(step_points, candidates);
    all.choices.push_back(choice_row(curve, points, choice, unfit, fitted));
    for (const stats::HeldOutError& error : choice.laws) {
      all.errors.push_back(error_row(curve, points, error, study));
    }
  }
  return all;
}

}  // namespace scalestudy
