#include "harness/report/answer/study_sentences.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/study/declared/words.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// "20", "20 or more, 200 ms at least"
std::string steps_text(int steps, double time_s) {
  return time_s > 0.0 ? fmt::format("{} or more, {} at least,", steps, format_duration(time_s))
                      : std::to_string(steps);
}

}  // namespace

std::string steps_sentence(const Steps& steps) {
  if (steps.is_open) {
    return fmt::format("All measured that follow {} of warm-up.", steps.warmup);
  }
  return fmt::format("{} measured after {} of warm-up.{}",
                     steps_text(steps.measured, steps.measured_time_s),
                     steps_text(steps.warmup, steps.warmup_time_s),
                     steps.has_times()
                         ? " Warm-up goes on until step times are steady, at most four times as "
                           "long and 60 steps (20 times as long where steps are slow); then the "
                           "number of measured steps is fixed."
                         : "");
}

std::string trials_sentence(const Trials& trials) {
  if (trials.is_for_verdicts) {
    std::vector<std::string> looks;
    for (const std::size_t look : planned_looks(trials)) {
      looks.push_back(std::to_string(look));
    }
    return fmt::format(
        "{} to {} of each cell, until its comparison is decided: looks after {} trials",
        trials.min,
        trials.count,
        join(looks, ", "));
  }
  if (!trials.until) {
    return fmt::format("{} of each cell", trials.count);
  }
  return fmt::format(
      "{} to {} of each cell. A cell has enough two trials after the half-width of its step time "
      "is first at most {}; all stop when all have enough, or at {}",
      trials.min,
      trials.count,
      format_percent(*trials.until),
      trials.count);
}

std::string search_sentence(const Search& search) {
  return fmt::format(
      "as a search asks for: a race by sequential halving over whole blocks (half of a budget of "
      "{}{}), then fresh blocks of its winner, up to three simpler settings and the default",
      format_duration(search.budget_s),
      search.max_trials ? fmt::format(" or {} trials", *search.max_trials) : "");
}

std::string order_sentence(const Order& order) {
  const std::string design = order.design == OrderDesign::kBlocks
                                 ? "randomised complete blocks (one trial of every cell per block)"
                                 : "all trials of a cell in a row, cells in random order";
  return fmt::format("{}, seed {}", design, order.seed);
}

std::string outlier_sentence(const OutlierRule& rule) {
  return fmt::format("{} > {}", to_word(rule.rule), format_declared(rule.threshold));
}

std::string margins_text(const AnalysisOptions& analysis) {
  std::vector<std::string> own;
  for (const MetricRequest& request : analysis.metrics) {
    if (request.margin > 0.0) {
      own.push_back(request.metric + ": " + format_percent(request.margin));
    }
  }
  return format_percent(analysis.margin) + (own.empty() ? "" : " (" + join(own, ", ") + ")");
}

// A built-in workload runs on CPU cores unless it says otherwise; a command's devices are its own.
std::string device_sentence(const Study& study) {
  if (study.workload == Workload::kCommand) {
    return "";
  }
  if (has_declared_compute(study)) {
    return "A device is a rank that sleeps for declared times here: the numbers are emulated and "
           "about no machine.";
  }
  const EffectiveParameters fixed = effective_parameters(study.workload, study.parameters);
  const auto values_of = [&](const std::string& name) {
    const auto axis = std::find_if(
        study.axes.begin(), study.axes.end(), [&](const Axis& one) { return one.name == name; });
    return axis != study.axes.end()
               ? axis->values
               : std::vector{effective_value(fixed, name).value_or(std::int64_t{1})};
  };
  const std::vector<Value> backends = values_of(names::kBackend);
  const std::vector<Value> threads = values_of("threads");
  if (std::find(backends.begin(), backends.end(), Value(std::string("cuda"))) != backends.end()) {
    return "Backend cuda passed its tests on one GPU, an H100; what goes between GPUs was tested "
           "on ranks that share one. Of the GPUs here tests/run_gpu_tests judges.";
  }
  if (backends.size() > 1) {
    return "";
  }
  const std::string cores = format_value(threads.front());
  const std::string device = threads.size() > 1 ? "some CPU cores"
                             : cores == "1"     ? "a CPU core"
                                                : cores + " CPU cores";
  if (has_emulated_links(study)) {
    return "A device is " + device +
           " here, and links are emulated: the numbers are about cores that also do the network's "
           "work, not about GPUs, and about no network.";
  }
  return "A device is " + device + " here: the numbers are about cores and memory, not about GPUs.";
}

}  // namespace scalestudy::report
