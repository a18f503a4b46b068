#include "harness/cli/exchange/import_logs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/cli/find_study.h"
#include "harness/cli/results/answer_text.h"
#include "harness/cli/results/tell_reading.h"
#include "harness/cli/table.h"
#include "harness/import/runs/import_runs.h"
#include "harness/run/process/lock.h"
#include "harness/store/tables/summary.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/remarks.h"
#include "harness/text/number.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// "20 steps, 12.3 ms each", or why the log gave none.
std::string value_text(const ReadRun& run) {
  const TrialRow& trial = run.record.trial;
  if (trial.state != TrialState::kOk) {
    return to_word(trial.state) + ": " + trial.reason;
  }
  for (const SeriesRow& series : run.record.series) {
    if (series.metric == names::kStepTime && !series.rank) {
      const SeriesSummary summary =
          summarise(std::span(series.values).subspan(static_cast<std::size_t>(series.warmup_n)));
      return fmt::format("{}, mean {}",
                         format_count(summary.n, "step"),
                         format_duration(summary.mean.value_or(0.0)));
    }
  }
  return "";
}

// Rows of a table may well be equal; whole logs hardly are.
bool has_twin(const ReadRun& run) {
  return !run.twin.empty() && !run.found.record;
}

std::string effect_text(const ReadRun& run) {
  switch (run.effect) {
    case RunEffect::kNew:
      return has_twin(run) ? "new, with the text of " + run.twin : "new";
    case RunEffect::kKnown:
      return run.excluded_trial                 ? "changed, but left alone"
             : run.known_as == run.found.source ? "imported before"
                                                : "same text as " + run.known_as;
    case RunEffect::kChanged:
      break;
  }
  return "changed since it was imported";
}

// Whether it is passed over for a log of another name.
bool is_alike(const ReadRun& run) {
  return run.effect == RunEffect::kKnown && run.known_as != run.found.source;
}

// Whether there is more to say of it than that it is a trial now, or was before.
bool is_remarkable(const ReadRun& run) {
  return run.record.trial.state != TrialState::kOk || run.effect == RunEffect::kChanged ||
         has_twin(run) || is_alike(run) || run.excluded_trial;
}

void list_runs(const ReadRuns& runs, bool lists_all, Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const ReadRun& run : runs.runs) {
    if (!lists_all && !is_remarkable(run)) {
      continue;
    }
    rows.push_back({run.found.source, run.cell->label, effect_text(run), value_text(run)});
  }
  if (rows.empty()) {
    return;
  }
  terminal.out(align_columns(
      {{"log", false}, {"cell", false}, {"", false}, {"read", false}}, rows, Terminal::columns()));
}

struct Counts {
  std::int64_t fresh = 0;
  std::int64_t changed = 0;
  std::int64_t known = 0;
  std::int64_t alike = 0;     // of the known ones
  std::int64_t excluded = 0;  // of the known ones, changed since
  std::int64_t unusable = 0;  // of the fresh and changed ones
};

Counts count_runs(const ReadRuns& runs) {
  Counts counts;
  for (const ReadRun& run : runs.runs) {
    counts.fresh += run.effect == RunEffect::kNew ? 1 : 0;
    counts.changed += run.effect == RunEffect::kChanged ? 1 : 0;
    counts.known += run.effect == RunEffect::kKnown ? 1 : 0;
    counts.alike += is_alike(run) ? 1 : 0;
    counts.excluded += run.excluded_trial ? 1 : 0;
    counts.unusable +=
        run.effect != RunEffect::kKnown && run.record.trial.state != TrialState::kOk ? 1 : 0;
  }
  return counts;
}

// "logs: 12 new trials, 1 trial replaced (the earlier attempt stays), 3 logs already imported"
std::string summary(const std::string& study, const Counts& counts) {
  std::vector<std::string> parts{format_count(counts.fresh, "new trial")};
  if (counts.changed > 0) {
    parts.push_back(fmt::format("{} replaced (the earlier attempt stays)",
                                format_count(counts.changed, "trial")));
  }
  if (const std::int64_t same = counts.known - counts.alike - counts.excluded; same > 0) {
    parts.push_back(format_count(same, "log") + " already imported");
  }
  if (counts.excluded > 0) {
    parts.push_back(format_count(counts.excluded, "changed log") + " left alone: excluded by hand");
  }
  if (counts.alike > 0) {
    parts.push_back(format_count(counts.alike, "log") + " passed over: known under another name");
  }
  if (counts.unusable > 0) {
    parts.push_back(fmt::format("{} failed or invalid", counts.unusable));
  }
  return fmt::format("{}: {}", study, join(parts, ", "));
}

// The same of a check as of the import itself.
ExitCode end_code(const Counts& counts) {
  return counts.unusable == 0 ? ExitCode::kDone : ExitCode::kFailedTrials;
}

// Warns of trials that count until now, and not with the study as it is read here.
void warn_of_dropped(const Study& study,
                     const Matrix& matrix,
                     const Store& store,
                     Terminal& terminal) {
  const auto stored = store.find_study(study.name);
  std::map<std::int64_t, std::string> dropped;  // labels of cells
  for (const CellRow& cell : stored ? store.cells(stored->id) : std::vector<CellRow>()) {
    if (!cell.excluded_reason &&
        std::ranges::find(matrix.cells, cell.hash, &Cell::hash) == matrix.cells.end()) {
      dropped.emplace(cell.id, cell.label);
    }
  }
  std::set<std::string> labels;
  std::int64_t trials = 0;
  for (const TrialRow& trial :
       dropped.empty() ? std::vector<TrialRow>() : store.trials(stored->id)) {
    if (trial.state == TrialState::kOk && !trial.superseded && dropped.contains(trial.cell_id)) {
      labels.insert(dropped.at(trial.cell_id));
      ++trials;
    }
  }
  if (trials > 0) {
    terminal.warn(
        fmt::format("{} imported earlier no longer count, because the study no longer has {}. To "
                    "keep them, put those cells back.",
                    format_count(trials, "trial"),
                    list_some(std::vector<std::string>(labels.begin(), labels.end()))));
  }
}

// Warns as the import of the new logs alone would.
void tell_new(const Study& study, const Matrix& matrix, const ReadRuns& runs, Terminal& terminal) {
  Store store = Store::open_in_memory();
  const std::int64_t study_id = store_runs(study, matrix, runs, /*keeps_logs=*/false, store);
  tell_reading(store, study_id, study, terminal);
}

// Tells the first notes of rules on new logs; the check of an import tells all.
void tell_notes(const ReadRuns& runs, Terminal& terminal) {
  constexpr std::size_t most = 5;
  std::map<std::string, std::int64_t> notes;  // trials by text
  for (const ReadRun& run : runs.runs) {
    if (run.effect == RunEffect::kKnown) {
      continue;
    }
    for (const LogRow& log : run.record.logs) {
      if (log.stream == LogStream::kEvent && log.text.starts_with("extract: ")) {
        ++notes[log.text];
      }
    }
  }
  std::size_t told = 0;
  for (const auto& [text, trials] : notes) {
    if (told++ == most) {
      terminal.note("further notes: --check");
      break;
    }
    terminal.note(fmt::format("{} ({})", text, format_count(trials, "trial")));
  }
}

}  // namespace

ExitCode import_logs(const ImportLogs& options, const std::string& results, Terminal& terminal) {
  const Study study = declared_study(options.study, options.overrides, results);
  terminal.hide(secret_values(study));
  const Matrix matrix = expand(study);
  const bool has_store = Store::exists(results);
  std::optional<RunLock> lock;
  std::optional<Store> store;
  if (options.is_check) {
    store = has_store ? std::optional(Store::open_read_only(results)) : std::nullopt;
  } else if (has_store) {
    lock.emplace(results);
    store = Store::open(results);
  }
  RunsRequest request = options.request;
  request.home = (fs::absolute(results) / "").lexically_normal().parent_path().parent_path();
  const ReadRuns runs = read_runs(study, matrix, request, store ? &*store : nullptr);
  if (store) {
    warn_of_dropped(study, matrix, *store, terminal);
  }
  list_runs(runs, options.is_check, terminal);
  for (const std::string& note : runs.notes) {
    terminal.note(note);
  }
  if (!runs.empty.empty()) {
    terminal.note("no log yet of " + list_some(runs.empty));
  }
  const Counts counts = count_runs(runs);
  if (options.is_check) {
    if (const std::string open = unstated_work(study, matrix); !open.empty()) {
      terminal.warn(open);
    }
    if (counts.fresh + counts.changed > 0) {
      tell_new(study, matrix, runs, terminal);
    }
    terminal.note(summary(study.name, counts) + "; nothing was written");
    return end_code(counts);
  }
  if (!store) {
    lock.emplace(results);
    store = Store::open(results);
  }
  const std::int64_t study_id = store_runs(study, matrix, runs, /*keeps_logs=*/true, *store);
  store->replace_results(study_id, analyse(*store, study_id, study));
  terminal.note(summary(study.name, counts));
  tell_notes(runs, terminal);
  if (const std::string answer = answer_text(*store, study_id, Terminal::columns());
      !answer.empty()) {
    terminal.out("\n" + answer + "\n");
  }
  const bool is_unread = counts.known == 0 && counts.unusable == counts.fresh + counts.changed &&
                         options.request.column_map.empty();
  terminal.note(is_unread ? fmt::format("next: correct the extract rules, then `{}`",
                                        call_of(results, "extract", options.study))
                          : "next: " + call_of(results, "report", study.name));
  return end_code(counts);
}

}  // namespace scalestudy
