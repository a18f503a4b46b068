// What the parameter `strategy` of `train` can be. One row of strategy_table.h says all that the
// checks, --help, the memory plan, the analysis and the report know of a strategy; how its ranks
// exchange is a class in workloads/train/exchange.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "workloads/parameters/given_values.h"

namespace scalestudy::protocol {

// What each rank keeps of the model beyond its own share.
enum class Sharding {
  kNone,       // all of it, the optimizer's state included
  kOptimizer,  // parameters and gradients: ZeRO-1
  kGradients,  // parameters: ZeRO-2
  kAll,        // nothing: FSDP
};

// A value that a parameter cannot have with a strategy.
struct StrategyRefusal {
  std::string_view parameter;
  std::string_view value;   // a word; "!none": any other; ">1": any above; "rounded": comm_dtype
  std::string_view reason;  // and what to use instead
};

struct StrategyInfo {
  std::string_view name;
  std::string_view meaning;  // after its name, in --help, the schema and its page
  std::string_view sends;    // the least that each of N ranks sends in a step, as text

  Sharding sharding = Sharding::kNone;
  bool sums_gradients = false;  // every rank gets the sum of all gradients, by all-reduces of them
  bool is_serial = false;       // nothing travels before backward has ended
  bool updates_alone = false;   // each rank updates its own parameters by its own gradients
  bool has_stages = false;     // each rank has some of the layers, and computes with all of a batch
  bool is_for_memory = false;  // --describe tells the largest model that fits under it
  // (N-1)/N of the parameters' bytes, so many times: what a rank of a ring sends; 0: no ring.
  double ring_rounds = 2.0;

  std::span<const StrategyRefusal> refusals{};
  // Why it does not go with these, and what to use instead; empty if it does.
  std::string_view no_shares{};
  std::string_view no_offload{};
  std::string_view no_saving{};
  // What else is wrong with the values beside it; nullptr: nothing is.
  std::string (*check)(const GivenValues&, const std::map<std::string, std::string>&) = nullptr;

  // Whether all gradients travel once a step, so that their bytes follow from the model.
  bool sends_all_gradients() const {
    return has_stages || sums_gradients || sharding != Sharding::kNone;
  }
};

std::span<const StrategyInfo> strategies();

// The strategy of that name; ddp, the default, if there is none.
const StrategyInfo& find_strategy(std::string_view name);

// What is wrong with the strategy, or with an offloaded state, and what to try; empty if nothing
// is.
// - values: the values given, for the shape of the model.
std::string check_strategy(const GivenValues& given,
                           const std::map<std::string, std::string>& values);

// What is wrong with `shares` and what to try; empty if nothing is. Weights need whole shares of a
// batch.
std::string check_shares(const GivenValues& given);

}  // namespace scalestudy::protocol
