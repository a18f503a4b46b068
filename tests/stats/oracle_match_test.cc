#include <limits>

#include <nlohmann/json.hpp>

#include "stats/status.h"
#include "tests/stats/oracle/match.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using Json = nlohmann::json;

bool matches(const Json& expected, const Json& got, const Json& tolerance) {
  return mismatches({{"key", expected}}, {{"key", got}}, tolerance).empty();
}

TEST_CASE("an oracle number passes within the larger of its two tolerances", "[stats]") {
  const Json tolerance{{"rel", 0.1}, {"abs", 0.5}};

  CHECK(matches(1.0, 1.5, tolerance));
  CHECK_FALSE(matches(1.0, 1.6, tolerance));
  CHECK(matches(100.0, 109.0, tolerance));
  CHECK_FALSE(matches(100.0, 111.0, tolerance));
}

TEST_CASE("a tolerance by key overrides the general one", "[stats]") {
  const Json tolerance{{"rel", 0.5}, {"rel_by_key", {{"key", 0.01}}}};

  CHECK_FALSE(matches(1.0, 1.1, tolerance));
}

TEST_CASE("NaN never passes an oracle", "[stats]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Json anything{{"rel", 1e300}, {"abs", 1e300}};

  CHECK_FALSE(matches(1.0, nan, anything));
  CHECK_FALSE(matches(nullptr, nan, anything));
}

TEST_CASE("null means absent and nothing else", "[stats]") {
  CHECK(matches(nullptr, nullptr, Json::object()));
  CHECK_FALSE(matches(nullptr, 0.0, Json::object()));
  CHECK_FALSE(matches(0.0, nullptr, Json::object()));
  CHECK(mismatches({{"key", nullptr}}, Json::object(), Json::object()).empty());
  CHECK_FALSE(mismatches({{"key", 1.0}}, Json::object(), Json::object()).empty());
}

TEST_CASE("counts and words must be equal whatever the tolerance", "[stats]") {
  const Json wide{{"rel", 1.0}, {"abs", 10.0}};

  CHECK_FALSE(matches(5, 6, wide));
  CHECK_FALSE(matches("ok", "OK", wide));
  CHECK_FALSE(matches(true, false, wide));
  CHECK_FALSE(matches(Json{1.0, 2.0}, Json{1.0}, wide));
}

TEST_CASE("statuses have the words of the specification", "[stats]") {
  CHECK(stats::format_status(stats::Status::kOk) == "ok");
  CHECK(stats::format_status(stats::Status::kInvalidInput) == "invalid_input");
  CHECK(stats::format_status(stats::Status::kCrossedDown) == "crossed_down");
  CHECK(stats::format_status(stats::Status::kUnboundedComplement) == "unbounded_complement");
}

}  // namespace
}  // namespace scalestudy::test
