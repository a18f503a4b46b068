#include "harness/run/outcome/trial_record.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "harness/run/command/launch_command.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/output/terminal_text.h"
#include "harness/study/declared/reading.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::size_t kKeptLines = 20;

// Unit of a fact by the suffix of its name, which every quantity of this project carries.
std::string unit_of(const std::string& name) {
  if (name.ends_with("_bytes_per_s")) {
    return "bytes/s";
  }
  if (name.ends_with("_bytes")) {
    return "bytes";
  }
  if (name.ends_with("_flop") || name.starts_with("flop_")) {
    return "flop";
  }
  return name.ends_with("_s") ? "s" : "";
}

// The last lines of a log as a terminal shows them.
std::string shown_tail(const std::filesystem::path& path) {
  std::string text = last_lines(read_tail(path), kKeptLines);
  remove_escapes(text);
  return printable(text);
}

// "versions: mpi 4.1.4, onednn 2.6.3", empty when the trial named none.
std::string versions_text(const protocol::Record& record) {
  std::vector<std::string> versions;
  for (const protocol::Event& event : record.events) {
    if (const auto* start = std::get_if<protocol::Start>(&event)) {
      for (const auto& [library, version] : start->versions) {
        versions.push_back(fmt::format("{} {}", library, version));
      }
    }
  }
  return versions.empty() ? "" : "versions: " + printable(join(versions, ", "));
}

void add_notes(const std::vector<std::string>& texts, std::vector<LogRow>& rows) {
  for (const std::string& text : texts) {
    rows.push_back({LogStream::kEvent, "", printable(text)});
  }
}

TrialRecord judge(const Study& study,
                  TrialRow trial,
                  protocol::Record record,
                  const FailLines& lines) {
  LaunchResult launch;
  launch.ending = LaunchEnding::kExited;
  launch.exit_code = trial.exit_code.value_or(0);
  const TrialEvidence evidence{.launch = launch,
                               .record = std::move(record),
                               .steps = study.steps,
                               .ranks = {},
                               .stderr_tail = {},
                               .fail_line = lines.declared,
                               .secrets = secret_values(study)};
  const Outcome outcome = judge_trial(evidence);
  TrialRecord judged;
  judged.trial = std::move(trial);
  judged.trial.state = outcome.state;
  judged.trial.reason = outcome.reason;
  judged.series = series_rows(evidence.record);
  judged.telemetry = fact_rows(evidence.record);
  add_notes(evidence.record.notes, judged.logs);
  add_fail_lines(study, lines, judged);
  return judged;
}

}  // namespace

std::vector<SeriesRow> series_rows(const protocol::Record& record) {
  std::vector<SeriesRow> rows;
  for (const protocol::Event& event : record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event)) {
      rows.push_back(SeriesRow{.metric = samples->metric,
                               .unit = samples->unit,
                               .rank = samples->rank,
                               .warmup_n = samples->warmup,
                               .values = samples->values});
    }
  }
  return rows;
}

std::vector<TelemetryRow> fact_rows(const protocol::Record& record) {
  std::vector<TelemetryRow> rows;
  for (const protocol::Event& event : record.events) {
    const auto* start = std::get_if<protocol::Start>(&event);
    const auto* end = std::get_if<protocol::End>(&event);
    if (start == nullptr && end == nullptr) {
      continue;
    }
    for (const auto& [name, value] : start != nullptr ? start->facts : end->facts) {
      if (std::ranges::find(rows, name, &TelemetryRow::name) == rows.end()) {
        rows.push_back({name, value, unit_of(name)});
      }
    }
  }
  return rows;
}

std::vector<TelemetryRow> telemetry_rows(const protocol::Record& record,
                                         const LaunchResult& launch,
                                         const Load& load,
                                         const std::vector<Reading>& readings,
                                         std::int64_t cores_per_rank) {
  std::vector<TelemetryRow> rows{
      {"cpu_s", launch.cpu_s, "s"},
      {"system_s", launch.system_s, "s"},
      {"max_rss_bytes", launch.max_rss_bytes, "bytes"},
      {"left_processes", static_cast<double>(launch.left_processes), ""}};
  if (load.foreign && load.steal) {
    rows.push_back({"foreign_load", *load.foreign, "cores"});
    rows.push_back({"steal", *load.steal, "cores"});
  }
  if (cores_per_rank > 0) {
    rows.push_back({"cores_per_rank", static_cast<double>(cores_per_rank), "cores"});
  }
  for (const Reading& reading : readings) {
    rows.push_back({reading.name, reading.value, reading.unit});
  }
  for (TelemetryRow& row : fact_rows(record)) {
    if (std::ranges::find(rows, row.name, &TelemetryRow::name) == rows.end()) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<Reading> measured_readings(const protocol::Record& record, const MachineWatch& watch) {
  for (const protocol::Event& event : record.events) {
    if (const auto* end = std::get_if<protocol::End>(&event)) {
      const auto from = end->facts.find("measured_from_s");
      const auto until = end->facts.find("measured_until_s");
      return from == end->facts.end() || until == end->facts.end()
                 ? std::vector<Reading>()
                 : watch.between(from->second, until->second);
    }
  }
  return {};
}

std::vector<LogRow> log_rows(const TrialFiles& files,
                             const protocol::Record& record,
                             const LaunchResult& launch,
                             bool keep_text) {
  std::vector<LogRow> rows;
  for (const auto& [stream, path] : {std::pair{LogStream::kStdout, files.stdout_path()},
                                     std::pair{LogStream::kStderr, files.stderr_path()},
                                     std::pair{LogStream::kProtocol, files.protocol_path()}}) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
      const bool has_text = keep_text && stream != LogStream::kProtocol;
      rows.push_back(
          {stream, (files.folder / path.filename()).string(), has_text ? shown_tail(path) : ""});
    }
  }
  if (const std::string versions = versions_text(record); !versions.empty()) {
    rows.push_back({LogStream::kEvent, "", versions});
  }
  add_notes(record.unknown, rows);
  add_notes(record.notes, rows);
  if (record.truncated) {
    rows.push_back({LogStream::kEvent,
                    "",
                    "the last line of the protocol file is incomplete and was left out"});
  }
  if (launch.is_disk_full) {
    rows.push_back({LogStream::kEvent,
                    "",
                    std::string(kMayBeCut) + ", because the disk was full when the trial ended"});
  }
  if (launch.left_processes > 0) {
    rows.push_back(
        {LogStream::kEvent,
         "",
         fmt::format(
             "{} process(es) were still running after the trial had ended, and were terminated",
             launch.left_processes)});
  }
  return rows;
}

void add_fail_lines(const Study& study, const FailLines& lines, TrialRecord& record) {
  if (lines.count > 0) {
    record.telemetry.push_back({"error_lines", static_cast<double>(lines.count), "1"});
    record.logs.push_back(
        {LogStream::kEvent, "", printable("output: reports an error: " + lines.usual)});
  }
  if (!study.fail_if.empty() && !lines.unread.empty()) {
    if (std::ranges::none_of(record.telemetry, [](const TelemetryRow& row) {
          return row.name == "unread_output";  // rules have told it
        })) {
      record.telemetry.push_back({"unread_output", 1.0, "1"});
    }
    record.logs.push_back({LogStream::kEvent, "", "fail_if: not searched: " + lines.unread});
  }
}

TrialRecord read_trial(const Study& study,
                       const Cell& cell,
                       TrialRow trial,
                       const TrialOutput& output) {
  const FailLines lines = find_fail_lines(output.out, output.err, study.fail_if, output.is_log);
  for (std::istream* stream : {&output.out, &output.err}) {
    stream->clear();
    stream->seekg(0);
  }
  TrialRecord record =
      judge(study,
            std::move(trial),
            extract_samples(output, study.extract, study.steps, trial_parameters(study, cell)),
            lines);
  record.trial.rules_hash = rules_hash(study);
  return record;
}

TrialRecord judged_record(const Study& study, TrialRow trial, protocol::Record record) {
  return judge(study, std::move(trial), std::move(record), {});
}

void mask_secrets(TrialRecord& record, const std::vector<std::string>& secrets) {
  record.trial.reason = masked(std::move(record.trial.reason), secrets);
  for (LogRow& row : record.logs) {
    row.text = masked(std::move(row.text), secrets);
  }
}

}  // namespace scalestudy
