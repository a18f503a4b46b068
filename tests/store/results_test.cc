// Result rows survive the way into the database and back, and are replaced as a whole.
#include <functional>
#include <limits>
#include <stdexcept>

#include "harness/base/error.h"
#include "harness/store/results_json.h"
#include "harness/store/rows/verdict_words.h"
#include "harness/store/tables/columns.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_publications.h"
#include "tests/store/sample_results.h"
#include "tests/support/catch.h"

using Catch::Contains;
using namespace scalestudy;
using namespace scalestudy::test;

namespace {

template <typename Row>
bool are_equal(const std::vector<Row>& a, const std::vector<Row>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Row& x, const Row& y) {
    return same_fields(x, y);
  });
}

}  // namespace

TEST_CASE("results read back field by field in the order given", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  PublicationRow publication = make_publication("paper", {"1.9x"});
  publication.study_id = planned.study_id;
  store.put_publications({publication});
  Results written = sample_results(planned);
  CounterpartRow& counterpart = written.counterparts.emplace_back();
  counterpart.figure_id = store.publications(planned.study_id).at(0).figures.at(0).id;
  counterpart.reason = "no cell has these conditions";

  store.replace_results(planned.study_id, written);
  const Results read = store.results(planned.study_id);

  CHECK(are_equal(read.estimates, written.estimates));
  CHECK(are_equal(read.comparisons, written.comparisons));
  CHECK(are_equal(read.thresholds, written.thresholds));
  CHECK(are_equal(read.laws, written.laws));
  CHECK(are_equal(read.law_choices, written.law_choices));
  CHECK(are_equal(read.volumes, written.volumes));
  CHECK(are_equal(read.projections, written.projections));
  CHECK(are_equal(read.targets, written.targets));
  CHECK(are_equal(read.threats, written.threats));
  CHECK(are_equal(read.search_settings, written.search_settings));
  CHECK(are_equal(read.flags, written.flags));
  CHECK(are_equal(read.flagged_steps, written.flagged_steps));
  CHECK(are_equal(read.counterparts, written.counterparts));
  CHECK(read.thresholds.at(0).id == 1);
}

TEST_CASE("a verdict either judges performance or says why it does not", "[store]") {
  for (const std::string& word : words_of<Verdict>()) {
    CAPTURE(word);
    const bool is_lost = word == "failed" || word == "out of memory" || word.starts_with("base ");
    const bool has_none = word.starts_with("no performance claim") || word == "unsupported";
    CHECK(is_loss(*from_word<Verdict>(word)) == is_lost);
    CHECK(is_claim(*from_word<Verdict>(word)) == !(has_none || is_lost));
  }
}

TEST_CASE("rows of results.json have the axes of their cells, with an estimate or without",
          "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  Results results;
  results.estimates = {make_estimate(planned.cells[0].id, "step_time_s", Statistic::kMean, 1.0)};
  results.comparisons = {make_comparison(planned, "speedup", 1.7)};  // of the other cell
  store.replace_results(planned.study_id, results);

  const std::string json = results_json(store, "small");

  CHECK_THAT(json,
             Contains(R"("metric":"step_time_s")") && Contains(R"("axes":{"devices":1}})") &&
                 Contains(R"("quantity":"speedup")") && Contains(R"("axes":{"devices":2}})"));
}

TEST_CASE("sessions of results.json can be joined, and begin with the first", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  SessionRow later = make_session(planned.study_id);
  later.uid = "a";
  later.started_at = "2026-11-22T10:00:00Z";
  SessionRow first = make_session(planned.study_id);
  first.uid = "b";
  store.begin_session(later, {});
  store.begin_session(first, {});

  const std::string json = results_json(store, "small");

  const std::size_t at = json.find(R"("uid":"b")");
  CHECK(at < json.find(R"({"session":2,"uid":"a")"));
  CHECK_THAT(json, Contains(R"({"session":3,"uid":"b")"));
}

TEST_CASE("each column of a result holds the field of its name", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.replace_results(planned.study_id, sample_results(planned));

  const auto comparison =
      store
          .query(
              "SELECT p_value, p_adjusted, equivalence_p, equivalence_p_adjusted, n, n_baseline, "
              "verdict, finding, margin FROM comparison WHERE quantity = 'speedup'")
          .rows;
  const auto threshold = store
                             .query(
                                 "SELECT bracket_lo, bracket_hi, estimate, lo, hi, censored_lo, "
                                 "censored_hi, tested_values, pieces, open_values "
                                 "FROM threshold")
                             .rows;

  CHECK(comparison == std::vector<std::vector<Field>>{{0.01,
                                                       0.02,
                                                       Field{},
                                                       Field{},
                                                       std::int64_t{2},
                                                       std::int64_t{2},
                                                       std::string("faster"),
                                                       std::string("1.70 times as fast"),
                                                       0.02}});
  CHECK(threshold == std::vector<std::vector<Field>>{{64.0,
                                                      128.0,
                                                      100.0,
                                                      90.0,
                                                      Field{},
                                                      std::int64_t{0},
                                                      std::int64_t{1},
                                                      std::int64_t{4},
                                                      std::string("[49.8,63.5,65.3,170.1]"),
                                                      std::string("[64,128]")}});
}

TEST_CASE("results of one study are replaced and those of another kept", "[store]") {
  Store store = Store::open_in_memory();
  const Planned small = plan_small_study(store);
  const Planned other = plan_small_study(store, 2, "other");
  store.replace_results(small.study_id, sample_results(small));
  store.replace_results(other.study_id, sample_results(other));
  Results fewer;
  fewer.threats = {
      {.kind = ThreatKind::kFewTrials, .severity = Severity::kWarning, .finding = "2 trials"}};

  store.replace_results(small.study_id, fewer);

  CHECK(store.results(small.study_id).estimates.empty());
  CHECK(store.results(small.study_id).threats.size() == 1);
  CHECK(store.results(other.study_id).estimates.size() == sample_results(other).estimates.size());
}

TEST_CASE("a result that is not finite or not in order leaves the old ones", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.replace_results(planned.study_id, sample_results(planned));
  Results infinite = sample_results(planned);
  infinite.laws.at(0).hi = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(store.replace_results(planned.study_id, infinite), std::logic_error);
  const auto replace_after = [&](const std::function<void(EstimateRow&)>& change) {
    Results wrong = sample_results(planned);
    change(wrong.estimates.back());
    store.replace_results(planned.study_id, wrong);
  };
  CHECK_NOTHROW(replace_after([](EstimateRow& row) { row.lo = row.hi = row.value = 5.0; }));
  CHECK_THROWS_AS(replace_after([](EstimateRow& row) { row.lo = 5.0, row.hi = 4.9; }),
                  std::logic_error);
  CHECK_THROWS_AS(replace_after([](EstimateRow& row) { row.sd = -0.1; }), std::logic_error);
  CHECK_THROWS_AS(replace_after([](EstimateRow& row) { row.n = -1; }), std::logic_error);
  CHECK_THROWS_AS(replace_after([](EstimateRow& row) { row.n_excluded = -1; }), std::logic_error);
  CHECK_THROWS_AS(replace_after([](EstimateRow& row) { row.n_planned = -1; }), std::logic_error);
  Results crossed = sample_results(planned);  // the checks of the other tables stay
  crossed.comparisons.at(0).lo = 5.0;
  CHECK_THROWS_AS(store.replace_results(planned.study_id, crossed), Error);

  CHECK(are_equal(store.results(planned.study_id).laws, sample_results(planned).laws));
}
