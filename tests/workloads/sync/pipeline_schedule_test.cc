// The order of passes through the stages of a pipeline.
#include "workloads/sync/pipeline_schedule.h"

#include <algorithm>
#include <string>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// "F0 F1 B0 B1"
std::string text_of(const std::vector<sync::StagePass>& passes) {
  std::string text;
  for (const sync::StagePass& pass : passes) {
    text += (text.empty() ? "" : " ") + std::string(pass.is_forward ? "F" : "B") +
            std::to_string(pass.part);
  }
  return text;
}

// When each stage is through, of forwards of 1 s and backwards of 2 s; 0 where stages wait for each
// other for ever. A pass waits for the same part on the stage before or, backward, behind it.
std::vector<double> end_times(std::size_t stages, std::size_t parts) {
  std::vector<std::vector<sync::StagePass>> orders;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    orders.push_back(sync::one_forward_one_backward(stage, stages, parts));
  }
  std::vector<std::vector<double>> forward(stages, std::vector<double>(parts, -1.0));
  std::vector<std::vector<double>> backward = forward;
  std::vector<std::size_t> next(stages, 0);
  std::vector<double> free_s(stages, 0.0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      if (next[stage] == orders[stage].size()) {
        continue;
      }
      const auto [is_forward, part] = orders[stage][next[stage]];
      const bool is_last = stage + 1 == stages;
      const double ready_s = is_forward ? (stage == 0 ? 0.0 : forward[stage - 1][part])
                             : is_last  ? forward[stage][part]
                                        : backward[stage + 1][part];
      if (ready_s >= 0.0 && (is_forward || forward[stage][part] >= 0.0)) {
        free_s[stage] = std::max(free_s[stage], ready_s) + (is_forward ? 1.0 : 2.0);
        (is_forward ? forward : backward)[stage][part] = free_s[stage];
        ++next[stage];
        moved = true;
      }
    }
  }
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if (next[stage] < orders[stage].size()) {
      return std::vector<double>(stages, 0.0);
    }
  }
  return free_s;
}

}  // namespace

// Of four stages and six parts as in figure 4 of Narayanan et al., SC 2021 (its upper half, cut
// short): p - 1 - r forwards first.
TEST_CASE("stages begin with a forward for each stage behind them, then take turns", "[sync]") {
  const auto order = [](std::size_t stage, std::size_t parts) {
    return text_of(sync::one_forward_one_backward(stage, 4, parts));
  };

  CHECK(order(0, 6) == "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5");
  CHECK(order(1, 6) == "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  CHECK(order(3, 6) == "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
  CHECK(order(0, 2) == "F0 F1 B0 B1");
  CHECK(order(0, 1) == "F0 B0");
  CHECK(text_of(sync::one_forward_one_backward(0, 1, 3)) == "F0 B0 F1 B1 F2 B2");
}

TEST_CASE("no number of stages and parts holds a pipeline up, and its bubble is the ideal one",
          "[sync]") {
  for (std::size_t stages = 1; stages <= 9; ++stages) {
    for (std::size_t parts = 1; parts <= 20; ++parts) {
      CAPTURE(stages, parts);
      const std::vector<double> ends = end_times(stages, parts);

      const double busy_s = 3.0 * static_cast<double>(parts);
      CHECK(1.0 - busy_s / ends[0] == Approx(sync::ideal_bubble(stages, parts)).margin(1e-12));
    }
  }
}

TEST_CASE("a stage keeps as many parts as lie between a forward and its backward", "[sync]") {
  for (const std::size_t stages : {1U, 2U, 5U}) {
    for (const std::size_t parts : {1U, 3U, 8U}) {
      for (std::size_t stage = 0; stage < stages; ++stage) {
        std::size_t kept = 0;
        std::size_t most = 0;
        for (const auto& pass : sync::one_forward_one_backward(stage, stages, parts)) {
          kept = pass.is_forward ? kept + 1 : kept - 1;
          most = std::max(most, kept);
        }
        CAPTURE(stages, parts, stage);
        CHECK(kept == 0);
        CHECK(sync::parts_in_flight(stage, stages, parts) == most);
      }
    }
  }
}

// (p - 1) / (m + p - 1) of Narayanan et al.: 3 / 11, 1 / 5.
TEST_CASE("the ideal bubble is that of the paper", "[sync]") {
  CHECK(sync::ideal_bubble(4, 8) == Approx(3.0 / 11.0));
  CHECK(sync::ideal_bubble(2, 4) == Approx(0.2));
  CHECK(sync::ideal_bubble(1, 4) == 0.0);
}
