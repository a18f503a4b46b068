// Series keep every value and a summary of the measured ones; a trial is stored whole or not at
// all.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <stdexcept>

#include "harness/base/error.h"
#include "harness/store/lines.h"
#include "harness/store/tables/summary.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"
#include "tests/support/statements.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

std::vector<double> unusual_doubles() {
  std::vector<double> values{0.0,
                             -0.0,
                             0.1,
                             1.0 / 3.0,
                             9007199254740993.0,
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::lowest(),
                             std::numeric_limits<double>::min(),
                             std::numeric_limits<double>::denorm_min()};
  std::uint64_t state = 7;  // splitmix64: any bit pattern that is a finite number
  while (values.size() < 5'000) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    const auto value = std::bit_cast<double>(bits ^ (bits >> 31U));
    if (std::isfinite(value)) {
      values.push_back(value);
    }
  }
  return values;
}

std::size_t count_different(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t count = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    count += std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]) ? 0U : 1U;
  }
  return count;
}

}  // namespace

TEST_CASE("every double of a series reads back with the same bits", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  const std::vector<double> values = unusual_doubles();
  TrialRecord record = make_record(planned.trials[0], {});
  record.series = {make_series("m", values)};

  store.finish_trial(record, false);

  CHECK(count_different(store.series(planned.trials[0].id).at(0).values, values) == 0);
}

TEST_CASE("a summary is over the measured values", "[store]") {
  // By hand: mean 14/4; sd = sqrt((6.25 + 2.25 + 0.25 + 12.25) / 3) = sqrt(7); sorted 1, 2, 4, 7:
  // p50 at place 1.5: 2 + 0.5 * 2; p95 at place 2.85: 4 + 0.85 * 3; p99 at 2.97: 4 + 0.97 * 3.
  const SeriesSummary summary = summarise(std::vector<double>{7.0, 1.0, 4.0, 2.0});

  CHECK(summary.n == 4);
  CHECK(summary.mean.value() == 3.5);
  CHECK(summary.sd.value() == Approx(std::sqrt(7.0)).epsilon(1e-15));
  CHECK(summary.min.value() == 1.0);
  CHECK(summary.p50.value() == 3.0);
  CHECK(summary.p95.value() == Approx(6.55).epsilon(1e-15));
  CHECK(summary.p99.value() == Approx(6.91).epsilon(1e-15));
  CHECK(summary.max.value() == 7.0);
}

TEST_CASE("what cannot be summarised is absent", "[store]") {
  const double huge = std::numeric_limits<double>::max();
  const SeriesSummary none = summarise({});
  const SeriesSummary one = summarise(std::vector<double>{2.0});
  const SeriesSummary overflow = summarise(std::vector<double>{huge, huge, -huge});

  CHECK(none.n == 0);
  CHECK_FALSE(none.mean.has_value());
  CHECK_FALSE(none.max.has_value());
  CHECK(one.mean == 2.0);
  CHECK_FALSE(one.sd.has_value());
  CHECK(one.p99 == 2.0);
  CHECK_FALSE(overflow.sd.has_value());
  CHECK(overflow.max == huge);
}

TEST_CASE("a series of huge values or of warm-up only is stored", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {});
  const double huge = std::numeric_limits<double>::max();
  record.series = {make_series("huge", {huge, huge, -huge}), make_series("warm", {1.0, 2.0}, 2)};

  store.finish_trial(record, false);

  const auto rows = store.query("SELECT n, mean, sd, max FROM series ORDER BY id").rows;
  CHECK(rows.at(0) == std::vector<Field>{std::int64_t{3}, Field{}, Field{}, huge});
  CHECK(rows.at(1) == std::vector<Field>{std::int64_t{0}, Field{}, Field{}, Field{}});
  CHECK(store.series(planned.trials[0].id).at(1).values.size() == 2);
}

TEST_CASE("values that are no array of finite numbers are not read", "[store]") {
  CHECK(parse_values("[]").value().empty());
  CHECK(parse_values(" [ 1 , -2.5e-3 ] ").value() == std::vector<double>{1.0, -0.0025});
  const auto* text = GENERATE("",
                              "[",
                              "[1",
                              "[1,]",
                              "[,1]",
                              "[1 2]",
                              "[1]]",
                              "1",
                              "[nul]",
                              "[nan]",
                              "[inf]",
                              "[1e999]",
                              "[\"1\"]");
  CAPTURE(text);
  CHECK_FALSE(parse_values(text).has_value());
}

TEST_CASE("a value of the warm-up may be missing, a measured one may not", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  const double missing = std::numeric_limits<double>::quiet_NaN();
  TrialRecord record = make_record(planned.trials[0], {});
  record.series = {make_series("warm", {missing, 0.5, 2.0}, 1)};

  store.finish_trial(record, false);

  CHECK(store.query("SELECT n, mean, values_json FROM series").rows.at(0) ==
        std::vector<Field>{std::int64_t{2}, 1.25, "[null,0.5,2]"});
  CHECK(store.query("SELECT value FROM samples ORDER BY step").rows.at(0) ==
        std::vector<Field>{Field{}});
  const std::vector<SeriesRow> read = store.series(planned.trials[0].id);
  CHECK(same_values(read.at(0).values, record.series[0].values));
  CHECK(same_values(parse_series(format_series(1, record.series[0])).second.values,
                    record.series[0].values));
  record = make_record(planned.trials[1], {});
  record.series = {make_series("cold", {missing, 0.5}, 0)};
  CHECK_THROWS_AS(store.finish_trial(record, false), std::logic_error);
  SeriesRow cold = record.series[0];
  CHECK_THROWS_AS(parse_series(format_series(1, cold)), std::out_of_range);
}

TEST_CASE("a trial with one bad series leaves nothing of the others", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord not_finite = make_record(planned.trials[0], {1.0});
  not_finite.series.push_back(make_series("m", {std::nan("")}));
  TrialRecord twice = make_record(planned.trials[0], {1.0});
  twice.series.push_back(twice.series.front());
  TrialRecord bad_warmup = make_record(planned.trials[0], {1.0});
  bad_warmup.series.push_back(make_series("m", {1.0}, 2));
  TrialRecord bad_telemetry = make_record(planned.trials[0], {1.0});
  bad_telemetry.telemetry.push_back({.name = "load", .value = std::nan(""), .unit = ""});

  CHECK_THROWS_AS(store.finish_trial(not_finite, false), std::logic_error);
  CHECK_THROWS_AS(store.finish_trial(twice, false), Error);
  CHECK_THROWS_AS(store.finish_trial(bad_warmup, false), std::logic_error);
  CHECK_THROWS_AS(store.finish_trial(bad_telemetry, false), std::logic_error);

  CHECK(store.query("SELECT * FROM series").rows.empty());
  CHECK(store.query("SELECT * FROM telemetry").rows.empty());
  CHECK(store.trials(planned.study_id)[0].state == TrialState::kPlanned);
}

TEST_CASE("series of counting trials come in order of position, over all ranks", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  plan_small_study(store, 1, "other");
  TrialRecord failed = make_record(planned.trials[1], {7.0});
  failed.trial.state = TrialState::kFailed;
  store.finish_trial(failed, true);
  failed.trial = planned.trials[2];
  failed.trial.state = TrialState::kInvalid;
  store.finish_trial(failed, false);
  for (const std::size_t i : {3U, 0U}) {
    TrialRecord record = make_record(planned.trials[i], {static_cast<double>(i) + 1.0});
    record.series.push_back(make_series("step_time_s", {8.0}));
    record.series.back().rank = 1;
    record.series.push_back(make_series("forward_time_s", {0.5}));
    store.finish_trial(record, false);
  }
  std::vector<double> seen;

  store.for_each_series(
      planned.study_id, "step_time_s", [&](const TrialRow& trial, const SeriesRow& series) {
        CHECK_FALSE(series.rank.has_value());
        CHECK(trial.state == TrialState::kOk);
        CHECK(series.warmup_n == 1);
        seen.push_back(series.values.at(1));
      });

  CHECK(seen == std::vector<double>{1.0, 4.0});
  CHECK(store.metrics(planned.study_id) ==
        std::vector<std::string>{"forward_time_s", "step_time_s"});
}

TEST_CASE("the samples view gives every step to any client", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[1], {2.5, 3.0});
  record.series.push_back(make_series("step_time_s", {4.0}));
  record.series.back().rank = 1;
  store.finish_trial(record, false);

  const auto rows =
      store.query("SELECT study, cell, rank, metric, step, is_warmup, value, unit FROM samples")
          .rows;

  const auto row = [](Field rank, std::int64_t step, std::int64_t is_warmup, double value) {
    return std::vector<Field>{std::string("small"),
                              std::string("00000002"),
                              std::move(rank),
                              std::string("step_time_s"),
                              step,
                              is_warmup,
                              value,
                              std::string("s")};
  };
  CHECK(rows == std::vector<std::vector<Field>>{row({}, 0, 1, 9.0),
                                                row({}, 1, 0, 2.5),
                                                row({}, 2, 0, 3.0),
                                                row(std::int64_t{1}, 0, 0, 4.0)});
}

TEST_CASE("energy and links of a trial are those of its measured steps", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {0.1, 0.3});
  record.series.push_back(make_series("communication_time_s", {0.05, 0.05}));
  record.telemetry = {{"measured_s", 4.0, "s"},
                      {"measured_cpu_energy_j", 100.0, "J"},
                      {"measured_gpu0_energy_j", 300.0, "J"},
                      {"measured_network_eth0_share", 0.1, "1"},
                      {"gpu0_memory_share", 0.5, "1"},
                      {"gpu1_memory_share", 0.75, "1"},
                      {"cpu_energy_j", 9e9, "J"}};
  store.finish_trial(record, false);

  // 400 J in 4 s, 0.2 s a step of 64 samples, a quarter of it in collectives.
  CHECK(store
            .query("SELECT power_w, round(energy_per_step_j, 9), round(64 * energy_per_sample_j, "
                   "9), memory_share, link_share, round(link_share_of_collectives, 9) FROM usage")
            .rows == std::vector<std::vector<Field>>{{100.0, 20.0, 20.0, 0.75, 0.1, 0.4}});
}

TEST_CASE("logs of a trial are kept as they were", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {1.0});
  record.logs = {
      {.stream = LogStream::kStderr, .path = "logs/small/1/stderr", .text = "last words"}};

  store.finish_trial(record, false);

  CHECK(
      store.query("SELECT stream, path, text FROM log").rows ==
      std::vector<std::vector<Field>>{
          {std::string("stderr"), std::string("logs/small/1/stderr"), std::string("last words")}});
}

TEST_CASE("the series of one metric are found without a look at those of all others", "[store]") {
  // The CPU time of reading each of so many metrics of two trials.
  const auto read_each = [](int metrics) {
    Store store = Store::open_in_memory();
    const Planned planned = plan_small_study(store, 1);
    for (const TrialRow& trial : planned.trials) {
      store.mark_running(trial.id, planned.session_id, "2026-11-21T10:00:01Z");
      TrialRecord record = make_record(trial, {1.0});
      for (int i = 0; i < metrics; ++i) {
        record.series.push_back(make_series("m" + std::to_string(i), {1.0}));
      }
      store.finish_trial(record, false);
    }
    const std::clock_t started = std::clock();
    int visited = 0;
    for (int i = 0; i < metrics; ++i) {
      store.for_each_series(planned.study_id,
                            "m" + std::to_string(i),
                            [&](const TrialRow&, const SeriesRow&) { ++visited; });
    }
    CHECK(visited == 2 * metrics);
    return static_cast<double>(std::clock() - started);
  };

  // Eight times as many take eight times as long; with a look at all others 64 times.
  CHECK(read_each(6000) < 24.0 * read_each(750));
}

TEST_CASE("a metric is looked up once for the series of all ranks", "[store]") {
  const Statements statements;
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials.at(0), {0.5, 1.0});
  for (int rank = 0; rank < 8; ++rank) {
    record.series.push_back(record.series.front());
    record.series.back().rank = rank;
  }
  Statements::clear();

  store.finish_trial(record, false);

  CHECK(store.series(record.trial.id).size() == 9);
  CHECK(Statements::count("INTO metric(") == 1);
  CHECK(Statements::count("SELECT id FROM metric") == 1);

  record.trial = planned.trials.at(1);
  record.trial.state = TrialState::kOk;
  Statements::clear();
  store.finish_trial(record, false);

  CHECK(Statements::count("INTO metric(") == 0);
}

TEST_CASE("a trial is pending, has ended, or is never run", "[store]") {
  std::string pending;
  std::string ended;
  for (const std::string& word : words_of<TrialState>()) {
    const TrialState state = from_word<TrialState>(word).value();
    pending += is_pending(state) ? word + " " : "";
    ended += has_ended(state) ? word + " " : "";
  }

  CHECK(pending == "planned running ");
  CHECK(ended == "ok failed timeout oom invalid unsupported ");
}

TEST_CASE("the attempt that a trial's end plans is named", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord failed;
  failed.trial = planned.trials.at(0);
  failed.trial.state = TrialState::kFailed;
  failed.trial.reason = "exit code 1";

  const std::optional<std::int64_t> next = store.finish_trial(failed, true);

  const std::vector<TrialRow> trials = store.trials(planned.study_id);
  const auto row = std::ranges::find(trials, next, &TrialRow::id);
  REQUIRE(row != trials.end());
  CHECK(row->attempt == 2);
  CHECK(row->cell_id == failed.trial.cell_id);
  CHECK(row->state == TrialState::kPlanned);
}
