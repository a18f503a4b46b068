#include "workloads/train/times/gpu_trace.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/train/times/trace.h"

using namespace scalestudy;
using cuda::Activities;
using cuda::Activity;
using train::ClockMatch;
using train::GpuTrace;
using train::Span;
using train::SpanKind;

namespace {

constexpr std::uint64_t kCuptiZeroNs = 1'795'591'387'000'000'001;

// Steps of the trace from 0 to 10 us and from 12 to 20 us; a microsecond of CUPTI's clock is 1.25
// of them, and its zero is theirs.
const std::vector<ClockMatch> kMatches = {{0.0, kCuptiZeroNs, 2e-7},
                                          {20e-6, kCuptiZeroNs + 16'000, 4e-7}};
const std::vector<Span> kSpans = {{SpanKind::kStep, 0, 0.0, 10e-6},
                                  {SpanKind::kForward, 0, 0.0, 4e-6},
                                  {SpanKind::kCollective, 0, 2e-6, 9e-6},
                                  {SpanKind::kStep, 1, 12e-6, 8e-6}};

Activity activity(std::size_t name, std::uint32_t stream, std::uint64_t from, std::uint64_t until) {
  return {.name = name,
          .device = 0,
          .context = 1,
          .stream = stream,
          .from_ns = kCuptiZeroNs + from,
          .until_ns = kCuptiZeroNs + until};
}

// In the first step (1 to 2 us of the trace; 5 to 9), between the steps (10.5 to 11.5), in the
// second (12.5 to 17.5), behind it (21.25 to 22.5).
Activities sample() {
  Activities activities;
  activities.names = {"sums(float*)", "say \"\\\n\xff", "memset"};
  activities.all = {activity(0, 14, 800, 1600),
                    activity(1, 7, 4000, 7200),
                    activity(0, 7, 8400, 9200),
                    activity(2, 7, 10'000, 14'000),
                    activity(0, 14, 17'000, 18'000)};
  activities.all[3].bytes = 4096;
  return activities;
}

}  // namespace

TEST_CASE("what a GPU did lies in the steps that it did it in, a track for each queue", "[train]") {
  const GpuTrace trace = train::place(sample(), kSpans, kMatches);

  CHECK(trace.tracks ==
        std::vector<std::string>{"GPU 0, context 1, stream 7", "GPU 0, context 1, stream 14"});
  REQUIRE(trace.spans.size() == 3);
  CHECK(trace.spans[0].from_s == Approx(1e-6));
  CHECK(trace.spans[0].duration_s == Approx(1e-6));
  CHECK(trace.spans[0].track == 1);
  CHECK(trace.spans[1].from_s == Approx(5e-6));
  CHECK(trace.spans[1].track == 0);
  CHECK(trace.spans[2].from_s == Approx(12.5e-6));
  CHECK(trace.spans[2].duration_s == Approx(5e-6));
  CHECK(trace.spans[2].bytes == 4096);
}

TEST_CASE("a trace tells how exact it is and everything that is not in it", "[train]") {
  Activities activities = sample();
  CHECK(train::place(activities, kSpans, kMatches).notes ==
        std::vector<std::string>{
            "times of the GPU's records are within 0.4 us of those of steps where the clocks were "
            "compared, before the first and behind the last (a drift of 250000.0 ppm is corrected)",
            "left out 2 records of the GPU that are in none of the steps"});

  activities.dropped = 12;
  activities.untimed = 1;
  activities.unknown = 3;
  activities.incomplete = "cuptiActivityFlushAll: CUPTI_ERROR_UNKNOWN (999)";
  const std::vector<std::string> notes = train::place(activities, kSpans, kMatches).notes;
  REQUIRE(notes.size() == 6);
  CHECK(notes[1] == "dropped 12 records of the GPU, for which there was no room");
  CHECK(notes[3] == "left out 1 record of the GPU whose times CUPTI could not take");
  CHECK(notes[4] == "left out 3 records of the GPU of a kind that was not asked for");
  CHECK(notes[5] ==
        "records of the GPU are missing: cuptiActivityFlushAll: CUPTI_ERROR_UNKNOWN (999)");
}

TEST_CASE("a trace is JSON whose tracks are named and whose events are in order", "[train]") {
  const test::TemporaryFolder folder;

  train::write_trace(folder.path().string(), 3, kSpans, train::place(sample(), kSpans, kMatches));

  const auto trace = nlohmann::json::parse(test::read_file(folder.file("trace.rank3.json")));
  const auto& events = trace.at("traceEvents");
  std::vector<std::string> tracks;
  std::vector<std::string> order;
  double last_us = 0.0;
  for (const auto& event : events) {
    CHECK(event.at("pid") == 3);
    const std::string phase = event.at("ph");
    if (phase == "M") {
      CHECK(order.empty());
      tracks.push_back(std::to_string(event.at("tid").get<int>()) + " " +
                       event.at("args").at("name").get<std::string>());
      continue;
    }
    CHECK(event.at("ts").get<double>() >= last_us);
    last_us = event.at("ts");
    if (phase != "i") {
      order.push_back(phase + ' ' + event.at("name").get<std::string>());
    }
  }
  CHECK(tracks == std::vector<std::string>{"0 rank 3",
                                           "0 steps",
                                           "1 GPU 0, context 1, stream 7",
                                           "2 GPU 0, context 1, stream 14"});
  CHECK(order == std::vector<std::string>{"X step 0",
                                          "X forward 0",
                                          "X sums(float*)",
                                          "b collective 0",
                                          "X say \"\\\n\uFFFD",
                                          "e collective 0",
                                          "X step 1",
                                          "X memset"});
  const auto& memset = events.back();
  CHECK(memset.at("args").at("bytes") == 4096);
  CHECK(memset.at("cat") == "memory");
  CHECK(memset.at("dur") == 5.0);
  CHECK(memset.at("tid") == 1);
}

// From 0.6 to 1.4 ns is from 1 to 1 in whole ones; 0.8 rounded by itself would end at 2, in what
// begins at 1.
TEST_CASE("what begins where another ends does so in a trace", "[train]") {
  const test::TemporaryFolder folder;
  const GpuTrace gpu{.names = {"a", "b"},
                     .tracks = {"GPU"},
                     .spans = {{.name = 0, .track = 0, .from_s = 0.6e-9, .duration_s = 0.8e-9},
                               {.name = 1, .track = 0, .from_s = 1.4e-9, .duration_s = 2e-6}}};

  train::write_trace(folder.path().string(), 0, {}, gpu);

  const auto trace = nlohmann::json::parse(test::read_file(folder.file("trace.rank0.json")));
  const auto& events = trace.at("traceEvents");
  REQUIRE(events.size() == 3 + 2);
  CHECK(events[3].at("ts") == 0.001);
  CHECK(events[3].at("dur") == 0.0);
  CHECK(events[4].at("ts") == 0.001);
}
