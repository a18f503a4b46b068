// The guarantee against false alarms: figures computed from true values and rounded to any number
// of digits are never flagged.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using scalestudy::test::Random;
using test::DatasetFolder;
using test::kHead;

std::string with_commas(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of one test at a time
bool cuts_off = false;  // how this test's author shortens numbers

double round_or_cut(double value) {
  return cuts_off ? std::floor(value) : std::round(value);
}

// A positive value as somebody would print it: 2 to 6 digits, zeros for places that are rounded
// away, sometimes thousands separators, sometimes only "about".
std::string print(Random& random, double value, const std::string& unit = "") {
  const int digits = 2 + static_cast<int>(random.next() % 5);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(value)));
  const double place = std::pow(10.0, std::max(-decimals, 0));
  std::string text =
      fmt::format("{:.{}f}", round_or_cut(value / place) * place, std::max(decimals, 0));
  if (decimals > 0) {
    const double fine = std::pow(10.0, decimals);
    text = cuts_off ? fmt::format("{:.{}f}", std::floor(value * fine) / fine, decimals)
                    : fmt::format("{:.{}f}", value, decimals);
  }
  const std::uint64_t style = random.next() % 8;
  text = style < 4 ? with_commas(text) : text;
  return (style == 7 ? "~" : "") + text + unit;
}

std::string time_text(Random& random, double seconds) {
  return random.next() % 2 == 0 ? print(random, seconds * 1e3, " ms") : print(random, seconds, "s");
}

std::string ratio_text(Random& random, double ratio) {
  return random.next() % 2 == 0 ? print(random, ratio * 100.0, "%") : print(random, ratio);
}

// A true world: compute that divides, communication that does not.
struct World {
  bool is_strong = false;
  double batch = 0.0;      // of one device alone
  double compute_s = 0.0;  // for that batch
  double communication_s = 0.0;
  double steps = 0.0;

  double step_s(double devices) const {
    const double compute = is_strong ? compute_s / devices : compute_s;
    return compute + (devices > 1.0 ? communication_s * std::log2(devices) : 0.0);
  }
  double batch_global(double devices) const { return is_strong ? batch : batch * devices; }
  double throughput(double devices) const { return batch_global(devices) / step_s(devices); }
};

World make_world(Random& random) {
  World world;
  world.is_strong = random.next() % 2 == 0;
  world.batch = 16.0 * static_cast<double>(1 + random.next() % 300);
  world.compute_s = std::pow(10.0, -3.0 + 3.0 * random.uniform());
  world.communication_s = world.compute_s * 0.3 * random.uniform();
  world.steps = static_cast<double>(1000 + random.next() % 100000);
  return world;
}

std::string row_text(Random& random, const World& world, double devices) {
  const double step = world.step_s(devices);
  const double throughput = world.throughput(devices);
  const double speedup = throughput / world.throughput(1.0);
  const double hours = step * world.steps / 3600.0;
  std::vector<std::string> cells{
      fmt::format("{}", devices),
      fmt::format("{}", world.batch_global(devices)),
      fmt::format("{}", world.batch_global(devices) / devices),
      time_text(random, step),
      print(random, throughput),
      print(random, throughput / devices),
      print(random, speedup, "x"),
      ratio_text(random, speedup / devices),
      devices > 1.0 ? time_text(random, world.communication_s * std::log2(devices)) : "-",
      devices > 1.0 ? ratio_text(random, world.communication_s * std::log2(devices) / step) : "-",
      print(random, hours, " h"),
      print(random, hours * devices, " GPU-hours"),
      "$" + print(random, hours * devices * 3.0),
  };
  std::string text;
  for (const std::string& cell : cells) {
    // "$~12" is nobody's hand: the mark goes first.
    const bool is_misplaced = cell.starts_with("$~");
    text += fmt::format(
        "{}\"{}\"", text.empty() ? "" : ",", is_misplaced ? "~$" + cell.substr(2) : cell);
  }
  return text + "\n";
}

std::string phases_text(Random& random, double& before, double& after) {
  std::string text = "phase,before,after,saving,share\n";
  std::vector<std::pair<double, double>> phases;
  for (int i = 0; i < 4; ++i) {
    const double first = std::pow(10.0, 2.0 * random.uniform());
    phases.emplace_back(first, first * (0.3 + 0.6 * random.uniform()));
    before += phases.back().first;
    after += phases.back().second;
  }
  phases.emplace_back(before, after);
  int number = 0;
  for (const auto& [first, second] : phases) {
    text += fmt::format("{},\"{}\",\"{}\",\"{}\",\"{}\"\n",
                        ++number == 5 ? "Total" : fmt::format("phase {}", number),
                        print(random, first, "s"),
                        print(random, second, "s"),
                        ratio_text(random, 1.0 - second / first),
                        ratio_text(random, first / before));
  }
  return text;
}

std::string yaml_text(Random& random, const World& world, double saved) {
  std::string text = kHead;
  text += fmt::format(
      "tables:\n  - table: runs\n    file: runs.csv\n    where: line 1\n    "
      "experiment: main\n    fixed: {{price_per_device_hour: $3/h, steps: {}{}}}\n",
      world.steps,
      random.next() % 2 == 0 ? ""
                             : fmt::format(", scaling: {}", world.is_strong ? "strong" : "weak"));
  text +=
      "    columns:\n"
      "      - {column: devices, quantity: devices}\n"
      "      - {column: batch_global, quantity: batch_global}\n"
      "      - {column: batch_per_device, quantity: batch_per_device}\n"
      "      - {column: step_time, quantity: step_time}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: each, quantity: throughput_per_device, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n"
      "      - {column: efficiency, quantity: efficiency, baseline: {devices: 1}}\n"
      "      - {column: communication, quantity: communication_time}\n"
      "      - {column: overhead, quantity: overhead}\n"
      "      - {column: total, quantity: total_time}\n"
      "      - {column: device_time, quantity: device_time}\n"
      "      - {column: cost, quantity: cost}\n"
      "  - table: phases\n    file: phases.csv\n    where: line 2\n    total_row: {phase: Total}\n"
      "    columns:\n"
      "      - {column: phase, quantity: label}\n"
      "      - {column: before, quantity: time, at: {configuration: before}}\n"
      "      - {column: after, quantity: time, at: {configuration: after}}\n"
      "      - {column: saving, quantity: saving, follows: {saving: [after, before]}}\n"
      "      - {column: share, quantity: share, follows: {formula: part of the total, sql: "
      "\"SELECT "
      "before / (SELECT before FROM phases WHERE phase = 'Total') FROM phases WHERE row = "
      ":row\"}}\n";
  const double scaled = world.throughput(8.0) / world.throughput(1.0);
  text += fmt::format(
      "statements:\n"
      "  - {{id: headline, where: line 3, printed: \"{}\", quantity: speedup, experiment: main, "
      "at: "
      "{{devices: 8}}}}\n"
      "  - {{id: best, where: line 4, printed: \"{}\", quantity: throughput, unit: img/s, follows: "
      "{{formula: highest throughput, sql: SELECT max(throughput) FROM runs}}}}\n"
      "  - {{id: saved, where: line 5, printed: \"{}\", quantity: saving, follows: {{formula: 1 - "
      "after / before, sql: \"SELECT 1 - sum(after) / sum(before) FROM phases WHERE phase <> "
      "'Total'\"}}}}\n",
      print(random, scaled, "x"),
      print(random,
            std::max({world.throughput(1.0),
                      world.throughput(2.0),
                      world.throughput(4.0),
                      world.throughput(8.0),
                      world.throughput(16.0)})),
      ratio_text(random, saved));
  return text;
}

// What the audit says of random reports, by verdict.
std::map<Verdict, std::size_t> audit_random(std::uint64_t seed) {
  Random random(seed);
  INFO(random.describe());
  std::map<Verdict, std::size_t> counts;
  for (int report = 0; report < 150; ++report) {
    const World world = make_world(random);
    std::string runs =
        "devices,batch_global,batch_per_device,step_time,throughput,each,speedup,efficiency,"
        "communication,overhead,total,device_time,cost\n";
    for (const double devices : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      runs += row_text(random, world, devices);
    }
    double before = 0.0;
    double after = 0.0;
    const std::string phases = phases_text(random, before, after);
    const std::string yaml = yaml_text(random, world, 1.0 - after / before);

    const std::vector<Finding> findings =
        DatasetFolder(yaml, {{"runs.csv", runs}, {"phases.csv", phases}}).audit();

    for (const Finding& finding : findings) {
      CAPTURE(report, finding.figure, finding.printed, finding.recomputed_text, finding.formula);
      CAPTURE(runs, phases);
      CHECK(finding.verdict != Verdict::kDoesNotFollow);
      CHECK((cuts_off || finding.verdict != Verdict::kImplausible));
      CHECK((cuts_off || finding.verdict != Verdict::kFollowsIfCutOff));
      CHECK(finding.remark.empty());
      ++counts[finding.verdict];
    }
  }
  return counts;
}

TEST_CASE("figures that follow are never flagged, however they are rounded", "[audit]") {
  cuts_off = false;

  CHECK(audit_random(20261121)[Verdict::kFollows] > 6000);
}

TEST_CASE("figures whose digits were all cut off follow, or follow if cut off", "[audit]") {
  cuts_off = true;

  auto counts = audit_random(20261122);

  CHECK(counts[Verdict::kFollows] > 3000);
  CHECK(counts[Verdict::kFollowsIfCutOff] > 500);
}

}  // namespace
