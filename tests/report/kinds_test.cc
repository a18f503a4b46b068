// Every kind of report, of the studies that name it and of others: the first screen, tables that
// GitHub renders, and what each kind is there for.
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/read_file.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/html.h"
#include "harness/report/template/pages.h"
#include "harness/report/template/template_source.h"
#include "harness/study/declared/words.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

struct Tables {
  std::size_t count = 0;
  std::string broken;  // rows that have another number of cells than their head
};

// Of GitHub's Markdown: runs of lines that begin with a bar, outside code fences.
Tables tables_of(const std::string& markdown) {
  std::istringstream lines(markdown);
  Tables tables;
  std::size_t bars = 0;
  bool is_fenced = false;
  for (std::string line; std::getline(lines, line);) {
    is_fenced = line.starts_with("```") ? !is_fenced : is_fenced;
    if (is_fenced || !line.starts_with("|")) {
      bars = 0;
      continue;
    }
    const std::size_t own = count(line, "|") - count(line, "\\|");
    tables.count += bars == 0 ? 1 : 0;
    bars = bars == 0 ? own : bars;
    tables.broken += own == bars ? "" : line + "\n";
  }
  return tables;
}

// A heading with nothing below it before the next of its level or a higher one.
std::string empty_headings(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::string empty;
  std::string open;
  bool is_fenced = false;
  for (std::string line; std::getline(lines, line);) {
    is_fenced = line.starts_with("```") ? !is_fenced : is_fenced;
    if (is_fenced || line.empty()) {
      open = is_fenced ? "" : open;
    } else if (line.starts_with("#")) {
      const bool is_below = line.find(' ') > open.find(' ');
      empty += !open.empty() && !is_below ? open + "\n" : "";
      open = line;
    } else {
      open.clear();
    }
  }
  return empty;
}

// Of a partial: whether each of its lines is another one, or a fold around them.
bool only_lists(const std::string& partial) {
  std::istringstream lines(partial);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("{{> ") && line.find("details>") == std::string::npos &&
        !line.starts_with("<summary>")) {
      return false;
    }
  }
  return true;
}

std::vector<std::string> kinds_of_train() {
  std::vector<std::string> kinds = words_of<ReportKind>();
  std::erase(kinds, to_word(ReportKind::kCollective));
  return kinds;
}

// Links to places of the page that it does not have.
std::string dead_links(const std::string& html) {
  const std::string link = "href=\"#";
  std::string dead;
  for (std::size_t at = html.find(link); at != std::string::npos; at = html.find(link, at + 1)) {
    const std::size_t from = at + link.size();
    const std::string name = html.substr(from, html.find('"', from) - from);
    dead += count(html, "id=\"" + name + "\"") == 1 ? "" : name + "\n";
  }
  return dead;
}

void check_page(const std::string& page) {
  CHECK(test::length(test::first_screen(page)) <= test::kFirstScreen);
  const Tables tables = tables_of(page);
  CHECK(tables.broken.empty());
  CHECK(tables.count >= 4);
  CHECK(empty_headings(page).empty());
  // What GitHub's own parser makes of it: each a table, no bar left in a paragraph.
  const std::string html = make_html("t", page, {});
  CHECK(count(html, "<table>") == tables.count);
  CHECK_THAT(html, !Contains("<p>|"));
  CHECK(dead_links(html).empty());
  CHECK_THAT(page, !Contains(" nan") && !Contains("{{") && !Contains("\n\n\n\n"));
}

TEST_CASE("every kind of report of a shipped study renders on GitHub", "[report]") {
  for (const char* name : {"image-scaling-256",
                           "small-mlp-second-device",
                           "mlp-4096-batch",
                           "llm-platform",
                           "resnet-strong-scaling"}) {
    const ReportInput input = test::shipped(name);
    for (const std::string& kind : kinds_of_train()) {
      INFO(name << " as " << kind);
      check_page(test::render_kind(input, kind));
    }
  }
}

TEST_CASE("every kind has the sections that its page speaks of", "[report]") {
  ReportInput input = test::shipped("mlp-4096-batch");
  Store store = Store::open_in_memory();
  input.publications = read_input(store, test::fill_sample(store)).publications;
  for (const Provenance provenance : {Provenance::kProjected, Provenance::kScenario}) {
    input.results.projections.emplace_back().provenance = provenance;
  }
  input.results.volumes.emplace_back().cell_id = input.cells.front().id;
  for (const std::string& kind : words_of<ReportKind>()) {
    INFO(kind);
    ReportInput own = input;
    if (kind == to_word(ReportKind::kCollective)) {  // of no steps
      own.results.projections.clear();
      own.results.volumes.clear();
    }
    const std::string page = test::render_kind(own, kind);
    CHECK_THAT(page, Contains("[Published figures](#published-figures)"));
    CHECK(dead_links(make_html("t", page, {})).empty());
  }
}

TEST_CASE("so does that of hostile names", "[report]") {
  Store store = Store::open_in_memory();
  const auto input = read_input(
      store,
      test::fill_sample(store, {.title = test::kHostile, .batch_label_extra = test::kHostile}));
  for (const std::string& kind : kinds_of_train()) {
    INFO(kind);
    check_page(test::render_kind(input, kind));
  }
}

TEST_CASE("every kind has its template, and every template is a kind's", "[report]") {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(shared_file("templates"))) {
    if (entry.path().extension() == ".md") {
      files.insert(entry.path().stem().string());
    }
  }
  std::set<std::string> kinds(words_of<ReportKind>().begin(), words_of<ReportKind>().end());
  kinds.insert({"README", "audit"});
  CHECK(files == kinds);
}

TEST_CASE("every kind shows each part, but those that another takes the place of", "[report]") {
  const fs::path templates = shared_file("templates");
  std::map<std::string, std::set<std::string>> lacked;
  for (const std::string& kind : words_of<ReportKind>()) {
    const auto parts =
        load_template(templates / (kind + ".md"), {templates / "partials"}, template_tags())
            .partials;
    for (const auto& entry : fs::directory_iterator(templates / "partials")) {
      const std::string part = entry.path().stem().string();
      if (!parts.contains(part) && !only_lists(scalestudy::read_file(entry.path()).value())) {
        lacked[part].insert(kind);
      }
    }
  }

  using Kinds = std::set<std::string>;
  const std::vector<std::string> of_train = kinds_of_train();
  std::map<std::string, Kinds> expected{
      {"cells", {"notes", "platform", "projection"}},
      {"overview", {"collective", "scaling", "second-device"}},
      {"sides", {"collective", "notes", "platform", "projection", "scaling"}},
      {"settings", {"collective", "notes", "projection", "second-device"}},
      // Of what was measured alone; how often to save is calculated.
      {"recovery", {"collective", "projection"}}};
  for (const char* part : {"measured", "calculated"}) {
    expected[part] = {"collective", "notes", "platform", "scaling", "second-device"};
  }
  for (const char* part : {"bandwidths", "messages", "pairs", "message_speedups", "message_laws"}) {
    expected[part] = Kinds(of_train.begin(), of_train.end());
  }
  for (const auto& [part, kinds] : lacked) {
    INFO(part);
    const bool is_expected = expected.contains(part);
    CHECK(kinds == (is_expected ? expected.at(part) : Kinds{"collective"}));  // of no steps
    expected.erase(part);
  }
  CHECK(expected.empty());
}

TEST_CASE("a collective tells what its trials used of the network", "[report]") {
  ReportInput input = test::shipped("allreduce-sweep");
  const auto details = [&] {
    return split_pages(test::render_kind(input, input.declared.report_template)).details;
  };
  const std::string column = "Network (% of the busiest link)";
  CHECK_THAT(details(), !Contains(column));
  for (const char* metric : {"cpu_cores", "link_share"}) {
    EstimateRow row;
    row.cell_id = input.cells.front().id;
    row.metric = metric;
    row.statistic = Statistic::kMean;
    row.value = 0.4;
    input.results.estimates.push_back(row);
  }
  input.make_index();
  CHECK_THAT(details(), Contains(column));
}

TEST_CASE("what no trial measured is missing by name", "[report]") {
  ReportInput input = test::shipped("small-mlp-second-device");
  std::erase_if(input.results.estimates, [](const EstimateRow& row) {
    return row.metric == "power_w" || row.metric.starts_with("gain_per_thousand");
  });
  input.make_index();

  const std::string page = test::render_kind(input, "second-device");

  CHECK_THAT(page, Contains("**Energy was not measured:**"));
  CHECK_THAT(page,
             Contains("- **what second card brings:** no cell that has it was compared with one "
                      "that lacks it"));
  CHECK_THAT(page, Contains("- **published results beside the measured ones:**"));

  input.declared.cost->investments.push_back(
      {.name = "memory", .price = 400.0, .where = {{"devices", std::int64_t{2}}}});
  CHECK_THAT(test::render_kind(input, "second-device"),
             Contains("- **what memory brings:** no cell that has it, and no other purchase "
                      "besides, was compared with one that lacks it"));
}

TEST_CASE("checkpoints that were saved are not missing, recovery from failures is", "[report]") {
  ReportInput input = test::shipped("small-mlp-second-device");
  CHECK_THAT(test::render_kind(input, "scaling"), Contains("- **checkpoints, and recovery from"));
  EstimateRow saved = input.results.estimates.front();
  saved.metric = "checkpoint_save_bytes_per_s";
  saved.value = 1e8;
  input.results.estimates.push_back(saved);
  input.make_index();

  CHECK_THAT(test::render_kind(input, "scaling"),
             !Contains("checkpoints, and") && Contains("- **recovery from failures"));
}

TEST_CASE("how often to save is missing without a rate, a save or a restart", "[report]") {
  ReportInput input = test::shipped("small-mlp-second-device");
  const auto page = [&] {
    input.make_index();
    return test::render_kind(input, "scaling");
  };
  const auto add = [&](const char* metric, Provenance provenance) {
    EstimateRow row = *input.estimate(input.cells.front().id, "step_time_s");
    row.metric = metric;
    row.unit = "s";
    row.provenance = provenance;
    input.results.estimates.push_back(row);
  };
  CHECK_THAT(page(), !Contains("how often to save"));
  input.declared.analysis.failures = {.per_device_hour = 0.5, .source = "a list", .date = ""};
  CHECK_THAT(page(),
             Contains("- **how often to save by the declared rate of failures:** no trial"));
  add("checkpoint_save_time_s", Provenance::kMeasured);
  add("daly_interval_s", Provenance::kScenario);
  CHECK_THAT(page(),
             Contains("- **cost of failures at the declared rate:** no trial has") &&
                 !Contains("**how often to save"));
  input.declared.analysis.failures.reset();
  CHECK_THAT(page(), Contains("- **how often to save, and what failures cost then:** declare"));
}

TEST_CASE("how often to save is a scenario of its own, below what was measured", "[report]") {
  ReportInput input = test::shipped("small-mlp-second-device");
  input.declared.analysis.failures = {
      .per_device_hour = 0.5, .source = "a list", .date = "2026-11-01"};
  const CellRow cell = input.cells.front();
  const auto add = [&](const char* metric, double value, double lo, double hi) -> EstimateRow& {
    EstimateRow row;
    row.cell_id = cell.id;
    row.metric = metric;
    row.value = value;
    row.lo = lo;
    row.hi = hi;
    row.status = RowStatus::kOk;
    row.provenance = Provenance::kScenario;
    return input.results.estimates.emplace_back(row);
  };
  add("checkpoint_save_time_s", 0.05, 0.04, 0.06);
  add("daly_interval_s", 26.8, 24.0, 29.4);
  EstimateRow& overhead = add("expected_overhead", 0.0041, 0.0037, 0.0045);
  overhead.n = 4;  // restarts that were measured
  overhead.n_planned = 5;
  EstimateRow& young = add("young_interval_s", 26.83, 0, 0);
  young.lo.reset();
  young.hi.reset();
  young.status = RowStatus::kInvalidInput;
  input.make_index();

  const auto row_of = [&](const char* metric) -> EstimateRow& {
    return *std::ranges::find(input.results.estimates, metric, &EstimateRow::metric);
  };
  const std::string page = test::render_kind(input, "scaling");

  CHECK_THAT(
      page,
      Contains("- **How often to save:** every 26.8 s [24.0, 29.4] of work with 1 device, ") &&
          Contains(", calculated for the declared rate of failures"));
  CHECK_THAT(page,
             Contains("**Calculated, not measured** (△): 0.5 failures per device-hour (a list, "
                      "2026-11-01), declared"));
  // One device: an hour over 0.5.
  CHECK_THAT(page,
             Contains("| 4/5 | △ 2 | 26.83 | 26.8 [24.0, 29.4] | 0.410 [0.370, 0.450] | Young: the "
                      "interval of a measured time reaches 0 |"));
  row_of("young_interval_s").provenance = Provenance::kMeasured;  // by a program that calls it so
  CHECK_THAT(test::render_kind(input, "scaling"), Contains("| 4/5 | △ 2 | – | 26.8 [24.0, 29.4]"));
  row_of("expected_overhead").value = 1e21;
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("| > 1,000x |") || Contains("| \\> 1,000x |"));
  const std::size_t scenario = page.find("### How often to save: a scenario");
  CHECK(scenario != std::string::npos);
  CHECK(scenario > page.find("## Checkpoints and failures"));
}

TEST_CASE("what preemptions cost is a scenario of each price that declares them", "[report]") {
  ReportInput input = test::shipped("small-mlp-second-device");
  input.declared.cost = Cost{.price = {.name = "list", .per_device_hour = 3.0}};
  input.declared.cost->others = {
      {.name = "spot", .per_device_hour = 1.0, .preemptions_per_device_hour = 0.5}};
  input.declared.cost->train = Training{.samples = 1e6};
  input.make_index();
  const auto gap = Contains("- **cost of preemptions at the price spot:** no trial has measured");
  CHECK_THAT(test::render_kind(input, "scaling"), gap && Contains("set failure: sigterm if"));
  ReportInput command = input;
  command.declared.workload = Workload::kCommand;  // which has no parameter failure
  CHECK_THAT(
      test::render_kind(command, "scaling"),
      Contains("a restart; extract downtime_s and checkpoint_save_time_s") && !Contains("sigterm"));
  const auto add = [&](const char* metric, double value, double lo, double hi) {
    EstimateRow row;
    row.cell_id = input.cells.front().id;
    row.metric = metric;
    row.value = value;
    row.lo = lo;
    row.hi = hi;
    row.n = 4;
    row.n_planned = 5;
    row.status = RowStatus::kOk;
    row.provenance = Provenance::kScenario;
    input.results.estimates.push_back(row);
  };
  add("preempted_overhead:spot", 0.11, 0.08, 0.17);
  add("preempted_training_hours:spot", 1.11, 1.03, 1.25);
  add("preempted_training_cost:spot", 9.78, 9.57, 10.1);
  add("preempted_training_saving:spot", 0.276, 0.254, 0.289);
  input.make_index();

  const std::string page = test::render_kind(input, "scaling");

  CHECK_THAT(page,
             Contains("### What preemptions cost: a scenario") &&
                 Contains("0.5 preemptions per device-hour") && !gap);
  // One device: an hour over 0.5.
  CHECK_THAT(page,
             Contains("△ 2 | 11.0 [8.0, 17.0] | 1.11 [1.03, 1.25] | 9.78 [9.57, 10.10] | 27.6 "
                      "[25.4, 28.9] |"));
}

TEST_CASE("a technique is what differs from its base on as many devices", "[report]") {
  const std::string page = test::render_kind(test::shipped("memory-techniques"), "scaling");

  CHECK_THAT(page, Contains("## What each technique is worth"));
  CHECK_THAT(page, Contains("| With | Where | Instead of |") || Contains("| With | Instead of |"));
  CHECK_THAT(page, Contains("| Speedup (ratio) | Memory (ratio) | Traffic (ratio) |"));
  CHECK_THAT(page,
             Contains("Data: [data/speedups.csv](data/speedups.csv), "
                      "[data/metrics.csv](data/metrics.csv)"));
  CHECK_THAT(test::render_kind(test::shipped("small-mlp-second-device"), "scaling"),
             !Contains("What each technique is worth"));
}

}  // namespace
