#include "harness/cli/run/run_progress.h"

#include <string>

#include <fmt/format.h>

#include "harness/cli/trial_hints.h"
#include "harness/store/cell_name.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

Style style_of(TrialState state) {
  switch (state) {
    case TrialState::kOk:
      return Style::kGood;
    case TrialState::kSkipped:
    case TrialState::kExcluded:
    case TrialState::kPlanned:
      return Style::kDim;
    default:
      return Style::kBad;
  }
}

// "  17.2 ms/step +-1.2 %", as far as it is known.
std::string measured_text(const Progress& progress) {
  if (!progress.step_time_s) {
    return {};
  }
  std::string text = "  " + format_duration(*progress.step_time_s) + "/step";
  if (progress.relative_half_width) {
    const double percent = 100.0 * *progress.relative_half_width;
    constexpr double least = 1e-6;  // of times that are equal up to rounding
    text += percent < least  ? " ±0 %"
            : percent < 10.0 ? fmt::format(" ±{:.2g} %", percent)
                             : fmt::format(" ±{:.0f} %", percent);
  }
  return text;
}

// "failed"; "invalid, throttled", "ok, foreign load" of a trial that was disturbed.
std::string state_text(const Progress& progress) {
  return to_word(*progress.state) + (progress.disturbance == Disturbance::kNone ? "" : ", ") +
         in_words(to_word(progress.disturbance));
}

std::string eta_text(const Progress& progress) {
  const bool is_over = progress.done >= progress.planned;
  return progress.eta_s && !is_over ? "  ETA " + format_time_left(*progress.eta_s) : std::string();
}

}  // namespace

void show_progress(const Progress& progress, const Store& store, Terminal& terminal) {
  show_progress_of(name_curve(progress.cell_label), progress, store, terminal);
}

void show_progress_of(const std::string& cell,
                      const Progress& progress,
                      const Store& store,
                      Terminal& terminal) {
  const std::string count = fmt::format(
      "[{:>{}}/{}]", progress.done, std::to_string(progress.planned).size(), progress.planned);
  const std::string where = fmt::format("{}  block {}", cell, progress.cell_block + 1);
  if (!progress.waiting.empty()) {
    const std::string text = fmt::format("{} waits: {}", count, progress.waiting);
    terminal.shows_progress() ? terminal.progress(text) : terminal.note(text);
    return;
  }
  if (!progress.state) {
    terminal.progress(fmt::format("{} {}{}", count, where, eta_text(progress)));
    return;
  }
  const bool ok = *progress.state == TrialState::kOk;
  if (!progress.beside.empty()) {
    terminal.warn(fmt::format("{}: {} (trial {})", where, progress.beside, progress.trial_id));
  }
  // On a terminal good trials only move the progress line; elsewhere each leaves a line.
  if (ok && terminal.shows_progress()) {
    terminal.progress(
        fmt::format("{} {}{}{}", count, where, measured_text(progress), eta_text(progress)));
    return;
  }
  const std::string state = state_text(progress);
  terminal.note(fmt::format("{} {:<8} {}{}  ({}){}{}",
                            count,
                            state,
                            where,
                            measured_text(progress),
                            format_duration(progress.trial_wall_s),
                            eta_text(progress),
                            ok ? "" : "\n    " + progress.reason),
                {style_of(*progress.state), state});
  if (!ok) {
    for (const std::string& hint : trial_hints(store, progress.trial_id)) {
      terminal.note("    " + hint);
    }
  }
}

}  // namespace scalestudy
