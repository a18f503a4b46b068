// What one attempt leaves for the store: from launch result, protocol record and log files to rows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/launcher.h"
#include "harness/store/rows.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// The three files of an attempt.
struct TrialFiles {
  std::filesystem::path results;  // the results folder
  std::filesystem::path folder;   // of the attempt, relative to `results`

  [[nodiscard]] std::filesystem::path stdout_path() const { return results / folder / "stdout"; }
  [[nodiscard]] std::filesystem::path stderr_path() const { return results / folder / "stderr"; }
  [[nodiscard]] std::filesystem::path protocol_path() const {
    return results / folder / "protocol.jsonl";
  }
};

// What the machine's counters say about the time a trial took.
struct Load {
  std::optional<double> foreign;  // cores' worth of CPU time that was not the trial's, >= 0
  std::optional<double> steal;    // cores' worth the hypervisor gave to others
};

// elapsed_s  between the two readings; cpu_s of the trial's own processes.
// returns    nothing for a trial below 0.2 s: the counters tick in 10 ms on every core, which is
//            more than the 3 % that analysis looks for.
Load measure_load(const CpuTimes& before, const CpuTimes& after, double elapsed_s, double cpu_s);

std::vector<SeriesRow> series_rows(const protocol::Record& record);

// Load, launcher numbers, and the facts of the start and end events; a fact named like one of ours,
// or like an earlier one, is left out.
//   cores_per_rank  LaunchCommand's.
std::vector<TelemetryRow> telemetry_rows(const protocol::Record& record,
                                         const LaunchResult& launch,
                                         const Load& load,
                                         std::int64_t cores_per_rank);

// Paths of the files that exist; with `keep_text` the last 20 lines of stdout and stderr too.
// The versions a start event names ("versions: mpi 4.1.4, onednn 2.6.3"), unknown events, dropped
// last lines and processes that were left behind become `event` rows.
std::vector<LogRow> log_rows(const TrialFiles& files,
                             const protocol::Record& record,
                             const LaunchResult& launch,
                             bool keep_text);

// The last 64 KiB of a file at most; empty when there is none.
std::string read_tail(const std::filesystem::path& path);

}  // namespace scalestudy
