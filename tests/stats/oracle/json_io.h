// Between the oracle files' JSON and the arguments and results of stats/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "stats/estimate.h"
#include "stats/mean_interval.h"
#include "stats/status.h"

namespace scalestudy::test {

using Json = nlohmann::json;

// Arguments by name. Each throws std::runtime_error naming the key when it is missing or malformed.
// "NaN", "Infinity" and "-Infinity" stand for those numbers.
double number(const Json& input, const std::string& key);
std::size_t whole_number(const Json& input, const std::string& key);
std::string word(const Json& input, const std::string& key);
std::vector<double> numbers(const Json& input, const std::string& key);
std::vector<std::vector<double>> groups(const Json& input, const std::string& key);

// A number that may be absent, which is null in JSON.
std::optional<double> optional_number(const Json& input, const std::string& key);
std::vector<std::optional<double>> optional_numbers(const Json& input, const std::string& key);

// Results: an absent value becomes null.
Json to_json(const std::optional<double>& value);
Json to_json(const std::optional<std::size_t>& value);
Json to_json(stats::Status status);

// The three numbers of an estimate under the keys given.
void put_estimate(Json& out,
                  const std::string& name,
                  const std::string& lo,
                  const std::string& hi,
                  const stats::Estimate& estimate);

}  // namespace scalestudy::test
