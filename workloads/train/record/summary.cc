#include "workloads/train/record/summary.h"

#include <cstdio>
#include <string>

#include "workloads/names/names.h"

namespace scalestudy::train {

void print_summary(const protocol::Start& start,
                   const Options& options,
                   const AllSteps& all,
                   const SeriesLayout& layout,
                   const std::vector<protocol::Check>& checks) {
  const std::vector<StepTimes> slowest = over_ranks(all);
  const double steps_per_s =
      static_cast<double>(slowest.size() - layout.warmup) / window_time_s(all, layout.warmup);
  std::printf(
      "%s: %.0f parameters, %d rank(s) x %d thread(s), batch %zu (%zu a rank), %s%s%s\n",
      model::describe(options.model).c_str(),
      start.facts.at(names::kParameterCount),
      start.ranks,
      options.threads,
      options.batch_global,
      options.batch_per_device,
      start.parameters.at(names::kPrecision).c_str(),
      start.facts.at(names::kOversubscribed) > 0.0 ? ", oversubscribed: no statement on speed" : "",
      options.declared ? ", emulated: ranks sleep for declared times" : "");
  std::printf("This launch only, %zu measured steps after %zu of warm-up:\n",
              slowest.size() - layout.warmup,
              layout.warmup);
  std::printf("  %.4g steps/s, %.4g samples/s\n",
              steps_per_s,
              steps_per_s * static_cast<double>(options.batch_global));
  const std::string turns =
      options.sync_every > 1
          ? ", one in " + std::to_string(options.sync_every) + " of which averages parameters"
          : "";
  std::printf("  median over steps of the slowest rank%s:\n", turns.c_str());
  for (std::size_t f = 0; f < timed_field_count(layout); ++f) {
    const auto field = static_cast<Field>(f);
    std::printf("    %-26s %12.1f us\n",
                kFieldNames[f].data(),
                median(slowest, layout.warmup, field) * 1e6);
  }
  if (layout.has_loss) {
    std::printf("  loss %.6g -> %.6g\n", slowest.front()[kLoss], slowest.back()[kLoss]);
  }
  if (options.pipeline.is_on()) {
    std::printf("  %zu stages, %zu micro-batches, %.0f bytes between stages a step\n",
                options.pipeline.stages,
                options.accumulation_steps,
                start.facts.at(names::kWireBytes));
  } else {
    std::printf("  %.0f bucket(s), the last of %.0f bytes\n",
                start.facts.at(names::kBucketCount),
                start.facts.at(names::kTailBucketBytes));
  }
  for (const protocol::Check& check : checks) {
    std::printf("  %s: %s%s%s\n",
                check.name.c_str(),
                check.passed ? "passed" : "FAILED",
                check.detail.empty() ? "" : ", ",
                check.detail.c_str());
  }
}

}  // namespace scalestudy::train
