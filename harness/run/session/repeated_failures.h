// Tells when trials fail alike again and again: then the command or the machine is wrong, and
// further attempts say nothing new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

inline constexpr std::int64_t kMostAlike = 3;  // failures in a row that give a cell up
inline constexpr std::size_t kCellsAlike = 5;  // failed cells that speak for all cells

// The reason of a failure without its numbers: times, ports, process ids and shares of cores differ
// between failures that are alike.
std::string without_numbers(const std::string& text);

// Counts failures of one session. Two are alike when their states, exit codes and signals are the
// same, and so are their reasons apart from numbers.
class RepeatedFailures {
 public:
  // Takes in the cells of trials that are to be run; again when the plan is extended.
  void add_cells(const std::vector<TrialRow>& planned);

  // Takes in an attempt. One that ended unsupported, which costs nothing, or was put aside is
  // passed over.
  void add(const TrialRow& ended);

  [[nodiscard]] std::int64_t attempts() const { return all_.count; }

  // Whether the last kMostAlike attempts of this cell failed alike, and none of the cell was ok.
  [[nodiscard]] bool is_given_up(std::int64_t cell_id) const;

  // Whether all attempts ended failed or invalid, alike: kMostAlike or more of them, over
  // kCellsAlike cells or all cells. Running out of memory or time does not count: it may be some
  // cells' alone.
  [[nodiscard]] bool is_hopeless() const;

  // Whether a further attempt of this cell's trial would tell nothing.
  [[nodiscard]] bool is_retry_useless(std::int64_t cell_id) const;

 private:
  struct Alike {
    std::string failure;
    std::int64_t count = 0;
    bool is_over = false;  // whether an attempt was ok
  };

  std::set<std::int64_t> cells_;  // that have or had trials to run
  std::map<std::int64_t, Alike> by_cell_;
  Alike all_;  // is_over once some attempt ended otherwise
  std::set<std::int64_t> failed_cells_;
};

// Whether the exit code says that the command is wrong: bad usage, or a shell that cannot execute
// or find the program.
bool is_wrong_command(const TrialRow& trial);

}  // namespace scalestudy
