// What nccl-tests prints beside times and bandwidths, by its names in the text and in the JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalestudy {

// A number of a place: a statistic of its iterations (-I 1), or the bits that differ between
// repeats.
struct NcclStatistic {
  std::string_view heading;    // the column in the text: "i_p99"
  std::string_view member;     // the member of "out_of_place_per_iter": "p99_us"; "" if elsewhere
  std::string_view column;     // the column in the store: "iteration_p99"
  std::string_view statistic;  // the condition that says which; "" if it is none
  std::string_view quantity;
  std::string_view unit;
};

std::span<const NcclStatistic> nccl_statistics();

// The name of the condition for something that NCCL chose for a size, by its column in the text
// ("#channels") or its member of "tuning" in the JSON; absent for a name that is not known.
std::optional<std::string> nccl_tuning(std::string_view name);

}  // namespace scalestudy
