#include "workloads/train/input/tokens.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy::train;

namespace {

constexpr std::size_t kVocabulary = 16;

std::vector<std::int32_t> sequence(std::size_t length, std::uint64_t seed, std::uint32_t sample) {
  std::vector<std::int32_t> tokens(length);
  fill_sequence(tokens, kVocabulary, seed, sample);
  return tokens;
}

// How often each token followed each other one in 2000 samples of 101 tokens.
std::map<std::int32_t, std::map<std::int32_t, double>> successors() {
  std::map<std::int32_t, std::map<std::int32_t, double>> counts;
  for (std::uint32_t sample = 0; sample < 2000; ++sample) {
    const std::vector<std::int32_t> tokens = sequence(101, 1, sample);
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      counts[tokens[i - 1]][tokens[i]] += 1.0;
    }
  }
  return counts;
}

}  // namespace

// By hand: 1/2 * 1 + 1/4 * 2 + 1/8 * 3 + 1/8 * 3 = 7/4 bits. The plug-in estimate from 200,000
// pairs: its bias is (successors - 1) / (2 n) a token, in all 16 * 3 / 400,000 = 0.00012, its
// standard deviation below 0.002.
TEST_CASE("the next token given the last carries seven quarters of a bit", "[train]") {
  double entropy = 0.0;
  double pairs = 0.0;
  for (const auto& [token, next] : successors()) {
    double total = 0.0;
    for (const auto& [successor, count] : next) {
      total += count;
    }
    for (const auto& [successor, count] : next) {
      entropy -= count * std::log(count / total);
    }
    pairs += total;
  }

  CHECK(pairs == 200'000.0);
  CHECK(entropy / pairs == Approx(1.75 * std::log(2.0)).margin(0.008));
}

TEST_CASE("every token has four successors", "[train]") {
  for (const auto& [token, next] : successors()) {
    CHECK(token >= 0);
    CHECK(token < static_cast<std::int32_t>(kVocabulary));
    CHECK(next.size() == 4);
  }
}

TEST_CASE("a sequence depends on its sample and the seed alone", "[train]") {
  const std::vector<std::int32_t> tokens = sequence(33, 1, 7);

  CHECK(sequence(33, 1, 7) == tokens);
  CHECK(sequence(33, 1, 8) != tokens);
  CHECK(sequence(33, 2, 7) != tokens);
  // A longer sequence begins like a shorter one.
  const std::vector<std::int32_t> longer = sequence(40, 1, 7);
  CHECK(std::equal(tokens.begin(), tokens.end(), longer.begin()));
}
