#include "workloads/train/layout/pipeline.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "workloads/model/stages.h"
#include "workloads/sync/pipeline_schedule.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/memory/memory.h"

namespace scalestudy::train {
namespace {

std::vector<model::UnitRun> runs_of(const Options& options) {
  return model::divide_units(options.model, options.pipeline.stages);
}

template <typename Number>
Number sum_of(const std::vector<Number>& values, const model::UnitRun& run) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(run.first),
                         values.begin() + static_cast<std::ptrdiff_t>(run.end),
                         Number{0});
}

}  // namespace

model::UnitRun stage_units(const Options& options) {
  return runs_of(options)[options.pipeline.stage];
}

std::size_t handed_elements(const Options& options, std::size_t stage) {
  if (stage == 0 || stage == options.pipeline.stages) {
    return 0;
  }
  const std::size_t reader = runs_of(options)[stage].end - 1;
  return options.batch_global / options.accumulation_steps *
         model::input_widths(options.model)[reader];
}

std::size_t copies_of(const Options& options, std::size_t stage) {
  return sync::parts_in_flight(stage, options.pipeline.stages, options.accumulation_steps);
}

std::size_t shared_elements(const Options& options, std::size_t stage) {
  const auto* spec = std::get_if<model::TransformerSpec>(&options.model.shape);
  const bool is_end = stage == 0 || stage + 1 == options.pipeline.stages;
  if (spec == nullptr || spec->is_llama || options.pipeline.stages < 2 || !is_end) {
    return 0;
  }
  return model::padded_elements(options.model, element_bytes(options.precision)).back();
}

std::size_t buffer_elements(const Options& options, std::size_t stage, std::size_t copies) {
  const std::size_t read = handed_elements(options, stage);
  const std::size_t handed = handed_elements(options, stage + 1);
  return copies * (2 * read + handed) + read + (options.declared ? handed : 0) +
         shared_elements(options, stage);
}

std::size_t sent_bytes(const Options& options, std::size_t stage) {
  const std::size_t handed = handed_elements(options, stage) + handed_elements(options, stage + 1);
  return element_bytes(options.precision) *
         (options.accumulation_steps * handed + shared_elements(options, stage));
}

double declared_stage_s(const Options& options, std::size_t stage) {
  if (!options.pipeline.is_on()) {
    return options.declared_step_s();
  }
  const double share = sum_of(model::flop_by_unit(options.model), runs_of(options)[stage]) /
                       model::flop_per_sample(options.model);
  return options.declared->step_s +
         options.declared->sample_s * static_cast<double>(options.batch_global) * share;
}

double longest_declared_s(const Options& options) {
  double longest_s = 0.0;
  for (std::size_t rank = 0; rank < options.ranks(); ++rank) {
    longest_s = std::max(longest_s, declared_stage_s(for_rank(options, rank), rank));
  }
  return longest_s;
}

std::size_t largest_stage(const Options& options) {
  std::size_t largest = 0;
  std::size_t most_bytes = 0;
  for (std::size_t stage = 0; stage < options.pipeline.stages; ++stage) {
    const std::size_t bytes = estimate_memory(for_rank(options, stage)).total();
    if (bytes > most_bytes) {
      most_bytes = bytes;
      largest = stage;
    }
  }
  return largest;
}

Options of_largest_rank(const Options& options) {
  if (options.pipeline.is_on()) {
    return for_rank(options, largest_stage(options));
  }
  const auto largest = std::ranges::max_element(options.weights);
  return for_rank(options, static_cast<std::size_t>(largest - options.weights.begin()));
}

std::map<std::string, double> pipeline_facts(const Options& options) {
  Options whole = options;
  whole.pipeline = {};
  const std::vector<std::size_t> parameters =
      model::parameters_by_unit(options.model, plan_units(whole), element_bytes(options.precision));
  const std::vector<double> flop = model::flop_by_unit(options.model);
  const std::vector<model::UnitRun> runs = runs_of(options);
  std::map<std::string, double> facts = {
      {"pipeline_bubble_ideal", sync::ideal_bubble(runs.size(), options.accumulation_steps)}};
  std::size_t wire_bytes = 0;
  std::size_t most_bytes = 0;
  for (std::size_t stage = 0; stage < runs.size(); ++stage) {
    const std::string name = "stage." + std::to_string(stage) + ".";
    facts[name + "layers"] = static_cast<double>(runs[stage].end - runs[stage].first);
    const bool has_copy = stage > 0 && shared_elements(options, stage) > 0;
    const std::size_t copied = has_copy ? model::tensor_elements(options.model).back() : 0;
    facts[name + "parameter_count"] = static_cast<double>(sum_of(parameters, runs[stage]) + copied);
    facts[name + "flop_per_sample"] = sum_of(flop, runs[stage]);
    wire_bytes += sent_bytes(options, stage);
    most_bytes = std::max(most_bytes, sent_bytes(options, stage));
  }
  facts["wire_bytes"] = static_cast<double>(wire_bytes);
  facts["traffic_bytes"] = static_cast<double>(most_bytes);
  return facts;
}

}  // namespace scalestudy::train
