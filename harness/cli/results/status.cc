// `status`: how far each study is, what runs now, and what failed.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/clock.h"
#include "harness/base/paths.h"
#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/study_state.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/study/parse.h"
#include "harness/submit/batch_script.h"
#include "harness/submit/jobs.h"
#include "harness/text/json.h"
#include "harness/text/number.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct StatusOptions {
  std::string study;  // name, or its file; empty: all
  bool follow = false;
  Format format = Format::kTable;
};

// "demo: 4 jobs: 1 done, 2 running, 1 waiting", then what is known of each that is not done or has
// trials that failed.
void describe_jobs(const std::vector<StudyJob>& jobs,
                   const std::string& study,
                   const std::string& results,
                   std::vector<std::string>& lines) {
  if (jobs.empty()) {
    return;
  }
  std::map<std::string, int> counts;
  for (const StudyJob& job : jobs) {
    ++counts[to_word(job.state)];
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, word));
  }
  lines.push_back(
      fmt::format("{}: {}: {}", study, format_count(std::ssize(jobs), "job"), join(parts, ", ")));
  for (const StudyJob& job : jobs) {
    if (job.state != JobState::kDone || job.failed > 0) {
      lines.push_back(fmt::format("  job {}: {}{}{}, {} left",
                                  job.job,
                                  to_word(job.state),
                                  job.detail.empty() ? "" : " (" + job.detail + ")",
                                  job.failed > 0 ? fmt::format(", {} failed", job.failed) : "",
                                  format_count(job.left, "trial")));
    }
  }
  const auto failed =
      std::ranges::find_if(jobs, [](const StudyJob& job) { return job.failed > 0; });
  if (failed != jobs.end()) {
    const auto folder = job_folder(jobs_folder(results, study), failed->job);
    lines.push_back(fmt::format("  why trials of job {} failed: {}",
                                failed->job,
                                call_of(folder.string(), "status", study)));
  }
  const std::string submit = call_of(results, "submit", study);
  lines.push_back(fmt::format("  take in what they have: {} --gather{}",
                              submit,
                              counts.contains(to_word(JobState::kLeft))
                                  ? "; send those that are left again: " + submit
                                  : ""));
  if (counts.contains(to_word(JobState::kUnknown))) {
    lines.push_back(
        fmt::format("  squeue {}: unknown jobs may wait or run",
                    find_program("squeue") ? "does not answer" : "is not found on this machine"));
  }
}

// Of a trial that its run left running: interrupted.
std::string trial_word(TrialState state, bool is_run_gone) {
  return state == TrialState::kRunning && is_run_gone ? to_word(RunState::kInterrupted)
                                                      : to_word(state);
}

// What the lines tell, for programs.
JsonText study_json(const StudyState& state,
                    const std::vector<StudyJob>& jobs,
                    bool is_run_gone,
                    const std::string& results) {
  JsonText json;
  json["study"] = state.study.name;
  json["state"] = word_with_jobs(state, jobs, results);
  json["session"] = JsonText();
  json["ending"] = JsonText();
  if (state.session) {
    const std::string ending = to_word(state.session->ending);
    json["session"] = state.session->id;
    json["ending"] = ending.empty() ? JsonText() : JsonText(ending);
  }
  json["ok"] = state.done() - state.unusable();
  json["not_ok"] = state.unusable();
  json["left"] = state.left();
  json["given_up"] = state.given_up;
  json["eta_s"] = state.eta_s;
  json["trials"] = JsonText::list();
  for (const auto& [trial_state, count] : state.trials) {
    json["trials"].push_back(
        JsonText::object({{"state", trial_word(trial_state, is_run_gone)}, {"count", count}}));
  }
  json["current_trial"] = state.current ? JsonText(state.current->id) : JsonText();
  json["last_failure"] = state.failure ? JsonText::object({{"trial", state.failure->id},
                                                           {"state", state.failure->state},
                                                           {"reason", state.failure->reason}})
                                       : JsonText();
  json["jobs"] = JsonText::list();
  for (const StudyJob& job : jobs) {
    json["jobs"].push_back(
        JsonText::object({{"job", job.job},
                          {"state", to_word(job.state)},
                          {"detail", job.detail.empty() ? JsonText() : JsonText(job.detail)},
                          {"failed", job.failed},
                          {"left", job.left}}));
  }
  return json;
}

// The store is opened anew for each look: one of an older schema is read from a copy.
struct Look {
  QueryResult counts;  // trials by state
  JsonText studies = JsonText::list();
  std::vector<std::string> lines;  // for people
  std::string progress;            // of the study that runs: one line without times
  bool is_running = false;
  std::string holder;   // of the lock
  std::string waiting;  // its study, while the machine is not free
};

bool means(const std::string& wanted, const std::string& study) {
  return wanted.empty() || wanted == study ||
         (std::filesystem::is_regular_file(wanted) && load_study(wanted, {}).name == study);
}

// Tells of a wanted study whose run waits, or has just stopped waiting, and has stored nothing yet.
// Returns whether there is one.
// - last: the look before.
bool look_at_waiting(const std::string& wanted,
                     const std::string& results,
                     const std::optional<LockHolder>& holder,
                     const Look& last,
                     Look& look) {
  if (!holder) {
    return false;
  }
  look.holder = holder->name;
  look.waiting =
      holder->waiting.empty() && look.holder == last.holder ? last.waiting : holder->waiting;
  if (look.waiting.empty() || !means(wanted, look.waiting) ||
      (Store::exists(results) && Store::open_read_only(results).find_study(look.waiting))) {
    return false;
  }
  look.is_running = true;
  look.progress = fmt::format("{}: {}", look.waiting, kWaitingForMachine);
  look.lines = {look.progress + "; nothing has run yet"};
  look.studies.push_back(
      JsonText::object({{"study", look.waiting}, {"state", to_word(RunState::kWaiting)}}));
  return true;
}

// - warns: of studies that are left out.
Look look_at(const std::string& wanted,
             const std::string& results,
             bool warns,
             const Look& last,
             Terminal& terminal) {
  Look look;
  look.counts.columns = {"study", "state", ""};  // text_of() names the last
  const std::optional<LockHolder> holder = lock_holder(results);
  if (look_at_waiting(wanted, results, holder, last, look) &&
      (!wanted.empty() || !Store::exists(results))) {
    return look;
  }
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  if (warns) {
    warn_of_misnamed(store, results, terminal);
  }
  const std::string name = wanted.empty() ? "" : stored_study(store, wanted, results).name;
  std::vector<std::tuple<std::string, std::string, std::string, std::int64_t>> rows;
  for (const StudyRow& study : store.studies()) {
    if (!name.empty() && study.name != name) {
      continue;
    }
    const std::vector<StudyJob> jobs = study_jobs(results, study.name);
    StudyState state = study_state(store, study, holder, SystemClock().utc_now());
    state.has_jobs = !jobs.empty();
    const bool has_waited = look.waiting == study.name;  // its session may not have begun yet
    if (state.state == RunState::kRunning || state.state == RunState::kWaiting || has_waited) {
      look.is_running = true;
      look.progress = state.state == RunState::kWaiting
                          ? fmt::format("{}: {}", study.name, kWaitingForMachine)
                          : progress_text(state);
    }
    std::ranges::copy(describe(state, store, results), std::back_inserter(look.lines));
    describe_jobs(jobs, study.name, results, look.lines);
    const bool is_gone = state.state != RunState::kRunning && !state.has_jobs;
    look.studies.push_back(study_json(state, jobs, is_gone, results));
    for (const auto& [of_trials, count] : state.trials) {
      rows.emplace_back(study.name, to_word(of_trials), trial_word(of_trials, is_gone), count);
    }
  }
  std::ranges::sort(rows);
  for (const auto& [study, stored_word, word, count] : rows) {
    look.counts.rows.push_back({study, word, count});
  }
  return look;
}

std::string text_of(const Look& look, Format format) {
  if (format == Format::kJson) {
    return look.studies.dump(2) + "\n";
  }
  QueryResult counts = look.counts;
  counts.columns.back() = format == Format::kCsv ? "count" : "trials";
  std::string text = format_table(counts, format, Terminal::columns());
  if (format == Format::kTable && !look.lines.empty()) {
    text += "\n" + join(look.lines, "\n") + "\n";
  }
  return text;
}

ExitCode show_status(const StatusOptions& options, const std::string& results, Terminal& terminal) {
  Look look = look_at(options.study, results, /*warns=*/true, Look(), terminal);
  for (std::string told; options.follow && look.is_running;) {
    if (terminal.can_redraw()) {
      terminal.redraw(text_of(look, options.format));
    } else if (told != look.progress && options.format == Format::kTable) {
      terminal.out(look.progress + "\n");
    }
    told = look.progress;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    look = look_at(options.study, results, /*warns=*/false, look, terminal);
  }
  terminal.redraw("");
  terminal.out(text_of(look, options.format));  // whole: redraw() cuts lines at the width
  return ExitCode::kDone;
}

}  // namespace

Verb status_verb() {
  const auto options = std::make_shared<StatusOptions>();
  return {"status",
          VerbGroup::kLook,
          "Count trials by state; show what runs now and what failed last",
          {{"[study]", &options->study, "Name of a study in the store, or its file"},
           {"--follow",
            &options->follow,
            "Keep showing the state until no run is active; a terminal is redrawn"},
           format_option(options->format)},
          "Examples:\n  scalestudy status\n  scalestudy status quickstart --follow\n"
          "  scalestudy status quickstart --format json",
          with_options(options, show_status)};
}

}  // namespace scalestudy
