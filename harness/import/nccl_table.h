// Builds the table of one nccl-tests run, whether it was read from text or JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/import/nccl_columns.h"
#include "harness/import/readers.h"
#include "harness/import/tool_table.h"

namespace scalestudy {

// What a run says about itself. Members are absent or empty if it does not say so.
struct NcclRun {
  std::string operation;  // nccl_operation()
  std::optional<std::int64_t> devices;
  std::optional<std::int64_t> nodes;
  std::string hardware;  // the devices' name, when all have the same
  bool is_cpu_time = false;
  bool counts_wrong = true;  // false: older versions, which print the largest deviation (`error`)
  std::vector<const NcclStatistic*> statistics;  // of each place
  std::vector<std::string> tuning;               // conditions, nccl_tuning()
};

// One line of results as it was written. A text is empty if the line has no such field.
struct NcclLine {
  struct Place {
    PlacedText time;   // us
    PlacedText algbw;  // GB/s
    PlacedText busbw;  // GB/s
    PlacedText wrong;
    std::vector<PlacedText> statistics;  // parallel to those of the run
    std::vector<PlacedText> iterations;  // us, each of one iteration
    int skipped_iterations = 0;          // leading ones, which the statistics leave out
  };

  PlacedText size;  // B
  PlacedText type;
  PlacedText redop;
  PlacedText root;
  Place out_of_place;
  Place in_place;
  std::vector<PlacedText> tuning;  // parallel to that of the run
};

// Adds an empty table with the run's conditions; `where` as in audit::Table.
audit::Table& add_nccl_table(const NcclRun& run, const std::string& where, ImportReading& reading);

// Adds the line's figures to the table.
void add_nccl_line(const NcclLine& line, audit::Table& table, ImportReading& reading);

// Adds a table with the times of all iterations of these lines, a row each; none if they have none.
// It may move the tables that the reading has.
void add_nccl_iterations(const std::vector<NcclLine>& lines,
                         const audit::Table& table,
                         ImportReading& reading);

// Adds the footer's average bus bandwidth (GB/s), over all lines, out of place and in place.
void add_nccl_average(const PlacedText& bandwidth,
                      const audit::Table& table,
                      ImportReading& reading);

// The operation that a program of nccl-tests measures, as `collective` calls it where it has it:
// "all_to_all" for "/opt/build/alltoall_perf_mpi"; "" for any other program.
std::string nccl_operation(const std::string& program);

}  // namespace scalestudy
