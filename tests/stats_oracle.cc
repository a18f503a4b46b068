// Runs oracle cases against stats/: stats_oracle FILE.json...
// Prints a line per failure and "N passed, M failed" last; exit code 1 on any failure.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/match.h"

namespace {

using scalestudy::test::AdapterTable;
using Json = nlohmann::json;

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;

  void fail(const std::string& where, const std::string& why) {
    ++failed;
    std::printf("%s: %s\n", where.c_str(), why.c_str());
  }
};

void run_case(const Json& oracle,
              const AdapterTable& adapters,
              const std::string& file,
              Tally& tally) {
  const std::string where = file + ": " + oracle.value("name", std::string("(no name)"));
  try {
    const auto method = oracle.at("method").get<std::string>();
    const auto adapter = adapters.find(method);
    if (adapter == adapters.end()) {
      tally.fail(where, "unknown method '" + method + "'");
      return;
    }
    const Json& expected = oracle.at("expected");
    if (expected.empty()) {
      tally.fail(where, "expects nothing");
      return;
    }
    const Json got = adapter->second(oracle.at("input"));
    std::string all;
    for (const std::string& mismatch :
         scalestudy::test::mismatches(expected, got, oracle.at("tolerance"))) {
      all += (all.empty() ? "" : "; ") + mismatch;
    }
    if (all.empty()) {
      ++tally.passed;
    } else {
      tally.fail(where, all);
    }
  } catch (const std::exception& error) {
    tally.fail(where, error.what());
  }
}

void run_file(const std::string& file, const AdapterTable& adapters, Tally& tally) {
  try {
    std::ifstream stream(file);
    if (!stream) {
      throw std::runtime_error("cannot be read");
    }
    const Json cases = Json::parse(stream);
    if (!cases.is_array() || cases.empty()) {
      throw std::runtime_error("is not a list of cases");
    }
    for (const Json& oracle : cases) {
      run_case(oracle, adapters, file, tally);
    }
  } catch (const std::exception& error) {
    tally.fail(file, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: stats_oracle FILE.json...\n");
    return 2;
  }
  const AdapterTable adapters = scalestudy::test::all_adapters();
  Tally tally;
  for (int i = 1; i < argc; ++i) {
    run_file(argv[i], adapters, tally);
  }
  std::printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
  return tally.failed == 0 ? 0 : 1;
}
