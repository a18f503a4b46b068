// What a run of nccl-tests says twice must agree: the same checks for its text and its JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/import/nccl_table.h"
#include "harness/import/readers.h"

namespace scalestudy {

// A line of the list "Using devices".
struct NcclDevice {
  PlacedText place;
  int rank = 0;
  std::string group;  // NCCL_TESTS_SPLIT; "" in versions that print none
  std::string host;
  std::string name;
};

// Sets the run's hardware and, if the list is of one whole group, its devices and nodes; otherwise
// adds a note. A rank that is listed twice is a problem.
//   - ranks_each: ranks that an entry stands for, itself and those after it.
//   - where: how the note names the place of the list.
void describe_nccl_devices(const std::vector<NcclDevice>& listed,
                           int ranks_each,
                           const std::string& where,
                           NcclRun& run,
                           ImportReading& reading);

// Adds the footer's average bus bandwidth, and checks numbers that are there twice:
// - The number of devices against the rows: for most collectives, bus over algorithm bandwidth is a
//   known function of it. If they disagree, a note replaces the number.
// - The average against the rows. If they differ by more than rounding explains, a note says so.
void finish_nccl_table(const PlacedText& average, audit::Table& table, ImportReading& reading);

}  // namespace scalestudy
