// The table of workload parameters, its checks, and the text a child gets.
#include "workloads/parameters/parameters.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/support/catch.h"
#include "workloads/parameters/strategies.h"
#include "workloads/protocol/parameters_text.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy::protocol;

namespace {

std::string check(std::string_view name, std::string_view text) {
  const ParameterInfo* info = find_parameter("train", name);
  return info == nullptr ? "no such parameter" : check_parameter(*info, text);
}

}  // namespace

TEST_CASE("every default of a workload passes its own check", "[protocol]") {
  std::set<std::string_view> names;
  for (const ParameterInfo& info : workload_parameters("train")) {
    CAPTURE(info.name);
    CHECK(names.insert(info.name).second);
    CHECK_FALSE(info.help.empty());
    CHECK(info.optional == info.default_value.empty());
    if (!info.optional) {
      CHECK(check_parameter(info, info.default_value).empty());
    }
    for (const OtherDefault& other : info.other_defaults) {
      CAPTURE(other.parameter, other.value);
      CHECK(check(other.parameter, other.value).empty());
      CHECK(check_parameter(info, other.default_value).empty());
    }
  }
  CHECK_FALSE(names.empty());
}

TEST_CASE("the first other default that applies is the default", "[protocol]") {
  const auto value = [](const char* name, const std::map<std::string, std::string>& beside) {
    return default_value(*find_parameter("train", name), beside);
  };

  CHECK(value("overlap", {}) == "none");
  CHECK(value("overlap", {{"backend", "cuda"}}) == "stream");
  CHECK(value("overlap", {{"backend", "cuda"}, {"strategy", "ddp_serial"}}) == "none");
  CHECK(value("learning_rate", {{"model", "mlp-258k"}}) == "0.01");
  CHECK(value("learning_rate", {{"model", "mlp-258k"}, {"optimizer", "adamw"}}) == "0.001");
  CHECK(value("learning_rate", {{"model", "mlp-6.9m"}}) == "0.001");
}

TEST_CASE("a workload that is not built in has no parameters", "[protocol]") {
  CHECK(workload_parameters("command").empty());
  CHECK(find_parameter("command", "devices") == nullptr);
  CHECK(find_parameter("train", "device") == nullptr);
  CHECK(builtin_workloads() == std::vector<std::string>{"train", "collective"});
}

TEST_CASE("a parameter value inside its range is accepted", "[protocol]") {
  CHECK(check("devices", "1").empty());
  CHECK(check("devices", "65536").empty());
  CHECK(check("model.layers", "64").empty());
  CHECK(check("momentum", "0").empty());
  CHECK(check("momentum", "0.999").empty());
  CHECK(check("bucket_mb", "1e-3").empty());
  CHECK(check("bucket_mb", "100").empty());
  CHECK(check("batch_global", "1000000000").empty());
  CHECK(check("model", "mlp-6.9m").empty());
}

TEST_CASE("a parameter value outside its range is refused with what is allowed", "[protocol]") {
  CHECK(check("devices", "0") == "devices is \"0\", allowed: an integer in [1, 65536] ranks");
  // Times 65536 devices it is a number still.
  CHECK(check("batch_per_device", "1000000001") ==
        "batch_per_device is \"1000000001\", allowed: an integer in [1, 1000000000] samples");
  CHECK(check("model.layers", "129") ==
        "model.layers is \"129\", allowed: an integer in [1, 128] layers");
  CHECK(check("seed", "9223372036854775808") ==
        "seed is \"9223372036854775808\", allowed: an integer in [0, 9223372036854775807]");
  CHECK(check("seed", "9223372036854775807").empty());
  CHECK(check("momentum", "1") == "momentum is \"1\", allowed: a number in [0, 1)");
  const std::string bucket = check("bucket_mb", "0");
  CHECK(bucket == "bucket_mb is \"0\", allowed: a number in (0, inf) MiB");
}

TEST_CASE("text that is no number of the right kind is refused", "[protocol]") {
  const auto* text =
      GENERATE("", "1.5", "1e3", " 1", "1 ", "0x10", "nan", "+1", "99999999999999999999");
  CAPTURE(text);
  CHECK_FALSE(check("devices", text).empty());
  const auto* real = GENERATE("", "nan", "inf", "25MB", "1e999", "--1");
  CAPTURE(real);
  CHECK_FALSE(check("bucket_mb", real).empty());
}

TEST_CASE("a list of integers ascends from 1, with nothing else between than commas",
          "[protocol]") {
  CHECK(check("lr_milestones", "30").empty());
  CHECK(check("lr_milestones", "30,60,80").empty());
  CHECK(check("lr_milestones", "60,30") ==
        "lr_milestones is \"60,30\", allowed: ascending integers from 1 with commas between them, "
        "no blanks: \"30,60\" epochs");
  const auto* text = GENERATE("", "0", "30,30", "30,", ",30", "30, 60", "030", "1.5", "x", "-1");
  CAPTURE(text);
  CHECK_FALSE(check("lr_milestones", text).empty());
}

TEST_CASE("a misspelt word is answered with the closest one", "[protocol]") {
  CHECK(check("precision", "fp23") ==
        "precision is \"fp23\", allowed: fp32, fp64, tf32, bf16, fp16 (did you mean \"fp32\"?)");
  CHECK_THAT(check("model", "mlp-4069"), Catch::Contains("did you mean \"mlp-4096\""));
  CHECK(check("comm", "carrier pigeon") ==
        "comm is \"carrier pigeon\", allowed: mpi, noop, nccl, mpi_staged, shm");
  CHECK_FALSE(check("comm", std::string(100'000, 'x').c_str()).empty());
}

TEST_CASE("parameters read back as canonical text", "[protocol]") {
  const std::string json = format_parameters({{"devices", std::int64_t{2}},
                                              {"bucket_mb", 0.1},
                                              {"momentum", 1e-7},
                                              {"flag", true},
                                              {"env.NCCL_ALGO", std::string("Ri\"ng\n")}});

  CHECK(json ==
        R"({"bucket_mb":0.1,"devices":2,"env.NCCL_ALGO":"Ri\"ng\n","flag":true,"momentum":1e-07})");
  const auto parameters = parse_parameters(json);
  CHECK(parameters.size() == 5);
  CHECK(parameters.at("devices") == "2");
  CHECK(parameters.at("bucket_mb") == "0.1");
  CHECK(parameters.at("momentum") == "1e-07");
  CHECK(parameters.at("flag") == "true");
  CHECK(parameters.at("env.NCCL_ALGO") == "Ri\"ng\n");
  CHECK(parse_parameters("{}").empty());
}

// A word that no value can have would refuse nothing.
bool can_be(std::string_view name, std::string_view value) {
  const ParameterInfo* info = find_parameter("train", name);
  return info == nullptr ? name.starts_with("env.") : check_parameter(*info, value).empty();
}

TEST_CASE("what a parameter's row refuses are values that both can have", "[protocol]") {
  std::size_t refusals = 0;
  for (const ParameterInfo& parameter : workload_parameters("train")) {
    for (const Refusal& refusal : parameter.refusals) {
      CAPTURE(parameter.name, refusal.value, refusal.other, refusal.other_value);
      CHECK(can_be(parameter.name, refusal.value));
      CHECK(can_be(refusal.other, refusal.other_value));
      ++refusals;
    }
  }
  CHECK(refusals > 0);
}

TEST_CASE("what reads a parameter is a value that another one can have", "[protocol]") {
  std::size_t readers = 0;
  for (const std::string& workload : builtin_workloads()) {
    for (const ParameterInfo& parameter : workload_parameters(workload)) {
      for (const Reader& reader : parameter.readers) {
        CAPTURE(workload, parameter.name, reader.other, reader.value);
        const bool is_any_other = reader.value.starts_with('!');
        const ParameterInfo* other = find_parameter(workload, reader.other);
        REQUIRE(other != nullptr);
        CHECK(other->name != parameter.name);
        CHECK(check_parameter(*other, reader.value.substr(is_any_other ? 1 : 0)).empty());
        CHECK(is_any_other == parameter.readers.front().value.starts_with('!'));
        ++readers;
      }
    }
  }
  CHECK(readers > 0);
}

TEST_CASE("what a strategy's row refuses are values that a parameter can have", "[protocol]") {
  for (const StrategyInfo& strategy : strategies()) {
    CHECK(&find_strategy(strategy.name) == &strategy);
    CHECK(can_be("strategy", strategy.name));
    for (const StrategyRefusal& refusal : strategy.refusals) {
      CAPTURE(strategy.name, refusal.parameter, refusal.value);
      const std::string_view value = refusal.value;
      CHECK(find_parameter("train", refusal.parameter) != nullptr);
      CHECK((value == "rounded" ? refusal.parameter == "comm_dtype"
             : value.starts_with('!')
                 ? can_be(refusal.parameter, value.substr(1))
                 : value == ">0" || value == ">1" || can_be(refusal.parameter, value)));
    }
  }
  CHECK(find_strategy("none such").name == "ddp");
}

TEST_CASE("a parameter that is not finite is refused", "[protocol]") {
  CHECK_THROWS_AS(format_parameters({{"x", std::nan("")}}), std::invalid_argument);
  CHECK_THROWS_AS(format_parameters({{"x", std::numeric_limits<double>::infinity()}}),
                  std::invalid_argument);
}

TEST_CASE("parameters that are no flat object are refused", "[protocol]") {
  const auto* json = GENERATE("",
                              "[1]",
                              "3",
                              "{",
                              R"({"a":1} {})",
                              R"({"a":{"b":1}})",
                              R"({"a":[1]})",
                              R"({"values":[]})",
                              R"({"a":null})",
                              R"({"a":NaN})",
                              R"({"a":1,"a":2})");
  CAPTURE(json);
  CHECK_THROWS_AS(parse_parameters(json), std::invalid_argument);
}
