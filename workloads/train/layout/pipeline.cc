#include "workloads/train/layout/pipeline.h"

#include <variant>

#include "workloads/model/stages.h"
#include "workloads/sync/pipeline_schedule.h"
#include "workloads/train/layout/layout.h"

namespace scalestudy::train {

std::vector<model::UnitRun> units_of_stages(const Options& options) {
  return model::divide_units(options.model, options.pipeline.stages);
}

model::UnitRun stage_units(const Options& options) {
  return units_of_stages(options)[options.pipeline.stage];
}

std::size_t handed_elements(const Options& options, std::size_t stage) {
  if (stage == 0 || stage == options.pipeline.stages) {
    return 0;
  }
  const std::size_t reader = units_of_stages(options)[stage].end - 1;
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

}  // namespace scalestudy::train
