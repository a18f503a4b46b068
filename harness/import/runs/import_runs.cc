#include "harness/import/runs/import_runs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/replace_file.h"
#include "harness/import/runs/known_runs.h"
#include "harness/run/outcome/trial_record.h"
#include "harness/run/process/trial_files.h"
#include "harness/store/rows/launch_order.h"
#include "harness/store/trial_plan.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parameters/trial_metrics.h"
#include "harness/study/parse.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"
#include "workloads/names/names.h"
#include "workloads/protocol/writer.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// The plan of trials whose blocks are declared. Without them it is the text's hash, by which the
// same log is the same trial in every store; logs of failures may be equal, so their names count.
constexpr const char* kDeclaredPlan = "imported";

void require_importable(const Study& study, const RunsRequest& request) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kUsage, fmt::format("study {}: {}", study.name, why));
  };
  if (study.workload != Workload::kCommand) {
    refuse("only a study of a command (workload: command) can be made of logs");
  }
  if (study.search || !study.sides.empty()) {
    refuse("a search and sides are decided while trials run; logs cannot have been part of them");
  }
  const bool is_wall_time = std::ranges::any_of(
      study.extract, [](const ExtractRule& rule) { return rule.from == ExtractSource::kWallTime; });
  if (request.column_map.empty() && (study.extract.empty() || is_wall_time)) {
    refuse(is_wall_time
               ? "a log does not tell the wall time of its run; extract the time of a step"
               : "it has no extract rules, which say where in a log the time of a step is");
  }
  if (!request.column_map.empty() && !request.separator.empty()) {
    refuse("--separator divides logs, and --map reads tables; give one of them");
  }
}

// Throws where trials of the store and of these logs would not belong together.
void require_same_kind(const Study& study,
                       const std::vector<KnownTrial>& known,
                       const Store* store) {
  if (known.empty()) {
    return;
  }
  const auto run = std::ranges::find(
      known, TrialProvenance::kMeasured, [](const KnownTrial& one) { return one.row.provenance; });
  if (run != known.end()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("study {} has trials that scalestudy ran or planned, and logs never mix "
                    "with them. Give the study of the logs another name (study: {}-logs)",
                    study.name,
                    study.name));
  }
  const StudyRow stored = store->find_study(study.name).value();
  const Study before = parse_stored_study(stored.source_text, stored.source_path);
  std::vector<std::string> lines = study_difference(before, study);
  std::erase_if(lines, [](const std::string& line) {
    constexpr std::array parts = {"command[", "extract[", "fail_if[", "sides[", "steps."};
    return std::ranges::none_of(parts, [&](const char* part) { return line.starts_with(part); });
  });
  if (!lines.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("study {} reads logs in another way than those it has:\n  {}\n"
                    "Read these again first: {}",
                    study.name,
                    join(lines, "\n  "),
                    call_of(store->results_folder().string(), "extract", study.source_path)));
  }
}

// Seconds since 1970 of "2026-11-26T10:00:00Z" or "2026-11-26T10:00:00.25Z".
std::optional<double> seconds_since_epoch(const std::string& stamp) {
  static const re2::RE2 form(R"(([^.]+)(\.\d+)?Z)");
  std::string date;
  std::string fraction;
  if (!re2::RE2::FullMatch(stamp, form, &date, &fraction)) {
    return std::nullopt;
  }
  const auto whole = seconds_between("1970-01-01T00:00:00Z", date + "Z");
  return whole ? std::optional(*whole + parse_number("0" + fraction).value_or(0.0)) : std::nullopt;
}

// The position of a number or of a time stamp.
std::optional<std::int64_t> order_of(const std::string& text) {
  if (const auto whole = parse_integer(text); whole && *whole >= 0 && *whole < kFirstFraction) {
    return whole;
  }
  const auto number = parse_number(text);
  const auto seconds = number ? number : seconds_since_epoch(text);
  return seconds ? position_of(*seconds) : std::nullopt;
}

// Fills in block and order from the run's values. Returns why it cannot.
std::string place(const RunsRequest& request, const NamedTexts& values, TrialRow& row) {
  const auto block = values.find("block");
  row.has_block = block != values.end();
  row.plan = row.has_block                  ? kDeclaredPlan
             : row.state == TrialState::kOk ? *row.source_hash
                                            : text_hash(*row.source + " " + *row.source_hash);
  if (row.has_block) {
    const auto number = parse_integer(block->second);
    if (!number || *number < 0) {
      return fmt::format("block \"{}\" is not a whole number", block->second);
    }
    row.block = *number;
  }
  row.has_order = !request.order.empty();
  if (row.has_order) {
    const auto text = values.find(request.order);
    const auto order = text == values.end() ? std::nullopt : order_of(text->second);
    if (!order) {
      return text == values.end()
                 ? fmt::format("nothing says its {}, which --order takes", request.order)
                 : fmt::format(
                       "{} \"{}\" is neither a number nor a time stamp "
                       "(2026-11-26T10:00:00Z)",
                       request.order,
                       text->second);
    }
    row.position = *order;
  }
  return "";
}

// The run's source as it was named, but never relative to another folder than `home`.
std::string stored_source(const ReadRun& run, const fs::path& home) {
  return place_of(run.found.source, home) == run.place ? run.found.source : run.place;
}

void read_run(const Study& study, const std::string& text, ReadRun& run) {
  std::istringstream out(text);
  std::istringstream err(text);
  run.record = run.found.record
                   ? judged_record(study, std::move(run.record.trial), *run.found.record)
                   : read_trial(study,
                                *run.cell,
                                std::move(run.record.trial),
                                {.out = out, .err = err, .is_log = true});
}

void refuse_all(const std::vector<std::string>& problems) {
  constexpr std::size_t most = 20;
  if (problems.empty()) {
    return;
  }
  std::vector<std::string> lines(
      problems.begin(),
      problems.begin() + static_cast<std::ptrdiff_t>(std::min(most, problems.size())));
  if (problems.size() > most) {
    lines.push_back(fmt::format("and {} more", problems.size() - most));
  }
  throw Error(ErrorKind::kUsage, fmt::format("nothing was imported:\n  {}", join(lines, "\n  ")));
}

void require_write(bool is_written, const fs::path& path) {
  if (!is_written) {
    throw Error(ErrorKind::kStore, cannot_write(path, errno));
  }
}

// Copies the log to where a trial's output is, and gives the rows about it.
std::vector<LogRow> keep_text(const Study& study, const ReadRun& run, const TrialFiles& files) {
  const std::string text = text_of(run.found);
  if (run.hash != text_hash(text)) {
    throw Error(ErrorKind::kUsage,
                run.found.source + ": it changed while it was read; import it once it is complete");
  }
  fs::create_directories(files.stdout_path().parent_path());
  require_write(replace_log(files.stdout_path(), text), files.stdout_path());
  if (run.found.record && run.record.trial.state == TrialState::kOk) {
    std::string lines;
    for (const protocol::Event& event : run.found.record->events) {
      lines += protocol::format_event(event) + "\n";
    }
    require_write(replace_log(files.protocol_path(), lines), files.protocol_path());
  }
  const bool is_ok = run.record.trial.state == TrialState::kOk;
  std::vector<LogRow> rows = log_rows(files, {}, {}, !is_ok);
  std::ranges::copy(run.record.logs, std::back_inserter(rows));
  if (const std::string lost = keep_log(files.stdout_path(), secret_values(study)); !lost.empty()) {
    rows.push_back({LogStream::kEvent, "", lost});
  }
  return rows;
}

// A sentence for each metric of the map that nothing knows, such as a mistyped one.
std::vector<std::string> unknown_metrics(const Study& study, const std::vector<ReadRun>& runs) {
  std::vector<std::string> asked{names::kStepTime};
  for (const MetricRequest& request : study.analysis.metrics) {
    asked.push_back(request.metric);
  }
  for (const Target& target : study.analysis.targets) {
    asked.push_back(target.metric);
  }
  std::set<std::string> unknown;
  for (const ReadRun& run : runs) {
    for (const SeriesRow& series : run.record.series) {
      if (std::ranges::find(asked, series.metric) == asked.end() &&
          find_metric(series.metric) == nullptr &&
          !check_trial_metric(Workload::kTrain, series.metric).empty()) {
        unknown.insert(series.metric);
      }
    }
  }
  std::vector<std::string> notes;
  for (const std::string& metric : unknown) {
    notes.push_back(fmt::format(
        "--map: the study asks for no metric {}{}, so it is kept and compared with nothing; it "
        "asks for {}",
        metric,
        suggestion(metric, asked),
        join(asked, ", ")));
  }
  return notes;
}

}  // namespace

ReadRuns read_runs(const Study& study,
                   const Matrix& matrix,
                   const RunsRequest& request,
                   const Store* store) {
  require_importable(study, request);
  std::vector<KnownTrial> trials = known_trials(store, study.name, request.home);
  require_same_kind(study, trials, store);
  const CellFinder finder(matrix);
  FoundRuns found = find_runs(request, finder, study.steps);
  ReadRuns read;
  read.notes = std::move(found.notes);
  for (FoundRun& one : found.runs) {
    ReadRun run;
    auto [cell, problem] = finder.find(one.values);
    run.cell = cell;
    run.found = std::move(one);
    run.place = place_of(run.found.source, fs::current_path());
    if (cell != nullptr) {
      const std::string text = text_of(run.found);
      TrialRow& row = run.record.trial;
      row.provenance = TrialProvenance::kImported;
      row.source = stored_source(run, request.home);
      run.hash = text_hash(text);
      row.source_hash = run.hash;
      read_run(study, text, run);
      problem = place(request, run.found.values, row);
    }
    if (problem.empty()) {
      read.runs.push_back(std::move(run));
    } else {
      found.problems.push_back(run.found.source + ": " + problem);
    }
  }
  KnownRuns known(study.name, std::move(trials), read.runs);
  for (ReadRun& run : read.runs) {
    if (const std::string problem = known.settle(run); !problem.empty()) {
      found.problems.push_back(run.found.source + ": " + problem);
    }
    if (run.excluded_trial) {
      read.notes.push_back(fmt::format(
          "{0}: its text has changed, but trial {1} is excluded by hand and stays as "
          "it was. To count the new text, run `{2} --undo REASON`, then import again",
          run.found.source,
          *run.excluded_trial,
          call_of(
              store->results_folder().string(), "exclude", std::to_string(*run.excluded_trial))));
    }
  }
  refuse_all(found.problems);
  if (!request.column_map.empty()) {
    std::ranges::move(unknown_metrics(study, read.runs), std::back_inserter(read.notes));
  }
  for (const Cell& cell : matrix.cells) {
    if (cell.role == CellRole::kMeasured && !known.has_trial(cell)) {
      read.empty.push_back(cell.label);
    }
  }
  return read;
}

std::int64_t store_runs(
    const Study& study, const Matrix& matrix, const ReadRuns& runs, bool keeps_logs, Store& store) {
  const PlannedStudy planned = put_study(study, matrix, {}, store);
  std::vector<TrialRecord> records;
  const std::vector<std::string> secrets = secret_values(study);
  for (const ReadRun& run : runs.runs) {
    if (run.effect == RunEffect::kKnown) {
      continue;
    }
    TrialRecord& record = records.emplace_back(run.record);
    record.trial.study_id = planned.study_id;
    record.trial.cell_id = planned.cell_ids.at(run.cell->hash);
    if (keeps_logs) {
      record.logs = keep_text(
          study, run, TrialFiles(store.results_folder(), study.name, run.cell->hash, record.trial));
    }
    mask_secrets(record, secrets);
  }
  store.add_imported(records);
  return planned.study_id;
}

}  // namespace scalestudy
