// Thousands of damaged records: none crashes the reader, none brings in a number that is not
// finite.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/catch.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy::protocol;

namespace {

// splitmix64: the same mutations with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = (state_ ^ (state_ >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % limit);
  }

 private:
  std::uint64_t state_;
};

std::string good_record() {
  std::string text = format_event(Start{.workload = "train",
                                        .ranks = 2,
                                        .parameters = {{"model", "mlp-258k"}},
                                        .facts = {{"parameter_count", 258432.0}},
                                        .versions = {{"onednn", "2.6.3"}}}) +
                     '\n' + format_event(Phase{.name = "measure"}) + '\n';
  for (int rank = 0; rank < 2; ++rank) {
    text += format_event(Samples{.metric = "step_time_s",
                                 .unit = "s",
                                 .rank = rank,
                                 .warmup = 1,
                                 .values = {0.5, 1e-3, -2.5, 3e200}}) +
            '\n';
  }
  return text + format_event(Check{.name = "loss_finite", .passed = true, .detail = "ok"}) + '\n' +
         format_event(End{.ok = true, .message = ""}) + '\n';
}

constexpr std::array<std::string_view, 22> kTokens{
    "NaN",    "-Infinity", "1e999",
    "-1e999", "null",      "[",
    "]",      "{",         "}",
    "\"",     "\\u0000",   "\\ud800",
    "\n",     "\r",        ",",
    ":",      "1e308",     "99999999999999999999999999",
    "-0",     "\xff",      "\"rank\":-1,",
    "values"};

std::string mutate(std::string text, Random& random) {
  for (std::size_t round = random.below(4) + 1; round > 0; --round) {
    const std::size_t place = random.below(text.size() + 1);
    switch (random.below(6)) {
      case 0:
        text.insert(place, kTokens.at(random.below(kTokens.size())));
        break;
      case 1:
        text.erase(place, random.below(20));
        break;
      case 2:
        text.insert(place, 1, static_cast<char>(random.below(256)));
        break;
      case 3:
        text.insert(place, text.substr(random.below(text.size() + 1), random.below(200)));
        break;
      case 4:
        text.resize(place);
        break;
      default:
        // in place of a number: where most of the damage of a real program would be
        if (const std::size_t digit = text.find_first_of("0123456789", place);
            digit != std::string::npos) {
          text.replace(digit, 1, kTokens.at(random.below(kTokens.size())));
        }
    }
  }
  return text;
}

bool is_sound(const Record& record, const ReadLimits& limits) {
  std::size_t values = 0;
  for (const Event& event : record.events) {
    if (const auto* samples = std::get_if<Samples>(&event)) {
      values += samples->values.size();
      if (samples->values.empty() || samples->warmup < 0 ||
          static_cast<std::size_t>(samples->warmup) > samples->values.size() ||
          !std::all_of(samples->values.begin(), samples->values.end(), [](double value) {
            return std::isfinite(value);
          })) {
        return false;
      }
    } else if (const auto* start = std::get_if<Start>(&event)) {
      if (start->ranks < 1 || start->ranks > limits.ranks ||
          !std::all_of(start->facts.begin(), start->facts.end(), [](const auto& fact) {
            return std::isfinite(fact.second);
          })) {
        return false;
      }
    }
  }
  return values <= limits.values;
}

}  // namespace

TEST_CASE("no mutation of a good record crashes the reader or brings in a bad value",
          "[protocol]") {
  const std::string good = good_record();
  const ReadLimits limits{.line_bytes = 2000, .values = 100};
  REQUIRE(parse_record(good).problems.empty());
  constexpr std::uint64_t seed = 20261121;
  Random random(seed);
  std::size_t unsound = 0;
  std::size_t reported = 0;
  std::string first_bad;

  for (int i = 0; i < 20'000; ++i) {
    const std::string text = mutate(good, random);
    const Record record = parse_record(text, limits);
    if (!is_sound(record, limits)) {
      first_bad = unsound++ == 0 ? text : first_bad;
    }
    reported += record.problems.empty() && !record.truncated ? 0U : 1U;
  }

  CAPTURE(seed, first_bad);
  CHECK(unsound == 0);
  CHECK(reported > 10'000);  // the mutations do damage
}

TEST_CASE("deep nesting is refused or ignored without exhausting the stack", "[protocol]") {
  const std::string deep(1'000'000, '[');
  const Record open = parse_record(deep + '\n');
  const Record closed = parse_record(R"({"v":1,"event":"phase","name":"p","x":)" + deep +
                                     std::string(1'000'000, ']') + "}\n");

  CHECK(open.problems.size() == 1);
  CHECK(closed.problems.empty());
  CHECK(closed.events.size() == 1);
}
