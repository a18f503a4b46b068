// The parameters of the workload `train`: the rows of all `*_parameters.h`, in the order of --help.
#include <algorithm>
#include <array>

#include "workloads/parameters/communication_parameters.h"
#include "workloads/parameters/computation_parameters.h"
#include "workloads/parameters/declared_parameters.h"
#include "workloads/parameters/learning_parameters.h"
#include "workloads/parameters/model_parameters.h"
#include "workloads/parameters/saving_parameters.h"
#include "workloads/parameters/strategy_parameters.h"
#include "workloads/parameters/tables.h"

namespace scalestudy::protocol {
namespace {

using enum ParameterKind;

constexpr auto kStepParameters = std::to_array<ParameterInfo>({
    {.name = "threads",
     .kind = kInteger,
     .default_value = "1",
     .allowed = "[1, 1024]",
     .unit = "cores",
     .help = "Cores of each device on the CPU."},
    kWarmupSteps,
    kMeasuredSteps,
    kWarmupTime,
    kMeasuredTime,
});

template <std::size_t... counts>
constexpr auto join(const std::array<ParameterInfo, counts>&... parts) {
  std::array<ParameterInfo, (counts + ...)> all{};
  auto* end = all.begin();
  ((end = std::copy(parts.begin(), parts.end(), end)), ...);
  return all;
}

constexpr auto kTrainParameters = join(kModelParameters,
                                       kStrategyParameters,
                                       kCommunicationParameters,
                                       kComputationParameters,
                                       kDeclaredParameters,
                                       kInputParameters,
                                       kSavingParameters,
                                       kLearningParameters,
                                       kStepParameters);

}  // namespace

std::span<const ParameterInfo> train_parameters() {
  return kTrainParameters;
}

}  // namespace scalestudy::protocol
