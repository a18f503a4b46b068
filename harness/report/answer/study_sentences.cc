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

// The values that trials of a built-in workload have of a parameter.
std::vector<Value> values_of(const Study& study, const std::string& name) {
  const auto axis = std::ranges::find(study.axes, name, &Axis::name);
  const EffectiveParameters fixed = effective_parameters(study.workload, study.parameters);
  return axis != study.axes.end()
             ? axis->values
             : std::vector{effective_value(fixed, name).value_or(std::int64_t{1})};
}

bool has_value(const Study& study, const std::string& name, const std::string& word) {
  const std::vector<Value> values = values_of(study, name);
  return std::ranges::find(values, Value(word)) != values.end();
}

bool uses_cuda(const Study& study) {
  return has_value(study, names::kBackend, "cuda");
}

// A built-in workload runs on CPU cores unless it says otherwise; a command's devices are its own.
bool runs_on_cores(const Study& study) {
  return study.workload != Workload::kCommand && !has_declared_compute(study) &&
         !uses_cuda(study) && values_of(study, names::kBackend).size() == 1;
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
                         ? " Warm-up continues until step times are steady, at most four times as "
                           "long and 60 steps (20 times as long if steps are slow); then the "
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
  if (order.design == OrderDesign::kUnknown) {
    return "not known";
  }
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

bool is_cpu_core(const Study& study) {
  if (!runs_on_cores(study)) {
    return false;
  }
  const std::vector<Value> threads = values_of(study, "threads");
  return threads.size() == 1 && format_value(threads.front()) == "1";
}

std::string device_sentence(const Study& study) {
  if (study.workload == Workload::kCommand) {
    return "";
  }
  if (has_declared_compute(study)) {
    return "A device is a rank that sleeps for declared times here: the numbers are emulated and "
           "describe no machine.";
  }
  if (uses_cuda(study)) {
    return "Backend cuda passed its tests on one GPU, an H100. What goes between GPUs was tested "
           "with ranks that share one. tests/run_gpu_tests tests the GPUs here.";
  }
  if (!runs_on_cores(study)) {
    return "";
  }
  const std::vector<Value> threads = values_of(study, "threads");
  const std::string device = is_cpu_core(study)   ? "a CPU core"
                             : threads.size() > 1 ? "some CPU cores"
                                                  : format_value(threads.front()) + " CPU cores";
  const std::string about =
      has_emulated_links(study)
          ? ", and links are emulated: the numbers are about cores that also do the network's "
            "work, not about GPUs, and about no network."
          : ": the numbers are about cores and memory, not about GPUs.";
  return "A device is " + device + " here" + about +
         (has_value(study, names::kPrecision, "fp64")
              ? " Precision fp64 runs in plain loops instead of oneDNN, so its times are not those "
                "of tuned code."
              : "");
}

}  // namespace scalestudy::report
