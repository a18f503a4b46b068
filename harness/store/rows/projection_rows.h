// Rows about laws tested at held-out numbers of devices, volumes from first principles, and times
// on more devices than were measured. No other result reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/result_words.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

// The law that best predicts one curve at numbers of devices to which it was not fitted.
struct LawChoiceRow {
  std::string group_label;
  std::optional<Law> chosen;             // absent if no law may be chosen
  std::optional<double> held_out_error;  // the chosen law's mean of |predicted/measured - 1|
  std::int64_t levels = 0;               // distinct numbers of devices
  std::int64_t n = 0;                    // trials
  RowStatus status = RowStatus::kInsufficientData;
  std::string finding;  // sentence
};

// Quantity of a ping-pong between two devices: the rate of their link in one direction.
inline constexpr const char* kLinkRate = "link_bytes_per_s";

// A quantity of a cell that can be calculated from the model, the strategy and the number of
// devices, with its measured value.
struct VolumeRow {
  std::int64_t cell_id = 0;
  std::string quantity;  // traffic_bytes | communication_time_s | kLinkRate ...
  std::string unit;
  std::optional<double> calculated;
  std::optional<double> measured;  // reported by the workload, or a mean over trials
  std::optional<double> ratio;     // measured/calculated
  std::string formula;             // the formula of `calculated`
};

// The projected time of a step on a number of devices.
struct ProjectionRow {
  std::string name;  // the scenario's name; "" for a projection
  std::string group_label;
  std::int64_t devices = 0;
  std::optional<double> value;  // s; absent unless status is ok
  std::optional<double> lo;     // absent for a scenario
  std::optional<double> hi;
  std::optional<double> throughput;  // samples/s; absent if the batch is not known
  double confidence = 0.95;
  std::string method;                    // the law
  std::optional<double> factor;          // devices / largest number that was measured
  std::optional<double> held_out_error;  // mean relative error at the held-out numbers of devices
  std::optional<double> error_limit;     // largest held_out_error at which a time is given
  std::optional<double> rival_error;     // least error of perfect scaling, Amdahl or Gustafson, usl
  std::int64_t held_out = 0;             // how many of the largest numbers of devices were held out
  std::int64_t levels = 0;
  std::int64_t n = 0;
  RowStatus status = RowStatus::kInsufficientData;
  std::string finding;    // sentence
  std::string constants;  // declared constants of the scenario or projection, as text
  Provenance provenance = Provenance::kProjected;
  std::string session;                  // name of the session of the newest trial it rests on
  std::string made_at;                  // when that session began
  std::optional<std::int64_t> cell_id;  // cell that measured the step on these devices later
  std::optional<double> measured;       // its measured time, s
  std::optional<double> error;          // value/measured - 1
  std::vector<std::int64_t> trials;     // trials it rests on, ascending
};

}  // namespace scalestudy
