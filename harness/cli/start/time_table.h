// The times of commands while they are measured.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/terminal.h"
#include "harness/run/world/progress.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// On a terminal a table of the commands, which each trial that ends ok draws anew; elsewhere a line
// for each trial, as `run` prints it.
class TimeTable {
 public:
  // - cells: in the order of the table; the first is the base.
  explicit TimeTable(const std::vector<Cell>& cells);

  void show(const Progress& progress, const Store& store, Terminal& terminal);

  // The mean of the fastest command so far; 0 if no trial was ok.
  double shortest_s() const;

 private:
  struct Line {
    std::string label;    // of the cell
    std::string command;  // what the table calls it
    std::vector<double> times_s;
    double mean_s() const;
  };

  std::string text() const;

  std::vector<Line> lines_;
};

}  // namespace scalestudy
