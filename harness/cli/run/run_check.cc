#include "harness/cli/run/run_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/cli/results/tell_reading.h"
#include "harness/cli/table.h"
#include "harness/run/process/trial_files.h"
#include "harness/run/session/eta.h"
#include "harness/study/matrix/matrix.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

std::set<std::string> cells_to_check(const std::vector<Cell>& cells) {
  constexpr std::size_t few = 20;
  std::set<std::string> chosen;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Cell& cell : cells) {
    bool is_new = seen.emplace("", to_word(cell.role)).second;
    for (const auto& [name, value] : cell.varied) {
      is_new = seen.emplace(name, format_value(value)).second || is_new;
    }
    if (is_new || cells.size() <= few) {
      chosen.insert(cell.hash);
    }
  }
  return chosen;
}

// The time of all trials of the study, by those of the check that were ok.
// - beside_s: of each beside its wall time
std::optional<double> whole_study_s(const Store& store,
                                    std::int64_t study_id,
                                    const Study& study,
                                    std::size_t cells,
                                    double beside_s) {
  Eta eta;
  eta.add_beside(beside_s);
  std::map<std::int64_t, std::int64_t> left;
  for (const TrialRow& trial : store.trials(study_id)) {
    if (trial.state == TrialState::kOk && trial.wall_s) {
      eta.add_attempt(trial.cell_id, *trial.wall_s, /*is_ok=*/true, /*is_final=*/true);
      left[trial.cell_id] = study.trials.count;
    }
  }
  const std::int64_t unchecked = 0;  // no cell of a store: as the mean of the others
  left[unchecked] = static_cast<std::int64_t>(cells - left.size()) * study.trials.count;
  return eta.total_s(left);
}

// What trials say of their traces, in lines of their stderr: "trace: no kernels are in it".
std::set<std::string> lines_of_traces(const fs::path& stderr_path) {
  std::set<std::string> lines;
  std::ifstream file = open_log(stderr_path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("trace: ")) {
      lines.insert(printable(line));
    }
  }
  return lines;
}

// Where the traces are, what opens them, and what is not in them.
void note_traces(const fs::path& logs, Terminal& terminal) {
  std::vector<std::string> traces;
  std::set<std::string> lines;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(
           logs, fs::directory_options::skip_permission_denied, ignored);
       at != fs::recursive_directory_iterator();
       at.increment(ignored)) {
    const fs::path& file = at->path();
    if (file.extension() == ".json" && file.filename().string().starts_with("trace.")) {
      traces.push_back(file.string());
    } else if (file.filename() == "stderr") {
      lines.merge(lines_of_traces(file));
    }
  }
  std::ranges::sort(traces);
  terminal.note(traces.empty()
                    ? "no trial wrote a trace into $SCALESTUDY_TRACE: of the built-in workloads "
                      "train does"
                    : fmt::format("{}, for https://ui.perfetto.dev or chrome://tracing: {}",
                                  format_count(std::ssize(traces), "trace"),
                                  list_some(traces)));
  for (const std::string& line : lines) {
    terminal.note(line);
  }
}

// "at most 120 trials, about 4 min".
std::string whole_study_text(const Study& study,
                             std::size_t cells,
                             const std::optional<double>& whole_s) {
  if (study.search) {
    return "trials of " + format_duration(study.search->budget_s) + " (search.budget)";
  }
  return fmt::format("{}{}, {}",
                     study.trials.until || study.trials.is_for_verdicts ? "at most " : "",
                     format_count(static_cast<std::int64_t>(cells) * study.trials.count, "trial"),
                     whole_s ? "about " + format_duration(*whole_s)
                             : "how long they take is unknown until one ends ok");
}

// Metrics with how many values, warm-up first: "loss 12, step_time_s 2 + 10".
constexpr const char* kChecked = R"sql(
SELECT cell.label, trial.state, trial.wall_s, step_times.step_time_s,
  (SELECT group_concat(metric.name || ' ' || CASE warmup_n WHEN 0 THEN '' ELSE warmup_n || ' + ' END
                       || n, ', ')
   FROM series JOIN metric ON metric.id = metric_id
   WHERE trial_id = trial.id AND rank IS NULL) AS extracted,
  nullif(trial.reason, '') AS reason
FROM trial JOIN cell ON cell.id = cell_id LEFT JOIN step_times ON step_times.trial = trial.id
WHERE trial.study_id = ?1 AND trial.state <> 'excluded' ORDER BY cell.id)sql";

std::string checked_table(const QueryResult& checked, std::size_t width) {
  const auto text = [](const Field& field) {
    const auto* word = std::get_if<std::string>(&field);
    const auto* time_s = std::get_if<double>(&field);
    return word != nullptr     ? *word
           : time_s != nullptr ? format_duration(*time_s)
                               : std::string("-");
  };
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<Field>& row : checked.rows) {
    rows.emplace_back();
    std::ranges::transform(row, std::back_inserter(rows.back()), text);
  }
  return align_columns({{"cell", false},
                        {"ended", false},
                        {"trial", true},
                        {"step", true},
                        {"extracted", false},
                        {"why", false}},
                       rows,
                       width);
}

}  // namespace

ExitCode check_study(const Study& study,
                     const std::string& results,
                     bool is_traced,
                     const std::function<RunSummary(const Study&, Store&, const RunOptions&)>& run,
                     Terminal& terminal) {
  const std::vector<Cell> cells = expand(study).cells;
  RunOptions options;
  options.cells = cells_to_check(cells);
  options.is_traced = is_traced;
  Study once = study;
  once.trials = Trials();
  once.search.reset();
  once.trials.count = 1;
  once.limits.retries = 0;
  once.validity = {.idle_wait_s = 0.0, .calibration = Calibration::kNone};
  const fs::path folder = check_folder(results) / study.name;
  remove_tree(folder);  // what cannot be removed is met by open
  Store store = Store::open(folder);
  const RunSummary summary = run(once, store, options);
  const std::int64_t study_id = store.find_study(study.name).value().id;

  terminal.out(checked_table(store.query(kChecked, {study_id}), Terminal::columns()));
  tell_reading(store, study_id, study, terminal);
  const std::optional<double> whole_s =
      whole_study_s(store, study_id, study, cells.size(), summary.beside_s);
  terminal.note(fmt::format("checked {} of {}, with output in {}; the whole study: {}",
                            std::min<std::int64_t>(summary.run_now, std::ssize(options.cells)),
                            format_count(std::ssize(cells), "cell"),
                            (folder / "logs").string(),
                            whole_study_text(study, cells.size(), whole_s)));
  if (is_traced) {
    note_traces(folder / "logs", terminal);
  }
  if (!summary.stopped.empty()) {
    terminal.note("stopped: " + summary.stopped);
  } else if (summary.interrupted || summary.out_of_time) {
    return ExitCode::kInterrupted;
  }
  const auto count = [&](TrialState state) {
    const auto found = summary.states.find(state);
    return found == summary.states.end() ? 0 : found->second;
  };
  const std::int64_t ok = count(TrialState::kOk);
  const bool is_whole = ok + count(TrialState::kUnsupported) == std::ssize(options.cells);
  return ok > 0 && is_whole ? ExitCode::kDone : ExitCode::kFailedTrials;
}

}  // namespace scalestudy
