// Tells when trials fail alike again and again: then the command or the machine is wrong, and
// further attempts say nothing new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "harness/store/rows/rows.h"

namespace scalestudy {

inline constexpr std::int64_t kMostAlike = 3;  // attempts in a row
inline constexpr std::size_t kCellsAlike = 5;  // that speak for all cells

// The reason of a failure apart from its numbers: times, ports, process numbers and shares of cores
// differ between failures that are one.
std::string without_numbers(const std::string& text);

// The attempts of one session. Failures are alike when their states, exit codes and signals are the
// same, and their reasons apart from numbers.
class RepeatedFailures {
 public:
  // cells  that have trials to run
  explicit RepeatedFailures(std::size_t cells = 0) : cells_(cells) {}

  // Those that end unsupported, which costs nothing, or were put aside are passed over.
  void add(const TrialRow& ended);

  [[nodiscard]] std::int64_t attempts() const { return all_.count; }

  // The last kMostAlike attempts of this cell failed alike, and none was ok.
  [[nodiscard]] bool is_given_up(std::int64_t cell_id) const;

  // All attempts ended failed or invalid, alike: kMostAlike or more of them, of kCellsAlike cells
  // or of all. Running out of memory or time may well be the end of some cells alone.
  [[nodiscard]] bool is_hopeless() const;

  // A further attempt of this cell's trial would tell nothing.
  [[nodiscard]] bool is_retry_useless(std::int64_t cell_id) const;

 private:
  struct Alike {
    std::string failure;
    std::int64_t count = 0;
    bool is_over = false;  // an attempt was ok
  };

  std::size_t cells_ = 0;
  std::map<std::int64_t, Alike> by_cell_;
  Alike all_;  // over when some attempt ended otherwise
  std::set<std::int64_t> failed_cells_;
};

// Wrong usage, and a shell's words for a program that cannot be executed or is not found.
bool is_wrong_command(const TrialRow& trial);

}  // namespace scalestudy
