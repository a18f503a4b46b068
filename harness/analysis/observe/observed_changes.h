// What changed while trials ran: the study's analysis, and the speed of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalestudy {

// A change of the study's analysis section since its first trials were run.
struct AnalysisChange {
  std::vector<std::string> differences;  // "analysis.margin: 0.02 -> 0.05", first to now
  std::int64_t attempts_before = 0;      // attempts that had run before the section was as now
  std::int64_t attempts = 0;             // all attempts that have run
};

// A time of the fixed matrix product that runs before and after blocks (Calibration).
struct CalibrationTime {
  std::int64_t session = 0;
  std::string host;
  std::int64_t group = 0;  // the block; with order batch the cell
  double time_s = 0.0;     // > 0
};

}  // namespace scalestudy
