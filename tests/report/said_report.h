// What a published report says, as its reader has it: the rows of results.json and the pages.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace scalestudy::test {

using Json = nlohmann::json;

inline constexpr const char* kOpen = "no significant difference";

// A comparison of results.json.
struct Said {
  std::string quantity;
  std::string cell;
  std::string verdict;
  Json axes;
  double ratio = 1.0;  // above 1: the cell does better than its base
  std::optional<double> p;
  std::optional<double> p_adjusted;
  std::optional<double> alpha_star;
  double alpha = 0.05;

  // +1, -1, or 0 where the page has to leave it open; of an older row by its adjusted p.
  [[nodiscard]] int sign() const {
    const bool is_resolved = alpha_star ? p && *p < *alpha_star : p_adjusted && *p_adjusted < alpha;
    return !is_resolved ? 0 : ratio > 1.0 ? 1 : -1;
  }

  // "speedup of {devices: 2}"
  [[nodiscard]] std::string place() const { return quantity + " of " + axes.dump(); }

  // Whether the cell has all that a name says: "2 devices", "knob b".
  [[nodiscard]] bool has_name(const std::string& name) const;
};

struct SaidReport {
  const std::map<std::string, std::string>& files;
  Json json;
  std::string page;  // every *.md
  std::vector<Said> rows;
  std::vector<std::string> found{};  // contradictions

  explicit SaidReport(const std::map<std::string, std::string>& all_files);

  // Notes the contradiction unless that holds.
  void expect(bool holds, const std::string& otherwise);

  // The comparisons of a quantity on the curve that the label names, with their place along it.
  [[nodiscard]] std::vector<std::pair<double, const Said*>> curve(const std::string& quantity,
                                                                  const std::string& label,
                                                                  const std::string& along) const;
};

std::optional<double> number(const Json& value);
std::string text_of(const Json& value);

}  // namespace scalestudy::test
