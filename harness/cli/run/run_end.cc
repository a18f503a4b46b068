#include "harness/cli/run/run_end.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/stop.h"
#include "harness/cli/results/answer_text.h"
#include "harness/cli/run/look_first.h"
#include "harness/cli/run/on_finish.h"
#include "harness/cli/study_state.h"
#include "harness/store/rows/trial_words.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/text/wrap.h"

namespace scalestudy {
namespace {

// "demo: 17 planned, 3 ok": of all trials that count, as `status` and the report tell them, also
// those of other plans and of more blocks than the study has now.
std::string states_text(const RunEnd& end) {
  const StudyState known = study_state(
      end.store, end.store.find_study(end.study.name).value(), /*holder=*/std::nullopt, /*now=*/"");
  std::vector<std::string> parts;
  for (const auto& [state, count] : known.trials) {
    parts.push_back(fmt::format("{} {}", count, to_word(state)));
  }
  return fmt::format("{}: {}", end.study.name, join(parts, ", "));
}

std::vector<std::string> problem_lines(const RunEnd& end) {
  std::vector<std::string> lines =
      look_first_lines(end.store, end.study_id, end.study.largest.has_value());
  for (const ThreatRow& threat : end.threats) {
    if (threat.kind == ThreatKind::kMissingMetrics) {
      lines.push_back(threat.finding);
    }
  }
  for (const std::string& cell : end.summary.given_up) {
    lines.push_back("given up: " + cell);
  }
  if (!end.summary.stopped.empty()) {
    lines.push_back("stopped: " + end.summary.stopped);
  }
  return lines;
}

// Whether the run goes on with the blocks of --settle.
bool runs_more(const RunEnd& end) {
  return end.settles && end.settling && end.settling->more_blocks > 0 && !stop_requested;
}

std::vector<std::string> next_lines(const RunEnd& end, const std::string& results) {
  const RunSummary& summary = end.summary;
  if (stop_requested || summary.out_of_time) {
    return {fmt::format("stopped {}; `{}` continues from here",
                        summary.out_of_time ? "at limits.max_time" : "by a signal",
                        end.again)};
  }
  if (runs_more(end)) {
    return {settling_sentence(*end.settling) + " They run now."};
  }
  const bool has_ok = summary.states.contains(TrialState::kOk);
  std::vector<std::string> lines;
  if (!summary.stopped.empty() || !summary.given_up.empty() ||
      (has_failed(summary, end.study) && !has_ok)) {
    lines.push_back(
        fmt::format("next: fix the cause, then `{}` runs the failed trials again and "
                    "those that were left out. "
                    "If the fix changes the study file, add --accept-changes.",
                    end.again + " --retry-failed"));
  }
  if (end.settling) {
    const std::string run = call_of(results, "run", end.study.name);
    for (std::string& line : settling_lines(*end.settling, run)) {
      lines.push_back(std::move(line));
    }
  }
  const bool has_left = summary.states.contains(TrialState::kPlanned) ||
                        summary.states.contains(TrialState::kSkipped);
  if (has_ok || (lines.empty() && !has_left)) {
    lines.push_back("next: " + call_of(results, "report", end.study.name));
  } else if (lines.empty()) {
    lines.push_back("next: " + end.again);
  }
  return lines;
}

}  // namespace

bool has_failed(const RunSummary& summary, const Study& study) {
  const bool has_ok = summary.states.contains(TrialState::kOk);
  return std::ranges::any_of(summary.states, [&](const auto& entry) {
    const auto& [state, count] = entry;
    return is_unusable(state) && !(study.largest && state == TrialState::kOom) &&
           !(state == TrialState::kInvalid && count == summary.excluded_by_hand) &&
           !(has_ok && state == TrialState::kUnsupported);
  });
}

void tell_end(const RunEnd& end, const std::string& results, Terminal& terminal) {
  const std::string states = states_text(end);
  const std::string problems = join(problem_lines(end), "\n");
  const std::string next = join(next_lines(end, results), "\n");
  const auto answer = [&](std::size_t width) {
    const std::string text = answer_text(end.store, end.study_id, width);
    return text.empty() ? "" : "\n" + text + "\n";
  };
  terminal.note(states);
  try {
    terminal.out(answer(Terminal::columns()));
  } catch (const Error& error) {  // a closed pipe, a full disk: the run has ended well nevertheless
    terminal.note(std::string(error.what()) + "; the report has the answer");
  }
  if (!problems.empty() && has_failed(end.summary, end.study)) {
    terminal.error(problems);
  } else if (!problems.empty()) {
    terminal.note(problems);
  }
  terminal.note(next);
  if (!stop_requested && !runs_more(end) && end.summary.run_now > 0) {
    run_on_finish(
        end.study,
        results,
        states + "\n" + answer(kAnyWidth) + problems + (problems.empty() ? "" : "\n") + next + "\n",
        terminal);
  }
}

}  // namespace scalestudy
