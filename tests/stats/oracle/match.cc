#include "tests/stats/oracle/match.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace scalestudy::test {
namespace {

using Json = nlohmann::json;

struct Tolerance {
  double rel = 0.0;
  double abs = 0.0;
};

Tolerance tolerance_for(const Json& tolerance, const std::string& key) {
  Tolerance result{.rel = tolerance.value("rel", 0.0), .abs = tolerance.value("abs", 0.0)};
  if (tolerance.contains("rel_by_key")) {
    result.rel = tolerance["rel_by_key"].value(key, result.rel);
  }
  if (tolerance.contains("abs_by_key")) {
    result.abs = tolerance["abs_by_key"].value(key, result.abs);
  }
  return result;
}

bool is_match(const Json& want, const Json& got, const Tolerance& tolerance) {
  if (want.is_array()) {
    if (!got.is_array() || got.size() != want.size()) {
      return false;
    }
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!is_match(want[i], got[i], tolerance)) {
        return false;
      }
    }
    return true;
  }
  if (!want.is_number()) {
    return want == got;
  }
  if (got.is_number_integer()) {
    return want == got;
  }
  if (!got.is_number()) {
    return false;
  }
  const auto wanted = want.get<double>();
  const double error = std::abs(got.get<double>() - wanted);
  return error <= std::max(tolerance.abs, tolerance.rel * std::abs(wanted));
}

// What a Monte-Carlo result is held to: its ends lie in the ranges and it used enough resamples.
// The file also names the ideal bootstrap's own numbers, which no finite run reproduces.
bool is_monte_carlo(const Json& expected) {
  return expected.contains("lo_range");
}

bool is_ideal_value(const std::string& key) {
  return key == "lo_exact" || key == "hi_exact" || key == "z0" || key == "p_lo" || key == "p_hi";
}

bool is_in_range(const Json& range, const Json& got) {
  return got.is_number() && range.at(0).get<double>() <= got.get<double>() &&
         got.get<double>() <= range.at(1).get<double>();
}

bool is_monte_carlo_match(const std::string& key,
                          const Json& want,
                          const Json& got,
                          const Json& tolerance) {
  if (key == "lo_range" || key == "hi_range") {
    return is_in_range(want, got.value(key.substr(0, 2), Json(nullptr)));
  }
  if (key == "min_resamples") {
    return got.value("resamples", 0.0) >= want.get<double>();
  }
  return is_ideal_value(key) ||
         is_match(want, got.value(key, Json(nullptr)), tolerance_for(tolerance, key));
}

}  // namespace

std::vector<std::string> mismatches(const Json& expected, const Json& got, const Json& tolerance) {
  std::vector<std::string> result;
  for (const auto& [key, want] : expected.items()) {
    const Json found = got.contains(key) ? got[key] : Json(nullptr);
    if (is_monte_carlo(expected)) {
      if (!is_monte_carlo_match(key, want, got, tolerance)) {
        result.push_back(key + ": want " + want.dump() + ", got " + got.dump());
      }
    } else if (!is_match(want, found, tolerance_for(tolerance, key))) {
      result.push_back(key + ": want " + want.dump() + ", got " + found.dump());
    }
  }
  return result;
}

}  // namespace scalestudy::test
