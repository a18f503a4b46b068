// Rank methods.
#include <nlohmann/json.hpp>

#include "stats/reference/ranks.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

Json mann_whitney_json(const Json& input, stats::RankP method) {
  const auto m = stats::mann_whitney(numbers(input, "a"), numbers(input, "b"), method);
  return {{"status", to_json(m.status)},
          {"u_a", to_json(m.u_a)},
          {"u_b", to_json(m.u_b)},
          {"p", to_json(m.p)},
          {"min_attainable_p", to_json(m.min_attainable_p)}};
}

Json mann_whitney(const Json& input) {
  const bool is_exact = input.at("exact").get<bool>();
  return mann_whitney_json(input, is_exact ? stats::RankP::kAutomatic : stats::RankP::kNormal);
}

Json mann_whitney_exact_ties(const Json& input) {
  return mann_whitney_json(input, stats::RankP::kPermutation);
}

Json hodges_lehmann(const Json& input) {
  const auto h =
      stats::hodges_lehmann(numbers(input, "a"), numbers(input, "b"), number(input, "level"));
  return {{"status", to_json(h.status)},
          {"estimate", to_json(h.estimate)},
          {"lo", to_json(h.lo)},
          {"hi", to_json(h.hi)},
          {"coverage", to_json(h.coverage)},
          {"max_coverage", to_json(h.max_coverage)}};
}

Json cliffs_delta(const Json& input) {
  const auto c = stats::cliffs_delta(numbers(input, "a"), numbers(input, "b"));
  return {{"status", to_json(c.status)}, {"delta", to_json(c.delta)}, {"a12", to_json(c.a12)}};
}

}  // namespace

void add_rank_adapters(AdapterTable& table) {
  table["mann_whitney"] = mann_whitney;
  table["mann_whitney_exact_ties"] = mann_whitney_exact_ties;
  table["hodges_lehmann"] = hodges_lehmann;
  table["cliffs_delta"] = cliffs_delta;
}

}  // namespace scalestudy::test
