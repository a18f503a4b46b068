#include "harness/run/outcome/reextract.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/replace_file.h"
#include "harness/run/outcome/extract.h"
#include "harness/run/outcome/result_files.h"
#include "harness/run/outcome/step_coverage.h"
#include "harness/run/outcome/trial_record.h"
#include "harness/run/process/trial_files.h"
#include "harness/store/added.h"
#include "harness/store/excluded_trials.h"
#include "harness/store/rows/put_aside.h"
#include "harness/store/tables/summary.h"
#include "harness/study/declared/reading.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// Paths of a trial's stdout and stderr, and why they cannot be read again; "" when they can.
struct KeptLogs {
  fs::path out;
  fs::path err;
  std::vector<ResultFile> files;
  std::string problem;
  std::string last_reading;  // the event of it; "" where nobody read them again
};

KeptLogs find_logs(const Study& study,
                   const Cell& cell,
                   const Store& store,
                   std::int64_t trial_id) {
  KeptLogs logs;
  const QueryResult rows =
      store.query("SELECT stream, path, text FROM log WHERE trial_id = ? ORDER BY id", {trial_id});
  for (const auto& row : rows.rows) {
    const auto& stream = std::get<std::string>(row.at(0));
    const auto& name = std::get<std::string>(row.at(1));
    const fs::path path = stays_inside(name) ? store.results_folder() / name : fs::path();
    const auto& text = std::get<std::string>(row.at(2));
    if (stream == to_word(LogStream::kStdout)) {
      logs.out = path;
    } else if (stream == to_word(LogStream::kStderr)) {
      logs.err = path;
    } else if (stream == to_word(LogStream::kProtocol)) {
      logs.problem = "it wrote the trial protocol, no rule gave its values";
    } else if (text.starts_with(kReadAgain)) {
      logs.last_reading = text;
    } else if (text.starts_with(kMayBeCut) ||
               text.find(std::string(" stdout ") + kLeftOut) != std::string::npos ||
               text.find(std::string(" stderr ") + kLeftOut) != std::string::npos) {
      logs.problem = "its log was not kept whole";
    } else if (std::ranges::any_of(study.extract, [&](const ExtractRule& rule) {
                 return text.find(" " + kept_name(rule.file) + " " + kLeftOut) != std::string::npos;
               })) {
      logs.problem = "a file that rules read was not kept whole";
    }
  }
  if (logs.err.empty()) {
    logs.err = logs.out;  // an imported log holds both
  }
  logs.files = open_kept_files(study, cell, logs.out.parent_path());
  if (logs.problem.empty() && (!open_log(logs.out).is_open() || !open_log(logs.err).is_open())) {
    logs.problem = "its logs are gone";
  }
  if (logs.problem.empty() && std::ranges::any_of(logs.files, [](const ResultFile& file) {
        return !file.problem.empty();
      })) {
    logs.problem = "a file that rules read is not among its logs";
  }
  return logs;
}

// "mean 0.5 s of 10"; of measured steps.
std::string describe(const SeriesRow* series) {
  if (series == nullptr) {
    return "nothing";
  }
  const SeriesSummary summary =
      summarise(std::span(series->values).subspan(static_cast<std::size_t>(series->warmup_n)));
  const bool has_unit = !series->unit.empty() && series->unit != "1";
  return fmt::format("mean {:.4g}{} of {}",
                     summary.mean.value_or(0.0),
                     has_unit ? " " + series->unit : "",
                     summary.n);
}

// A metric, and of one rank which.
using SeriesName = std::pair<std::string, std::optional<int>>;

SeriesName name_of(const SeriesRow& series) {
  return {series.metric, series.rank};
}

const SeriesRow* find_series(const std::vector<SeriesRow>& series, const SeriesName& name) {
  const auto found = std::ranges::find(series, name, name_of);
  return found == series.end() ? nullptr : &*found;
}

bool are_equal(const SeriesRow* a, const SeriesRow* b) {
  return a != nullptr && b != nullptr && a->unit == b->unit && a->warmup_n == b->warmup_n &&
         same_values(a->values, b->values);
}

std::string describe_change(const TrialRow& before,
                            const std::vector<SeriesRow>& old_series,
                            const TrialRecord& after) {
  std::vector<std::string> texts;
  if (before.state != after.trial.state || before.reason != after.trial.reason) {
    texts.push_back(fmt::format("{} -> {}{}",
                                to_word(before.state),
                                to_word(after.trial.state),
                                after.trial.reason.empty() ? "" : ": " + after.trial.reason));
  }
  std::vector<SeriesName> names;
  for (const auto* all : {&old_series, &after.series}) {
    for (const SeriesRow& series : *all) {
      if (std::ranges::find(names, name_of(series)) == names.end()) {
        names.push_back(name_of(series));
      }
    }
  }
  for (const SeriesName& name : names) {
    const SeriesRow* old = find_series(old_series, name);
    const SeriesRow* now = find_series(after.series, name);
    if (!are_equal(old, now)) {
      const std::string of = name.second ? fmt::format(" of rank {}", *name.second) : "";
      texts.push_back(fmt::format("{}{}: {} -> {}", name.first, of, describe(old), describe(now)));
    }
  }
  return join(texts, "; ");
}

// What the rules find in the logs now, judged as the trial's own end was. Its events are kept.
TrialRecord read_again(const Study& study, const Cell& cell, const TrialRow& trial, KeptLogs logs) {
  std::ifstream out = open_log(logs.out);
  std::ifstream err = open_log(logs.err);
  TrialRecord record = read_trial(study,
                                  cell,
                                  trial,
                                  {.out = out,
                                   .err = err,
                                   .wall_s = trial.wall_s.value_or(0.0),
                                   .files = std::move(logs.files),
                                   .is_log = logs.out == logs.err});
  record.logs.clear();
  return record;
}

// Throws where more than the rules is another.
void require_same_trials(const Study& study, const StudyRow& stored) {
  const Study before = parse_stored_study(stored.source_text, stored.source_path);
  std::vector<std::string> others;
  for (const std::string& line : study_difference(before, study)) {
    if (!line.starts_with("extract") && !line.starts_with("fail_if") &&
        !line.starts_with("steps.") && !line.starts_with("analysis.") &&
        !line.starts_with("cost.") && !line.starts_with("trials.") &&
        !line.starts_with("limits.")) {
      others.push_back(line);
    }
  }
  if (study.extract.empty()) {
    others.emplace_back("the study has no extract rules");
  }
  if (!others.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "only extract, fail_if, steps, analysis, cost, trials and limits may differ from study "
            "{} as it was run:\n  {}",
            stored.name,
            join(others, "\n  ")));
  }
}

// Those whose trials were read by other rules as they ended.
std::set<std::int64_t> sessions_of_other_rules(const Study& study,
                                               const Store& store,
                                               std::int64_t study_id) {
  std::set<std::int64_t> ids;
  for (const SessionRow& session : store.sessions(study_id)) {
    if (!session.study_text ||
        reading_mark(parse_stored_study(*session.study_text, "")) != reading_mark(study)) {
      ids.insert(session.id);
    }
  }
  return ids;
}

bool may_be_read(const TrialRow& trial) {
  const bool is_imported = trial.provenance == TrialProvenance::kImported;
  return !trial.superseded && (trial.exit_code == 0 || is_imported) && !trial.signal &&
         (trial.state == TrialState::kOk || trial.state == TrialState::kFailed ||
          trial.state == TrialState::kInvalid);
}

}  // namespace

std::vector<Reread> reread_logs(const Study& study,
                                const Store& store,
                                std::optional<std::int64_t> only) {
  const std::optional<StudyRow> stored = store.find_study(study.name);
  if (!stored) {
    throw Error(ErrorKind::kUsage, "no trial of study " + study.name + " has run yet");
  }
  require_same_trials(study, *stored);
  const Matrix matrix = expand(with_additions(study, store));
  std::map<std::int64_t, const Cell*> cells;
  for (const CellRow& row : store.cells(stored->id)) {
    const auto cell = std::ranges::find(matrix.cells, row.hash, &Cell::hash);
    if (cell != matrix.cells.end()) {
      cells[row.id] = &*cell;
    }
  }
  const std::set<std::int64_t> other_rules = sessions_of_other_rules(study, store, stored->id);
  const std::set<std::int64_t> excluded = excluded_by_hand(store, stored->id);
  const std::string mark = reading_mark(study);
  std::vector<Reread> all;
  for (const TrialRow& trial : store.trials(stored->id)) {
    const auto cell = cells.find(trial.cell_id);
    if (!may_be_read(trial) || cell == cells.end() || trial.id != only.value_or(trial.id)) {
      continue;
    }
    Reread& reread = all.emplace_back(Reread{trial, trial, "", "", std::nullopt});
    if (is_put_aside(trial) || excluded.contains(trial.id)) {
      reread.left_alone = "it does not count: " + trial.reason;
      continue;
    }
    KeptLogs logs = find_logs(study, *cell->second, store, trial.id);
    const std::string last_reading = logs.last_reading;
    reread.left_alone = logs.problem;
    if (!logs.problem.empty()) {
      continue;
    }
    TrialRecord record = read_again(study, *cell->second, trial, std::move(logs));
    std::vector<SeriesRow> series = store.series(trial.id);
    std::ranges::for_each(series, make_share);
    take_step_coverage(series, record);
    reread.after = record.trial;
    reread.what = describe_change(trial, series, record);
    const bool is_known =
        !other_rules.contains(trial.session_id.value_or(0)) || last_reading.starts_with(mark);
    if (!reread.what.empty() || !is_known) {
      record.logs.push_back({LogStream::kEvent,
                             "",
                             fmt::format("{}, from the logs of attempt {}: {}",
                                         mark,
                                         trial.attempt,
                                         reread.what.empty() ? "as it was" : reread.what)});
    } else if (trial.rules_hash == record.trial.rules_hash) {
      continue;  // these rules read it before
    }
    reread.record = std::move(record);
  }
  return all;
}

void accept_readings(const Study& study, const std::vector<Reread>& readings, Store& store) {
  for (const Reread& reading : readings) {
    if (reading.record) {
      store.add_reading(*reading.record);
    }
  }
  store.put_study(StudyRow{.name = study.name,
                           .title = study.title,
                           .hash = study_hash(study),
                           .source_path = study.source_path,
                           .source_text = study.source_text,
                           .scaling = expand(with_additions(study, store)).scaling});
}

}  // namespace scalestudy
