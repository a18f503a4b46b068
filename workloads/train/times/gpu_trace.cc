#include "workloads/train/times/gpu_trace.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <tuple>

namespace scalestudy::train {
namespace {

// "1 record", "12 records".
std::string records(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " record" : " records");
}

std::string exactness(std::span<const ClockMatch> matches) {
  const double error_us = std::max(matches.front().error_s, matches.back().error_s) * 1e6;
  // By how much a second of CUPTI's clock is none of the trace's.
  const std::uint64_t second_ns = 1'000'000'000;
  const std::uint64_t from_ns = matches.front().clock_ns;
  const double drift =
      to_trace_s(matches, from_ns + second_ns) - to_trace_s(matches, from_ns) - 1.0;
  std::array<char, 240> text{};
  std::snprintf(text.data(),
                text.size(),
                "times of the GPU's records are within %.1f us of those of steps where the clocks "
                "were compared, before the first and behind the last (a drift of %.1f ppm is "
                "corrected)",
                error_us,
                drift * 1e6);
  return text.data();
}

std::vector<std::string> notes_of(const cuda::Activities& activities,
                                  std::size_t outside,
                                  std::span<const ClockMatch> matches) {
  std::vector<std::string> notes = {exactness(matches)};
  if (activities.dropped > 0) {
    notes.push_back("dropped " + records(activities.dropped) +
                    " of the GPU, for which there was no room");
  }
  if (outside > 0) {
    notes.push_back("left out " + records(outside) + " of the GPU that are in none of the steps");
  }
  if (activities.untimed > 0) {
    notes.push_back("left out " + records(activities.untimed) +
                    " of the GPU whose times CUPTI could not take");
  }
  if (activities.unknown > 0) {
    notes.push_back("left out " + records(activities.unknown) +
                    " of the GPU of a kind that was not asked for");
  }
  if (!activities.incomplete.empty()) {
    notes.push_back("records of the GPU are missing: " + activities.incomplete);
  }
  return notes;
}

// Begin and end of each step, in order.
std::vector<std::pair<double, double>> steps_of(const std::vector<Span>& spans) {
  std::vector<std::pair<double, double>> steps;
  for (const Span& span : spans) {
    if (span.kind == SpanKind::kStep) {
      steps.emplace_back(span.from_s, span.from_s + span.duration_s);
    }
  }
  return steps;
}

bool is_in_step(const std::vector<std::pair<double, double>>& steps, double at_s) {
  const auto behind =
      std::upper_bound(steps.begin(), steps.end(), at_s, [](double at, const auto& step) {
        return at < step.first;
      });
  return behind != steps.begin() && at_s <= std::prev(behind)->second;
}

// Numbers of (device, context, stream), in that order.
using Tracks = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t>;

Tracks::key_type key_of(const cuda::Activity& activity) {
  return {activity.device, activity.context, activity.stream};
}

}  // namespace

GpuTrace place(const cuda::Activities& activities,
               const std::vector<Span>& spans,
               std::span<const ClockMatch> matches) {
  const std::vector<std::pair<double, double>> steps = steps_of(spans);
  GpuTrace trace{.names = activities.names};
  std::vector<Tracks::key_type> keys;  // of each span
  Tracks tracks;
  for (const cuda::Activity& activity : activities.all) {
    const double from_s = to_trace_s(matches, activity.from_ns);
    const double duration_s = to_trace_s(matches, activity.until_ns) - from_s;
    if (is_in_step(steps, from_s + duration_s / 2)) {
      keys.push_back(key_of(activity));
      tracks[keys.back()] = 0;
      trace.spans.push_back({.name = activity.name,
                             .from_s = from_s,
                             .duration_s = duration_s,
                             .bytes = activity.bytes});
    }
  }
  for (auto& [key, number] : tracks) {
    number = trace.tracks.size();
    const auto [device, context, stream] = key;
    trace.tracks.push_back("GPU " + std::to_string(device) + ", context " +
                           std::to_string(context) + ", stream " + std::to_string(stream));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    trace.spans[i].track = tracks.at(keys[i]);
  }
  trace.notes = notes_of(activities, activities.all.size() - trace.spans.size(), matches);
  return trace;
}

}  // namespace scalestudy::train
