// Imported figures are in no statistic: analysis gives the same bytes with and without them.
#include <string>
#include <vector>

#include "harness/analysis/analyse.h"
#include "harness/study/parse.h"
#include "tests/import/imported.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_publications.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

Study declared_study() {
  return parse_study(
             "version: 1\nstudy: small\nworkload: train\nparameters: {model: mlp-258k}\n"
             "axes: {devices: [1, 2], batch_global: [64]}\nsteps: {warmup: 1, measured: 2}\n"
             "trials: {count: 6}\nanalysis:\n  baseline: {devices: 1}\n  margin: 2%\n"
             "  laws: [amdahl, usl]\n"
             "  targets: [{name: pays, metric: speedup, where: {devices: 2}, at_least: 1.2}]\n",
             "small.yaml",
             {})
      .study;
}

// Everything that analysis stores, every bit of it.
std::vector<std::vector<std::vector<Field>>> analysed(Store& store, std::int64_t study_id) {
  store.replace_results(study_id, analyse(store, study_id, declared_study()));
  std::vector<std::vector<std::vector<Field>>> tables;
  for (const char* table :
       {"estimate", "comparison", "threshold", "law", "target_result", "threat", "flag"}) {
    tables.push_back(store.query("SELECT * FROM " + std::string(table) + " ORDER BY rowid").rows);
    for (std::vector<Field>& row : tables.back()) {
      row.front() = std::monostate{};  // id
    }
  }
  return tables;
}

}  // namespace

TEST_CASE("analysis gives the same results with and without imported figures", "[import]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store, 6);
  finish_all(store, planned);
  const auto before = analysed(store, planned.study_id);
  REQUIRE(before[0].size() > 4);
  REQUIRE(before[1].size() >= 2);
  PublicationRow theirs = make_publication("paper", {"1.9x", "100x"});
  theirs.study_id = planned.study_id;
  for (PublishedFigureRow& figure : theirs.figures) {
    figure.conditions = R"({"batch_global":"64","devices":"2"})";
  }
  PublicationRow times = theirs;
  times.source = "times";
  times.hash = "times";
  for (PublishedFigureRow& figure : times.figures) {
    figure.quantity = "step_time";
    figure.unit = "s";
  }
  store.put_publications(
      {theirs, times, test::import_file(test::data_file("nccl_all_reduce.json")).publication});

  CHECK(analysed(store, planned.study_id) == before);
  CHECK(store.query("SELECT * FROM published").rows.size() > 80);
}
