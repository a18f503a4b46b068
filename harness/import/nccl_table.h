// The table of one nccl-tests run, however it was written.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "harness/import/readers.h"
#include "harness/import/tool_table.h"

namespace scalestudy {

// What a run says about itself; absent or empty where it does not.
struct NcclRun {
  std::string operation;  // all_reduce: the program's name without "_perf"
  std::optional<int> devices;
  std::optional<int> nodes;
  std::string hardware;  // the devices' name, when all have the same
  bool is_cpu_time = false;
  bool counts_wrong = true;  // false: the older versions' largest deviation, `error`
};

// One line of results as written; empty where there is nothing.
struct NcclLine {
  struct Place {
    PlacedText time;   // us
    PlacedText algbw;  // GB/s
    PlacedText busbw;  // GB/s
    PlacedText wrong;
  };

  PlacedText size;  // B
  PlacedText type;
  PlacedText redop;
  PlacedText root;
  Place out_of_place;
  Place in_place;
};

// Adds an empty table with the run's conditions; `where` as in audit::Table.
audit::Table& add_nccl_table(const NcclRun& run, const std::string& where, Reading& reading);

void add_nccl_line(const NcclLine& line, audit::Table& table, Reading& reading);

// The footer's average over all lines and both places, GB/s.
void add_nccl_average(const PlacedText& bandwidth, const audit::Table& table, Reading& reading);

// "all_reduce" for "/opt/build/all_reduce_perf_mpi", empty for what is no such program.
std::string nccl_operation(const std::string& program);

}  // namespace scalestudy
