// Rows about laws at counts they have not seen, volumes from first principles, and times on more
// devices than were measured. No other result reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/result_words.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

// Which law describes one curve over devices best at counts it was not fitted to.
struct LawChoiceRow {
  std::string group_label;
  std::optional<Law> chosen;             // absent: none may be chosen
  std::optional<double> held_out_error;  // of the chosen: mean of |predicted/measured - 1|
  std::int64_t levels = 0;               // distinct numbers of devices
  std::int64_t n = 0;                    // trials
  RowStatus status = RowStatus::kInsufficientData;
  std::string finding;  // sentence
};

// Of a ping-pong of a pair of devices: what its link could carry one way, and did.
inline constexpr const char* kLinkRate = "link_bytes_per_s";

// A number of a cell that follows from the model, the strategy and the number of devices, and what
// was measured of it.
struct VolumeRow {
  std::int64_t cell_id = 0;
  std::string quantity;  // traffic_bytes | communication_time_s | kLinkRate ...
  std::string unit;
  std::optional<double> calculated;
  std::optional<double> measured;  // told by the workload, or a mean over trials
  std::optional<double> ratio;     // measured/calculated
  std::string formula;             // of `calculated`
};

// The time of a step on a number of devices.
struct ProjectionRow {
  std::string name;  // of the scenario; "" for a projection
  std::string group_label;
  std::int64_t devices = 0;
  std::optional<double> value;  // s; absent unless status is ok
  std::optional<double> lo;     // of a scenario always absent
  std::optional<double> hi;
  std::optional<double> throughput;  // samples/s; absent where the batch is not known
  double confidence = 0.95;
  std::string method;                    // the law
  std::optional<double> factor;          // devices over the most that were measured
  std::optional<double> held_out_error;  // mean over the counts held out
  std::optional<double> error_limit;     // what the gate allows it
  std::optional<double> rival_error;     // the least of perfect scaling, Amdahl or Gustafson, usl
  std::int64_t held_out = 0;             // so many of the largest counts, which the check asked for
  std::int64_t levels = 0;
  std::int64_t n = 0;
  RowStatus status = RowStatus::kInsufficientData;
  std::string finding;    // sentence
  std::string constants;  // of a scenario, or declared for a projection, as text
  Provenance provenance = Provenance::kProjected;
  std::string session;                  // of the newest trial it rests on, its name
  std::string made_at;                  // when that session began
  std::optional<std::int64_t> cell_id;  // that measured it later
  std::optional<double> measured;       // s
  std::optional<double> error;          // value/measured - 1
  std::vector<std::int64_t> trials;     // it rests on, ascending
};

}  // namespace scalestudy
