// The tables of the published reports that this product started from, in our reports of the studies
// that ask the same.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/template/pages.h"
#include "tests/report/published_tables.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;

namespace {

// What the published reports have in their tables, a line a table, in our words.
struct SeedTable {
  const char* study;
  std::set<std::string> columns;
};

const std::vector<SeedTable> kSeedTables = {
    // GPUs, strategy, batch size, throughput, efficiency, overhead; time of an iteration, speedup
    {"image-scaling-256",
     {"Devices",
      "Batch per device",
      "Configuration",
      "Step time (ms)",
      "Samples/s",
      "Speedup",
      "Efficiency (%)",
      "Communication (% of the step)"}},
    // time to 90 epochs, cost, cost efficiency
    {"image-scaling-256", {"Devices", "Training (h)", "Training (USD)", "Cost efficiency (%)"}},
    // batch, both throughputs, speedup, efficiency, memory, utilization, time of a step
    {"small-mlp-second-device",
     {"Global batch",
      "1 device (samples/s)",
      "2 devices (samples/s)",
      "Speedup (ratio)",
      "Efficiency (%)",
      "Memory per device (GiB)",
      "GPU busy (%)",
      "Step time (ms)"}},
    {"small-mlp-second-device", {"Cell", "Speedup (ratio)", "Pays after (h of the base)"}},
    // GPUs, batch, average time of a step, throughput, speedup, efficiency
    {"mlp-4096-batch",
     {"Devices",
      "Batch per device",
      "Step time (ms)",
      "Samples/s",
      "Speedup (ratio)",
      "Efficiency (%)"}},
    {"mlp-4096-batch", {"Step time (ms)", "Without communication (ms)", "T_comm (ms)"}},
    // nodes, GPUs, throughput, efficiency, overhead; speedup and memory of a GPU
    {"llm-platform",
     {"Nodes",
      "Devices",
      "Tokens/s",
      "Speedup (ratio)",
      "Efficiency (%)",
      "Communication (% of the step)",
      "Memory (GiB per device)"}},
    {"llm-platform", {"Devices", "Training (h)", "Training (USD)"}},
    // component, on demand, spot, savings
    {"llm-platform", {"Price", "Part", "Cost (USD)", "Less than at the first price (%)"}},
    // GPUs, batch of a GPU and of all, time of an epoch and in all, speedup, efficiency
    {"resnet-strong-scaling",
     {"Devices",
      "Batch per device",
      "Global batch",
      "Samples/s",
      "Speedup (ratio)",
      "Efficiency (%)"}},
    {"resnet-strong-scaling", {"Devices", "Epoch (s)", "Training (h)", "Device-hours"}},
    // technique, overhead reduction or memory saved, speedup
    {"memory-techniques", {"With", "Instead of", "Speedup (ratio)", "Memory (ratio)"}}};

auto pages_of(const char* name) {
  const ReportInput input = test::shipped(name);
  return split_pages(test::render_kind(input, input.declared.report_template));
}

}  // namespace

TEST_CASE("each seed's study names its kind, and its tables are in its report", "[report]") {
  const std::string second = pages_of("small-mlp-second-device").report;
  CHECK_THAT(second, Contains("| 1 device (samples/s) | 2 devices (samples/s) |"));
  CHECK_THAT(second,
             Contains("## What investments bring") &&
                 Contains("An hour costs the declared price of the base, also after the purchase, "
                          "because what is bought is not rented as well."));

  const std::string notes = pages_of("mlp-4096-batch").report;
  CHECK_THAT(notes, Contains("| T_comm (ms) |") && Contains("## What is missing"));

  const std::string platform = pages_of("llm-platform").report;
  CHECK_THAT(platform, Contains("| Nodes |") && Contains("\n### Model gpt-6.7b\n"));
  CHECK_THAT(platform, Contains("| spot | storage |") && Contains("Less than at the first price"));

  const std::string projection = pages_of("resnet-strong-scaling").report;
  CHECK(projection.find("## Measured") < projection.find("## At a glance"));
  CHECK(projection.find("## At a glance") < projection.find("## Calculated"));
  CHECK(projection.find("## Calculated") < projection.find("## Cost"));

  // No price is declared: nothing may look like money.
  CHECK_THAT(projection, Contains(" device-hours") && !Contains("USD"));

  const std::string scaling = pages_of("image-scaling-256").report;
  CHECK_THAT(scaling, Contains("Cost efficiency (%)"));
  CHECK_THAT(scaling,
             Contains("| strategy ddp | 2 to 32 |") && Contains("| strategy fsdp | 64 to 256 |"));
}

TEST_CASE("each column of a seed's table is in a table of our report of its kind", "[report]") {
  for (const SeedTable& seed : kSeedTables) {
    ReportInput input = test::shipped(seed.study);
    std::erase_if(input.results.estimates,
                  [](const EstimateRow& row) { return row.metric == "peak_bytes"; });
    for (const CellRow& cell : input.cells) {  // of a machine with GPUs
      for (const auto& [metric, value] : {std::pair("gpu_busy_share", 0.8), {"peak_bytes", 3e9}}) {
        EstimateRow row;
        row.cell_id = cell.id;
        row.metric = metric;
        row.value = value * (1.0 + 0.01 * static_cast<double>(cell.id));
        input.results.estimates.push_back(row);
      }
    }
    input.make_index();
    const std::string page =
        split_pages(test::render_kind(input, input.declared.report_template)).report;
    std::string best;  // the columns that the nearest table lacks
    bool is_found = false;
    for (const test::PublishedTable& table : test::published_tables(page)) {
      std::string lacks;
      for (const std::string& column : seed.columns) {
        lacks += table.has(column) ? "" : column + "; ";
      }
      is_found = is_found || lacks.empty();
      best = best.empty() || lacks.size() < best.size() ? lacks : best;
    }
    INFO(seed.study << " lacks " << best);
    CHECK(is_found);
  }
}

TEST_CASE("what a seed's study tells beside its tables is in the details", "[report]") {
  const std::string platform = pages_of("llm-platform").details;
  CHECK_THAT(platform, Contains("- **carbon:** declare cost.energy.kg_co2_per_kwh"));
  CHECK_THAT(platform, Contains("| Energy (J per sample) |") && Contains("## Energy and carbon"));

  const std::string scaling = pages_of("image-scaling-256").details;
  CHECK_THAT(scaling, Contains("Highest overhead over all tested numbers of devices"));
}
