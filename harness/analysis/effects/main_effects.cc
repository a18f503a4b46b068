#include "harness/analysis/effects/main_effects.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/compare/verdict_word.h"
#include "harness/analysis/effects/crossed_cells.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/equivalence.h"
#include "stats/factor_effect.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"
#include "stats/verdict.h"

namespace scalestudy {
namespace {

// What is found of one set of crossed cells.
struct Effect {
  CrossedCells cells;
  stats::FactorEffect found = {};
  RatioMethod method = RatioMethod::kIndependent;
  LookTerms looks = {};
  TrialIds trials = {};
  TrialIds base_trials = {};
};

// ---- the times of its cells

// Places at which every cell of the effect has a time.
std::set<SessionBlock> common_blocks(const std::vector<CellPair>& pairs) {
  std::map<SessionBlock, std::size_t> counts;
  for (const CellPair& pair : pairs) {
    for (const CellObservation* cell : {pair.base, pair.cell}) {
      for (const TrialObservation& trial : cell->trials) {
        counts[session_block(trial.row)] += trial.metrics.contains(kStepTime) ? 1U : 0U;
      }
    }
  }
  std::set<SessionBlock> blocks;
  for (const auto& [block, count] : counts) {
    if (count == 2 * pairs.size()) {
      blocks.insert(block);
    }
  }
  return blocks;
}

std::set<SessionId> sessions_of(const std::set<SessionBlock>& blocks) {
  std::set<SessionId> sessions;
  for (const SessionBlock& block : blocks) {
    sessions.insert(block.first);
  }
  return sessions;
}

// Times in order of block, or the mean of each session; and the ids of the trials they are of.
std::vector<double> values_of(const CellObservation& cell,
                              const std::set<SessionBlock>* blocks,
                              bool is_by_session,
                              TrialIds& ids) {
  std::map<SessionBlock, double> times_s;
  SessionValues by_session;
  for (const TrialObservation& trial : cell.trials) {
    const SessionBlock block = session_block(trial.row);
    const auto found = trial.metrics.find(kStepTime);
    if (found == trial.metrics.end() || (blocks != nullptr && !blocks->contains(block))) {
      continue;
    }
    ids.push_back(trial.row.id);
    times_s.emplace(block, found->second.mean);
    by_session[block.first].push_back(found->second.mean);
  }
  std::vector<double> values;
  if (is_by_session) {
    for (const auto& [session, of_session] : by_session) {
      values.push_back(*stats::mean(of_session));
    }
  } else {
    for (const auto& [block, time_s] : times_s) {
      values.push_back(time_s);
    }
  }
  return values;
}

void measure(Effect& effect, const Study& study) {
  const bool is_blocked = study.order.design == OrderDesign::kBlocks;
  const std::set<SessionBlock> blocks = common_blocks(effect.cells.pairs);
  const bool is_by_session = sessions_of(blocks).size() >= kSessionsAsUnit;
  const bool is_paired = is_by_session || (is_blocked && blocks.size() >= kLeastBlocks);
  effect.method = is_by_session ? RatioMethod::kSessions
                  : is_paired   ? RatioMethod::kPaired
                                : RatioMethod::kIndependent;
  const bool is_attributable = is_blocked || is_by_session ||
                               std::ranges::none_of(effect.cells.pairs, [](const CellPair& pair) {
                                 return has_other_software(*pair.base, *pair.cell);
                               });
  std::vector<stats::CrossedPair> values;
  std::int64_t last = -1;
  for (const SessionBlock& block : blocks) {
    last = std::max(last, block.second);
  }
  for (const CellPair& pair : effect.cells.pairs) {
    const std::set<SessionBlock>* kept = is_blocked || is_by_session ? &blocks : nullptr;
    std::vector<double> base_s = values_of(*pair.base, kept, is_by_session, effect.base_trials);
    std::vector<double> cell_s = values_of(*pair.cell, kept, is_by_session, effect.trials);
    if (is_attributable) {
      values.push_back({std::move(base_s), std::move(cell_s)});
    }
  }
  std::ranges::sort(effect.trials);
  std::ranges::sort(effect.base_trials);
  effect.looks = look_terms(study, static_cast<std::size_t>(last + 1));
  effect.found = stats::factor_effect(values, is_paired, effect.looks.confidence);
}

// ---- rows

// The values of what the pairs of the effect differ in, in one of them.
std::string combination(const Effect& effect, const CellPair& pair, const Study& study) {
  const auto differs = [&](const CellRow::Parameter& parameter) {
    return parameter.name != effect.cells.axis &&
           std::ranges::any_of(effect.cells.pairs, [&](const CellPair& other) {
             const auto found = other.others.find(parameter.name);
             return found != other.others.end() && found->second != parameter.value;
           });
  };
  return name_parameters(pair.cell->row, differs, study.labels);
}

// "4 combinations of clip_norm and topk"
std::string say_combinations(const Effect& effect, const Study& study) {
  std::vector<std::string> names;
  for (const auto& [name, value] : effect.cells.pairs.front().others) {
    if (std::ranges::any_of(effect.cells.pairs,
                            [&name = name, &value = value](const CellPair& other) {
                              return other.others.at(name) != value;
                            })) {
      names.push_back(name_axis(name, study.labels));
    }
  }
  return fmt::format("{} {} of {}",
                     effect.cells.pairs.size(),
                     names.size() == 1 ? "values" : "combinations",
                     join_words(names));
}

std::string say_ratio(const ComparisonRow& row) {
  return format_interval(measure_of(row), {.unit = "x", .levels = {1.0}});
}

ComparisonRow row_of(const Effect& effect,
                     const stats::RatioInterval& ratio,
                     const char* quantity,
                     const Study& study) {
  ComparisonRow row;
  row.cell_id = effect.cells.pairs.front().cell->row.id;
  row.baseline_cell_id = effect.cells.pairs.front().base->row.id;
  row.quantity = quantity;
  row.value = ratio.ratio;
  row.lo = ratio.lo;
  row.hi = ratio.hi;
  row.confidence = effect.looks.confidence;
  row.p_value = ratio.p ? std::optional(effect.looks.two_sided(*ratio.p)) : std::nullopt;
  row.method = effect.method;
  row.n = static_cast<std::int64_t>(ratio.n_b);
  row.n_baseline = static_cast<std::int64_t>(ratio.n_a);
  row.margin = study.analysis.margin;
  row.status = row_status(ratio.status);
  row.trials = effect.trials;
  row.baseline_trials = effect.base_trials;
  return row;
}

using PField = std::optional<double> ComparisonRow::*;

// The p values of the rows, and `more` of further comparisons.
std::vector<std::optional<double>> p_values_of(const std::vector<ComparisonRow>& rows,
                                               const std::vector<std::optional<double>>& more,
                                               PField from) {
  std::vector<std::optional<double>> p_values;
  p_values.reserve(rows.size() + more.size());
  for (const ComparisonRow& row : rows) {
    p_values.push_back(row.*from);
  }
  p_values.insert(p_values.end(), more.begin(), more.end());
  return p_values;
}

// Holm over the rows, and over `more` comparisons whose p values are no smaller than theirs.
void adjust(std::vector<ComparisonRow>& rows,
            const std::vector<std::optional<double>>& more,
            PField from,
            PField to) {
  const stats::AdjustedP adjusted = stats::holm(p_values_of(rows, more, from));
  for (std::size_t i = 0; i < rows.size() && adjusted.status == stats::Status::kOk; ++i) {
    rows[i].*to = adjusted.adjusted[i];
  }
}

void note_resolution(std::vector<ComparisonRow>& rows,
                     const std::vector<std::optional<double>>& more,
                     double alpha) {
  const stats::Resolution resolution =
      stats::resolve(p_values_of(rows, more, &ComparisonRow::p_value), alpha);
  for (ComparisonRow& row : rows) {
    if (row.p_adjusted) {
      row.alpha_star = resolution.alpha_star;
      row.family_size = static_cast<std::int64_t>(resolution.family);
      row.rejected = static_cast<std::int64_t>(resolution.rejected);
    }
  }
}

void judge_effects(const std::vector<Effect>& effects,
                   std::vector<ComparisonRow>& rows,
                   const Study& study) {
  const double alpha = 1.0 - study.analysis.confidence;
  adjust(rows, {}, &ComparisonRow::p_value, &ComparisonRow::p_adjusted);
  adjust(rows, {}, &ComparisonRow::equivalence_p, &ComparisonRow::equivalence_p_adjusted);
  note_resolution(rows, {}, alpha);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparisonRow& row = rows[i];
    const stats::JudgedRatio verdict =
        stats::verdict({.status = effects[i].found.ratio.status,
                        .ratio = row.value,
                        .lo = row.lo,
                        .hi = row.hi,
                        .p_adjusted = row.p_adjusted,
                        .p_tost_adjusted = row.equivalence_p_adjusted,
                        .margin = row.margin,
                        .alpha = alpha});
    row.verdict = stored_verdict(verdict.word);
    row.remark = say_combinations(effects[i], study);
    const CellRow& cell = effects[i].cells.pairs.front().cell->row;
    const CellRow& base = effects[i].cells.pairs.front().base->row;
    row.finding = row.value ? fmt::format("{}: {} the throughput of {} on average over {}: {}",
                                          describe_against(cell, base, study.labels),
                                          say_ratio(row),
                                          describe_against(base, cell, study.labels),
                                          row.remark,
                                          to_word(row.verdict))
                            : fmt::format("{}: no effect over {} was measured",
                                          describe_against(cell, base, study.labels),
                                          row.remark);
  }
}

// The pair that stands out most; of two, which do so alike, the first.
std::size_t most_apart(const stats::FactorEffect& found) {
  if (found.apart.size() == 2) {
    return 0;
  }
  const auto least = std::ranges::min_element(
      found.apart, {}, [](const stats::RatioInterval& apart) { return apart.p.value_or(1.0); });
  return static_cast<std::size_t>(least - found.apart.begin());
}

// "1.005x": with the digits of the ratios that the table has beside it.
std::string format_factor(double ratio) {
  return format_decimals(ratio, decimals_of(ratio, 4)) + "x";
}

std::string describe_interaction(const Effect& effect,
                                 const ComparisonRow& row,
                                 std::size_t most,
                                 const Study& study) {
  const auto [least, greatest] = std::ranges::minmax(effect.found.ratios);
  if (row.verdict == Verdict::kNoDetectableDifference) {
    return fmt::format("not detected ({})",
                       join_range(format_factor(least), format_factor(greatest)));
  }
  double rest = 0.0;
  for (const double ratio : effect.found.ratios) {
    rest += std::log(ratio);
  }
  const double own = effect.found.ratios[most];
  rest = std::exp((rest - std::log(own)) / static_cast<double>(effect.cells.pairs.size() - 1));
  return fmt::format("yes: {} with {}, {} {}",
                     format_factor(own),
                     combination(effect, effect.cells.pairs[most], study),
                     format_factor(rest),
                     effect.cells.pairs.size() == 2
                         ? "with " + combination(effect, effect.cells.pairs[1 - most], study)
                         : std::string("on average of the others"));
}

std::vector<ComparisonRow> interactions(const std::vector<Effect>& effects, const Study& study) {
  const double alpha = 1.0 - study.analysis.confidence;
  std::vector<ComparisonRow> rows;
  std::vector<const Effect*> of_rows;
  std::vector<std::optional<double>> others;  // p values of the pairs that have no row
  for (const Effect& effect : effects) {
    if (effect.found.apart.empty()) {
      continue;
    }
    const std::size_t most = most_apart(effect.found);
    rows.push_back(row_of(effect, effect.found.apart[most], kInteraction, study));
    of_rows.push_back(&effect);
    for (std::size_t i = 0; effect.cells.pairs.size() > 2 && i < effect.cells.pairs.size(); ++i) {
      if (const std::optional<double> p = effect.found.apart[i].p; p && i != most) {
        others.emplace_back(effect.looks.two_sided(*p));
      }
    }
  }
  adjust(rows, others, &ComparisonRow::p_value, &ComparisonRow::p_adjusted);
  note_resolution(rows, others, alpha);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparisonRow& row = rows[i];
    row.verdict = !row.p_adjusted            ? Verdict::kNotEnoughData
                  : *row.p_adjusted >= alpha ? Verdict::kNoDetectableDifference
                  : *row.value > 1.0         ? Verdict::kFaster
                                             : Verdict::kSlower;
    const Effect& effect = *of_rows[i];
    row.remark = describe_interaction(effect, row, most_apart(effect.found), study);
    row.finding = fmt::format("{}: whether its effect depends on other settings: {}",
                              describe_against(effect.cells.pairs.front().cell->row,
                                               effect.cells.pairs.front().base->row,
                                               study.labels),
                              row.remark);
  }
  std::erase_if(rows, [](const ComparisonRow& row) { return row.status != RowStatus::kOk; });
  return rows;
}

}  // namespace

std::vector<ComparisonRow> main_effects(const StudyObservation& observation, const Study& study) {
  std::vector<Effect> effects;
  std::vector<ComparisonRow> rows;
  for (CrossedCells& cells : find_crossed_cells(observation, study)) {
    Effect& effect = effects.emplace_back(Effect{.cells = std::move(cells)});
    measure(effect, study);
    rows.push_back(row_of(effect, effect.found.ratio, kMainEffect, study));
    const auto test =
        stats::tost_ratio(effect.found.ratio, study.analysis.margin, 1.0 - effect.looks.confidence);
    rows.back().equivalence_p =
        test.p ? std::optional(effect.looks.one_sided(*test.p)) : std::nullopt;
  }
  judge_effects(effects, rows, study);
  std::ranges::move(interactions(effects, study), std::back_inserter(rows));
  return rows;
}

}  // namespace scalestudy
