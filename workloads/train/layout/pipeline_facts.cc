#include "workloads/train/layout/pipeline_facts.h"

#include <algorithm>
#include <vector>

#include "workloads/model/stages.h"
#include "workloads/names/names.h"
#include "workloads/sync/pipeline_schedule.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/pipeline.h"

namespace scalestudy::train {

std::map<std::string, double> pipeline_facts(const Options& options) {
  Options whole = options;
  whole.pipeline = {};
  const std::vector<std::size_t> parameters =
      model::parameters_by_unit(options.model, plan_units(whole), element_bytes(options.precision));
  const std::vector<double> flop = model::flop_by_unit(options.model);
  const std::vector<model::UnitRun> runs = units_of_stages(options);
  std::map<std::string, double> facts = {
      {"pipeline_bubble_ideal", sync::ideal_bubble(runs.size(), options.accumulation_steps)}};
  std::size_t wire_bytes = 0;
  std::size_t most_bytes = 0;
  for (std::size_t stage = 0; stage < runs.size(); ++stage) {
    const std::string name = "stage." + std::to_string(stage) + ".";
    facts[name + "layers"] = static_cast<double>(runs[stage].end - runs[stage].first);
    const bool has_copy = stage > 0 && shared_elements(options, stage) > 0;
    const std::size_t copied = has_copy ? model::tensor_elements(options.model).back() : 0;
    facts[name + names::kParameterCount] =
        static_cast<double>(sum_over(parameters, runs[stage]) + copied);
    facts[name + names::kFlopPerSample] = sum_over(flop, runs[stage]);
    wire_bytes += sent_bytes(options, stage);
    most_bytes = std::max(most_bytes, sent_bytes(options, stage));
  }
  facts[names::kWireBytes] = static_cast<double>(wire_bytes);
  facts[names::kTrafficBytes] = static_cast<double>(most_bytes);
  return facts;
}

}  // namespace scalestudy::train
