#include "tests/stats/oracle/match.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace scalestudy::oracle {
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

}  // namespace

std::vector<std::string> mismatches(const Json& expected, const Json& got, const Json& tolerance) {
  std::vector<std::string> result;
  for (const auto& [key, want] : expected.items()) {
    const Json found = got.contains(key) ? got[key] : Json(nullptr);
    if (!is_match(want, found, tolerance_for(tolerance, key))) {
      result.push_back(key + ": want " + want.dump() + ", got " + found.dump());
    }
  }
  return result;
}

}  // namespace scalestudy::oracle
