#include "workloads/train/record/series.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "workloads/names/names.h"

namespace scalestudy::train {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::vector<double> column(const std::vector<StepTimes>& steps, Field field) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const StepTimes& step : steps) {
    values.push_back(step[field]);
  }
  return values;
}

std::vector<double> hidden(const std::vector<StepTimes>& steps) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const StepTimes& step : steps) {
    values.push_back(step[kCommunicationTime] - step[kExposedCommunication]);
  }
  return values;
}

std::vector<double> utilization(const std::vector<StepTimes>& steps, double peak_step_time_s) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const StepTimes& step : steps) {
    values.push_back(peak_step_time_s / step[kStepTime]);
  }
  return values;
}

std::vector<double> bubble(const AllSteps& all, const std::vector<StepTimes>& slowest) {
  std::vector<double> values;
  values.reserve(slowest.size());
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    double busy_s = 0.0;
    for (const std::vector<StepTimes>& steps : all) {
      busy_s += steps[i][kForwardTime] + steps[i][kBackwardTime] + steps[i][kOptimizerTime];
    }
    values.push_back(1.0 - busy_s / static_cast<double>(all.size()) / slowest[i][kStepTime]);
  }
  return values;
}

// Of each step, over the ranks.
struct Exposed {
  std::vector<double> max;
  std::vector<double> mean;
};

Exposed exposed_over_ranks(const AllSteps& all) {
  const std::size_t step_count = all.front().size();
  Exposed exposed{std::vector<double>(step_count, 0.0), std::vector<double>(step_count, 0.0)};
  for (const std::vector<StepTimes>& steps : all) {
    for (std::size_t i = 0; i < step_count; ++i) {
      const double exposed_s = steps[i][kExposedCommunication];
      exposed.max[i] = std::max(exposed.max[i], exposed_s);
      exposed.mean[i] += exposed_s / static_cast<double>(all.size());
    }
  }
  return exposed;
}

}  // namespace

void add_skew(RankSteps& steps, const std::vector<double>& transfer_s) {
  const std::size_t bucket_count = steps.collective_s.size() / steps.times.size();
  for (std::size_t i = 0; i < steps.times.size(); ++i) {
    for (std::size_t j = i * bucket_count; j < (i + 1) * bucket_count; ++j) {
      steps.times[i][kTransferTime] += transfer_s[j];
      steps.times[i][kSkewTime] += steps.collective_s[j] - transfer_s[j];
    }
  }
}

std::vector<StepTimes> over_ranks(const AllSteps& all) {
  std::vector<StepTimes> slowest = all.front();
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    double loss = 0.0;
    double skew_s = 0.0;
    for (const std::vector<StepTimes>& steps : all) {
      loss += steps[i][kLoss];
      skew_s = std::max(skew_s, steps[i][kSkewTime]);
      if (steps[i][kStepTime] > slowest[i][kStepTime]) {
        slowest[i] = steps[i];
      }
    }
    slowest[i][kLoss] = loss;
    slowest[i][kSkewTime] = skew_s;
  }
  return slowest;
}

double window_time_s(const AllSteps& all, std::size_t warmup) {
  double window_s = 0.0;
  for (const std::vector<StepTimes>& steps : all) {
    double own_s = 0.0;
    for (std::size_t i = warmup; i < steps.size(); ++i) {
      own_s += steps[i][kStepTime];
    }
    window_s = std::max(window_s, own_s);
  }
  return window_s;
}

std::size_t timed_field_count(const SeriesLayout& layout) {
  if (!layout.has_phases) {
    return kStepTime + 1;
  }
  if (!layout.has_collectives) {
    return kCommunicationTime;
  }
  return layout.has_collective_ends ? kLoss : kTransferTime;
}

std::vector<protocol::Samples> make_series(const AllSteps& all, const SeriesLayout& layout) {
  const std::vector<StepTimes> slowest = over_ranks(all);
  const std::size_t field_count = timed_field_count(layout);
  std::vector<protocol::Samples> series;
  const auto add = [&](std::string_view metric, std::string_view unit, std::vector<double> values) {
    series.push_back({.metric = std::string(metric),
                      .unit = std::string(unit),
                      .rank = std::nullopt,
                      .warmup = static_cast<int>(layout.warmup),
                      .values = std::move(values)});
  };
  for (std::size_t f = 0; f < field_count; ++f) {
    add(kFieldNames[f], "s", column(slowest, static_cast<Field>(f)));
  }
  if (layout.has_phases) {
    Exposed exposed = exposed_over_ranks(all);
    add("exposed_communication_max_time_s", "s", std::move(exposed.max));
    add("exposed_communication_mean_time_s", "s", std::move(exposed.mean));
  }
  if (layout.has_phases && layout.has_overlap && layout.has_collective_ends) {
    add(names::kHidden, "s", hidden(slowest));
  }
  if (layout.has_phases && !layout.has_collectives) {
    add("pipeline_bubble", "1", bubble(all, slowest));
  }
  if (layout.peak_step_time_s) {
    add(names::kUtilization, "1", utilization(slowest, *layout.peak_step_time_s));
  }
  if (layout.has_loss && check_loss(all).passed) {
    add(kFieldNames[kLoss], "1", column(slowest, kLoss));
  }
  add(names::kWindowTime, "s", {window_time_s(all, layout.warmup)});
  series.back().warmup = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (std::size_t f = 0; f < field_count; ++f) {
      add(kFieldNames[f], "s", column(all[rank], static_cast<Field>(f)));
      series.back().rank = static_cast<int>(rank);
    }
  }
  return series;
}

protocol::Check check_loss(const AllSteps& all) {
  const std::vector<StepTimes> slowest = over_ranks(all);
  const auto bad = std::find_if(slowest.begin(), slowest.end(), [](const StepTimes& step) {
    return !std::isfinite(step[kLoss]);
  });
  return check_loss(bad == slowest.end() ? std::nullopt
                                         : std::optional<std::size_t>(bad - slowest.begin()));
}

protocol::Check check_loss(std::optional<std::size_t> diverged_step) {
  if (!diverged_step) {
    return {.name = "loss_finite", .passed = true, .detail = ""};
  }
  return {.name = "loss_finite",
          .passed = false,
          .detail = "the loss is not finite from step " + std::to_string(*diverged_step) +
                    " on (warm-up included); lower learning_rate"};
}

protocol::Check check_phases(const AllSteps& all, std::size_t warmup) {
  protocol::Check check{.name = "phases_close", .passed = true, .detail = ""};
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::vector<double> other;
    for (std::size_t i = warmup; i < all[rank].size(); ++i) {
      other.push_back(std::abs(all[rank][i][kOtherTime]));
    }
    const double unexplained_s = median_of(other);
    const double step_s = median(all[rank], warmup, kStepTime);
    const double limit_s = std::max(0.02 * step_s, 20e-6);
    if (!(unexplained_s <= limit_s)) {
      char text[160];
      std::snprintf(text,
                    sizeof(text),
                    "rank %zu: %.1f us of a %.1f us step are in no phase, at most %.1f us may be",
                    rank,
                    unexplained_s * 1e6,
                    step_s * 1e6,
                    limit_s * 1e6);
      check.passed = false;
      check.detail = text;
    }
  }
  return check;
}

double median(const std::vector<StepTimes>& steps, std::size_t warmup, Field field) {
  std::vector<double> values = column(steps, field);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(warmup));
  return median_of(std::move(values));
}

}  // namespace scalestudy::train
