#include "tests/report/contradictions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/report/contradicting_pages.h"
#include "tests/report/csv_reader.h"
#include "tests/report/said_report.h"

namespace scalestudy::test {
namespace {

void read_verdicts(SaidReport& report) {
  for (const Said& row : report.rows) {
    if (!row.p || !row.p_adjusted || !row.alpha_star) {
      continue;
    }
    report.expect((*row.p_adjusted < row.alpha) == (*row.p < *row.alpha_star),
                  row.place() + ": p and adjusted p decide differently");
    const int sign = row.sign();
    const bool is_open = row.verdict == kOpen;
    report.expect(!is_open || sign == 0, row.place() + ": " + row.verdict + ", but it is resolved");
    report.expect(row.verdict != "faster" || sign > 0,
                  row.place() + ": faster, but not resolved so");
    report.expect(row.verdict != "slower" || sign < 0,
                  row.place() + ": slower, but not resolved so");
  }
}

void read_csv(SaidReport& report) {
  const auto csv = report.files.find("data/speedups.csv");
  if (csv == report.files.end() || csv->second.empty()) {
    return;
  }
  const CsvTable table(csv->second);
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const auto row = std::ranges::find_if(report.rows, [&](const Said& said) {
      return said.cell == table.at(i, "cell") && said.quantity == table.at(i, "quantity");
    });
    const std::string name = table.at(i, "quantity") + " of " + table.at(i, "label");
    report.expect(row != report.rows.end(), name + " is in speedups.csv alone");
    if (row != report.rows.end()) {
      std::string verdict = table.at(i, "verdict");
      std::ranges::replace(verdict, '_', ' ');
      std::string other = row->verdict;
      std::ranges::replace(other, '_', ' ');
      report.expect(verdict == other,
                    name + ": " + verdict + " in speedups.csv, " + other + " in JSON");
    }
  }
}

void read_thresholds(SaidReport& report) {
  for (const Json& row : report.json.at("thresholds")) {
    const std::string metric = row.at("metric");
    if (row.at("level") != 1.0 || !row.contains("alpha_star") || row["alpha_star"].is_null()) {
      continue;
    }
    const std::string label = row.at("group_label");
    const std::string status = row.at("status");
    const std::optional<double> lo = number(row.at("bracket_lo"));
    const std::optional<double> hi = number(row.at("bracket_hi"));
    std::set<double> open;
    for (const Json& x : row.at("open_values")) {
      open.insert(x.get<double>());
    }
    for (const auto& [x, said] : report.curve(metric, label, row.at("along"))) {
      const int sign = said->sign();
      const std::string at = metric + " at " + text_of(x) + " (" + label + ")";
      report.expect(*said->alpha_star == row["alpha_star"],
                    at + ": table and threshold differ in alpha*");
      report.expect(open.contains(x) == (sign == 0), at + ": certain in one place alone");
      report.expect(status != "always" || sign > 0, at + ": always above, but not resolved above");
      report.expect(status != "not_reached" || sign < 0,
                    at + ": never above, but not resolved below");
      const int before = status == "crossed" ? -1 : 1;
      if ((status == "crossed" || status == "crossed_down") && lo && hi) {
        report.expect(x > *lo || sign == before, at + ": outside the bracket, but not resolved");
        report.expect(x < *hi || sign == -before, at + ": outside the bracket, but not resolved");
      }
      const Json& pieces = row.at("pieces");
      for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) {
        report.expect(sign == 0 || !(pieces[i] < x && x < pieces[i + 1]),
                      at + ": resolved, but among the possible crossings");
      }
    }
  }
}

void read_targets(SaidReport& report) {
  struct Judged {
    double level;
    bool is_at_least;
    std::string verdict;
    std::string name;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Judged>> by_cell;
  for (const Json& row : report.json.at("targets")) {
    if (row.at("cell").is_null() || row.at("level").is_null()) {
      continue;
    }
    by_cell[{row.at("metric"), row.at("cell")}].push_back(
        {row.at("level"), row.at("bound") == "at_least", row.at("verdict"), row.at("target")});
  }
  for (const auto& [key, all] : by_cell) {
    const auto row = std::ranges::find_if(report.rows, [&key = key](const Said& said) {
      return said.quantity == key.first && said.cell == key.second;
    });
    for (const Judged& one : all) {
      const bool is_above = one.verdict == (one.is_at_least ? "met" : "missed");
      const bool is_below = one.verdict == (one.is_at_least ? "missed" : "met");
      const bool is_ratio = key.first == "speedup" || key.first == "efficiency";
      if (is_ratio && row != report.rows.end() && row->p && row->alpha_star) {
        const int sign = row->sign();
        const std::string name = one.name + " (" + row->place() + ")";
        report.expect(one.level != 1.0 || (is_above == (sign > 0) && is_below == (sign < 0)),
                      name + ": " + one.verdict + " beside " + row->verdict);
        report.expect(!(one.level > 1.0 && is_above) || sign > 0,
                      name + ": above " + text_of(one.level) + ", but not above 1");
        report.expect(!(one.level < 1.0 && is_below) || sign < 0,
                      name + ": below " + text_of(one.level) + ", but not below 1");
        report.expect(!(one.level > 1.0 && sign < 0) || is_below,
                      name + ": below 1, but not below it");
        report.expect(!(one.level < 1.0 && sign > 0) || is_above,
                      name + ": above 1, but not above it");
      }
      for (const Judged& other : all) {
        const bool is_other_above = other.verdict == (other.is_at_least ? "met" : "missed");
        report.expect(!(is_above && other.level <= one.level) || is_other_above,
                      one.name + ": above " + text_of(one.level) + ", but " + other.name +
                          " does not see it above " + text_of(other.level));
      }
    }
  }
}

}  // namespace

std::vector<std::string> contradictions(const std::map<std::string, std::string>& files) {
  SaidReport report(files);
  read_verdicts(report);
  read_csv(report);
  read_thresholds(report);
  read_targets(report);
  read_pages(report);
  return report.found;
}

}  // namespace scalestudy::test
