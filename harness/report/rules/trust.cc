#include "harness/report/rules/trust.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/report/answer/study_sentences.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/used_sessions.h"
#include "harness/report/rules/lint.h"
#include "harness/study/declared/validity.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"

namespace scalestudy::report {
namespace {

bool is_warning(const ThreatRow& threat) {
  return threat.severity == Severity::kWarning;
}

// Kinds that put all numbers in doubt, not only some rows.
bool is_grave(const ThreatRow& threat) {
  using enum ThreatKind;
  constexpr std::array grave = {kForeignLoad,
                                kSteal,
                                kThrottled,
                                kControlFailed,
                                kAcrossSessions,
                                kChangedCores,
                                kChangedStudy,
                                kFailedTrials,
                                kOversubscribed,
                                kSequential,
                                kImpossibleTimes};
  return is_warning(threat) && std::find(grave.begin(), grave.end(), threat.kind) != grave.end();
}

std::string count_of(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "interim: 12 of 90 trials still to run"; "" of a study that is complete.
std::string interim_of(const ReportInput& input) {
  std::size_t planned = 0;
  std::size_t waiting = 0;
  for (const TrialRow* trial : input.last_attempts()) {
    const bool counts = !input.ran_in_excluded_cell(*trial);
    planned += counts && trial->state != TrialState::kExcluded ? 1 : 0;
    waiting += counts && is_pending(trial->state) ? 1 : 0;
  }
  if (waiting > 0) {
    return fmt::format("interim: {} of {} still to run", waiting, count_of(planned, "trial"));
  }
  const auto& settings = input.results.search_settings;
  const bool is_racing =
      std::ranges::find(settings, SearchRole::kRacing, &SearchSettingRow::role) != settings.end();
  return is_racing ? "interim: the race is not over" : "";
}

// Those that count.
std::size_t ok_trials(const ReportInput& input) {
  const std::vector<const TrialRow*> trials = input.last_attempts();
  return static_cast<std::size_t>(std::ranges::count_if(trials, [&](const TrialRow* trial) {
    return trial->state == TrialState::kOk && !input.ran_in_excluded_cell(*trial);
  }));
}

}  // namespace

std::string trust_grade(const ReportInput& input) {
  if (ok_trials(input) == 0) {
    return "not at all";
  }
  const auto& threats = input.results.threats;
  const bool has_interval = std::ranges::any_of(
      input.results.estimates, [](const EstimateRow& row) { return row.lo.has_value(); });
  if (!has_interval || std::any_of(threats.begin(), threats.end(), is_grave)) {
    return "low";
  }
  return std::any_of(threats.begin(), threats.end(), is_warning) ? "medium" : "high";
}

namespace {

// As `status` and `list` call a study of which the next run would run trials.
bool is_partly_done(const ReportInput& input) {
  return !interim_of(input).empty() ||
         std::ranges::any_of(input.last_attempts(), [&](const TrialRow* trial) {
           return !input.ran_in_excluded_cell(*trial) &&
                  is_left_to_run(trial->state, trial->skip_reason);
         });
}

// ", 15 skipped because a smaller batch ran out of memory, 3 given up because cells kept failing".
std::string skipped_text(const ReportInput& input) {
  const auto tell = [&](SkipReason reason, const char* why) {
    const auto trials = std::ranges::count_if(input.last_attempts(), [&](const TrialRow* trial) {
      return trial->skip_reason == reason && !input.ran_in_excluded_cell(*trial);
    });
    return trials == 0 ? "" : fmt::format(", {} {}", trials, why);
  };
  return tell(SkipReason::kTooLarge, "skipped because a smaller batch ran out of memory") +
         tell(SkipReason::kFailures, "given up because cells kept failing");
}

}  // namespace

std::string trust_basis(const ReportInput& input) {
  std::map<std::int64_t, std::size_t> ok;
  std::size_t planned = 0;
  const std::size_t done = ok_trials(input);
  for (const TrialRow* trial : input.last_attempts()) {
    if (input.ran_in_excluded_cell(*trial)) {
      continue;
    }
    const bool is_ok = trial->state == TrialState::kOk;
    const bool was_wanted =
        trial->state != TrialState::kExcluded && trial->skip_reason != SkipReason::kPruned;
    planned += was_wanted ? 1 : 0;
    ok[trial->cell_id] += is_ok ? 1 : 0;
  }
  std::set<std::size_t> counts;
  std::size_t cells = 0;
  std::size_t untried = 0;  // of an imported study, since nothing is planned there
  const bool has_logs = is_imported(input);
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && !cell.excluded_reason) {
      ++cells;
      untried += has_logs && !ok.contains(cell.id) ? 1 : 0;
      counts.insert(ok[cell.id]);
    }
  }
  const std::vector<const SessionInput*> used = used_sessions(input);
  std::set<std::string> hosts;
  for (const SessionInput* session : used) {
    hosts.insert(session->row.host);
  }
  const std::string each =
      counts.empty()       ? ""
      : counts.size() == 1 ? fmt::format(", {} per cell", *counts.begin())
                           : fmt::format(", {} to {} per cell", *counts.begin(), *counts.rbegin());
  const std::string machines =
      input.declared.is_remote() ? "devices elsewhere" : count_of(hosts.size(), "machine");
  const std::string where =
      done == 0  ? ""
      : has_logs ? ", machines and sessions not recorded"
                 : fmt::format(", {}, {}", machines, count_of(used.size(), "session"));
  const std::string lacking =
      untried == 0 ? "" : fmt::format(", {} of {} without a log", untried, count_of(cells, "cell"));
  return fmt::format("{}, {} of {} ok{}{}{}{}{}",
                     done == 0                              ? "nothing was measured"
                     : untried > 0 || is_partly_done(input) ? "partly done"
                                                            : "complete",
                     done,
                     count_of(planned, "trial"),
                     each,
                     lacking,
                     skipped_text(input),
                     where,
                     is_cpu_core(input.declared) ? "; a device is a CPU core, not a GPU" : "");
}

namespace {

// "" of a study that is complete and of one piece.
std::string progress_of(const ReportInput& input) {
  if (std::string interim = interim_of(input); !interim.empty()) {
    return interim;
  }
  const auto has = [&](ThreatKind kind) {
    return std::ranges::find(input.results.threats, kind, &ThreatRow::kind) !=
           input.results.threats.end();
  };
  if (has(ThreatKind::kChangedStudy)) {
    return "mixed: the study was changed between trials";
  }
  if (has(ThreatKind::kChangedCores)) {
    return "mixed: trials had different cores";
  }
  const std::vector<LintResult> rules = lint(input);
  const auto versions = std::ranges::find(rules, "versions", &LintResult::rule);
  return versions->state == LintState::kBroken ? "mixed: several versions of the software" : "";
}

// Whether numbers rest on the trial: those of a race only choose.
bool is_used(const ReportInput& input, const TrialRow& trial) {
  return trial.state == TrialState::kOk && trial.part != SearchPart::kRace &&
         !input.ran_in_excluded_cell(trial);
}

// Of the sessions' machines, by session that says them.
std::map<std::int64_t, double> cores_by_session(const ReportInput& input) {
  std::map<std::int64_t, double> cores;
  for (const SessionInput& session : input.sessions) {
    for (const EnvironmentRow& fact : session.environment) {
      const auto value = fact.name == "cores" ? parse_number(fact.value) : std::nullopt;
      if (value && *value > 0.0) {
        cores[session.row.id] = *value;
      }
    }
  }
  return cores;
}

// "the 2 cores"
// - cores: of the sessions' machines, fewest first
// - has_other: whether the cores of a machine were not recorded
std::string machine_text(const std::set<double>& cores, bool has_other) {
  if (cores.empty()) {
    return "a core";
  }
  const auto least = static_cast<std::size_t>(*cores.begin());
  return has_other ? fmt::format("the cores of their machine ({} where not recorded)", least)
         : cores.size() == 1 ? "the " + count_of(least, "core")
                             : "the cores of their machine";
}

}  // namespace

std::string state_text(const ReportInput& input) {
  const std::string progress = progress_of(input);
  const std::string kind = is_emulated(input)   ? "emulated, not measured"
                           : is_imported(input) ? "imported from logs: not run by scalestudy"
                                                : "";
  return kind + (kind.empty() || progress.empty() ? "" : "; ") + progress;
}

int gravity_rank(const ThreatRow& warning) {
  return warning.kind == ThreatKind::kUnknownWork ? 0 : is_grave(warning) ? 1 : 2;
}

std::vector<ThreatRow> reported_warnings(const ReportInput& input) {
  std::vector<ThreatRow> warnings = input.results.threats;
  const bool is_said = !shared_machine_warning(input).empty();
  std::erase_if(warnings, [&](const ThreatRow& threat) {
    return !is_warning(threat) || (is_said && threat.kind == ThreatKind::kForeignLoad) ||
           threat.kind == ThreatKind::kImported;  // the title says it
  });
  std::ranges::stable_sort(warnings, {}, gravity_rank);
  return warnings;
}

std::string shared_machine_warning(const ReportInput& input) {
  const double share = std::max(kHeavyLoadShare, input.declared.validity.foreign_load);
  const std::map<std::int64_t, double> session_cores = cores_by_session(input);
  std::set<double> cores;  // fewest first
  for (const auto& [session, value] : session_cores) {
    cores.insert(value);
  }
  std::size_t trials = 0;
  std::size_t loaded = 0;
  bool has_other = false;
  double worst = 0.0;
  double worst_share = 0.0;
  for (const TrialRow* trial : input.last_attempts()) {
    if (is_used(input, *trial)) {
      const double load = trial->foreign_load.value_or(0.0);
      const auto own = session_cores.find(trial->session_id.value_or(0));
      const bool is_known = own != session_cores.end();
      const double own_share = load / (is_known        ? own->second
                                       : cores.empty() ? 1.0
                                                       : *cores.begin());
      ++trials;
      loaded += own_share > share ? 1 : 0;
      has_other = has_other || (!is_known && trial->foreign_load);
      if (own_share > worst_share) {
        worst = load;
        worst_share = own_share;
      }
    }
  }
  const auto has = [&](const auto& is_such) {
    return std::ranges::any_of(input.results.threats, is_such);
  };
  const bool is_harmless =
      has([](const ThreatRow& threat) {
        return threat.kind == ThreatKind::kForeignLoad || threat.kind == ThreatKind::kLimitedLoad;
      }) &&
      !has([](const ThreatRow& threat) {
        return threat.kind == ThreatKind::kForeignLoad && is_warning(threat);
      });
  return 2 * loaded <= trials || is_harmless || share >= 1.0
             ? ""
             : fmt::format(
                   "{} of {} ran under heavy load: other processes used more than {} of {}, up to "
                   "{} cores.",
                   loaded,
                   count_of(trials, "trial"),
                   format_percent(share),
                   machine_text(cores, has_other),
                   format_plain(worst));
}

namespace {

// "" unless analysis found impossible times and at least half of the trials have them.
std::string impossible_warning(const ReportInput& input) {
  const auto& threats = input.results.threats;
  std::size_t trials = 0;
  std::size_t impossible = 0;
  for (const TrialRow* trial : input.last_attempts()) {
    if (is_used(input, *trial)) {
      ++trials;
      impossible += trial->steps_share.value_or(0.0) > kMostStepsShare ? 1 : 0;
    }
  }
  const auto threat = std::ranges::find(threats, ThreatKind::kImpossibleTimes, &ThreatRow::kind);
  return threat == threats.end() || impossible == 0 || 2 * impossible < trials
             ? ""
             : fmt::format(
                   "The steps of {} of {} add up to more than the trial took (impossible times), "
                   "so times and rates of their cells are wrong.",
                   impossible,
                   count_of(trials, "trial"));
}

// How many blocks have trials of both sides that count, in one session.
std::int64_t common_blocks(const ReportInput& input, const ComparisonRow& row) {
  std::set<SessionBlock> blocks;
  for (const std::int64_t id : input.used_trials(row.baseline_cell_id)) {
    blocks.insert(session_block(*input.trial(id)));
  }
  return std::ranges::count_if(input.used_trials(row.cell_id), [&](std::int64_t id) {
    return blocks.contains(session_block(*input.trial(id)));
  });
}

// What the comparison lacks, as a sentence.
std::string lack_of(const ReportInput& input, const ComparisonRow& row) {
  const std::string cell = cell_name(input, input.cell(row.cell_id));
  const std::string base = cell_name(input, input.cell(row.baseline_cell_id));
  const std::size_t trials = input.used_trials(row.cell_id).size();
  const std::size_t base_trials = input.used_trials(row.baseline_cell_id).size();
  if (trials < 2 || base_trials < 2) {
    return fmt::format("{} of {} ended ok, and {} of {}. A comparison needs two of each.",
                       count_of(trials, "trial"),
                       cell,
                       base_trials,
                       base);
  }
  const std::int64_t common = common_blocks(input, row);
  if (input.declared.order.design == OrderDesign::kBlocks && row.n < 2 && common < 2) {
    return fmt::format(
        "{} block has trials of both {} and {} in one session. A comparison needs two such blocks.",
        common == 0 ? "no" : "only one",
        cell,
        base);
  }
  return fmt::format("{}: {}.", cell, row.remark);
}

}  // namespace

std::string why_worthless(const ReportInput& input) {
  const std::string impossible = impossible_warning(input);
  const std::string shared = shared_machine_warning(input);
  return impossible + (impossible.empty() || shared.empty() ? "" : " ") + shared;
}

std::string why_no_answer(const ReportInput& input, const std::string& results) {
  const auto& rows = input.results.comparisons;
  const auto open = std::ranges::find_if(rows, [](const ComparisonRow& row) {
    return row.verdict == Verdict::kNotEnoughData || is_loss(row.verdict);
  });
  const auto refused =
      std::ranges::find_if(rows, [](const ComparisonRow& row) { return !is_claim(row.verdict); });
  const std::string why =
      open != rows.end() && !open->remark.empty() ? lack_of(input, *open)
      : refused != rows.end()
          ? fmt::format("{}: {}.",
                        cell_name(input, input.cell(refused->cell_id)),
                        to_word(refused->verdict))
          : "no comparison of this study has enough data. It needs a baseline, and at least two "
            "trials that ended ok on both sides of a pair.";
  const bool has_left = std::ranges::any_of(input.last_attempts(), [&](const TrialRow* trial) {
    return trial->state == TrialState::kPlanned && !input.ran_in_excluded_cell(*trial);
  });
  return has_left ? why + " To continue: " + call_of(results, "run", input.study.name) : why;
}

}  // namespace scalestudy::report
