// What one attempt leaves for the store: from launch result, protocol record and log files to rows.
#pragma once

#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/machine/load.h"
#include "harness/run/outcome/extract.h"
#include "harness/run/output/fail_lines.h"
#include "harness/run/process/launcher.h"
#include "harness/run/process/trial_files.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// A row for each `samples` event.
std::vector<SeriesRow> series_rows(const protocol::Record& record);

// A row for each fact of the start and end events; of facts with one name the first.
std::vector<TelemetryRow> fact_rows(const protocol::Record& record);

// Telemetry of an attempt: load, launcher numbers, readings of the machine, and the facts of the
// start and end events. A fact named like one of ours is left out.
// - cores_per_rank: LaunchCommand's; 0 gives no row.
std::vector<TelemetryRow> telemetry_rows(const protocol::Record& record,
                                         const LaunchResult& launch,
                                         const Load& load,
                                         const std::vector<Reading>& readings,
                                         std::int64_t cores_per_rank);

// What counters of this machine counted while the trial measured; nothing if it does not say when
// that was, by this machine's clock (with several nodes, that of rank 0).
std::vector<Reading> measured_readings(const protocol::Record& record, const MachineWatch& watch);

// A row for each log file that exists, with the last 20 lines of stdout and stderr if `keep_text`.
// The versions a start event names ("versions: mpi 4.1.4, onednn 2.6.3"), unknown events, notes,
// dropped last lines, a full disk and processes that were left behind become `event` rows.
std::vector<LogRow> log_rows(const TrialFiles& files,
                             const protocol::Record& record,
                             const LaunchResult& launch,
                             bool keep_text);

// Adds what the output tells of errors, and what of it was not searched for them.
void add_fail_lines(const Study& study, const FailLines& lines, TrialRecord& record);

// The trial with what its output says, which is all that is known of its end: it ended by itself,
// with its row's exit code, or 0 if that is unknown. State, reason, series, facts and events are
// those of a trial that ran now with this output.
// - output: is read from its start; without step_lines.
TrialRecord read_trial(const Study& study,
                       const Cell& cell,
                       TrialRow trial,
                       const TrialOutput& output);

// The same for a record that no rule read.
TrialRecord judged_record(const Study& study, TrialRow trial, protocol::Record record);

// Takes the secrets out of the record's reason and log texts. OpenLogs does so on disk.
void mask_secrets(TrialRecord& record, const std::vector<std::string>& secrets);

}  // namespace scalestudy
