// Reads what collective_probe printed.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace scalestudy::test {

struct ProbedCollective {
  std::string operation;
  std::string mode;
  int poisoned = 0;  // wrong elements before it ran
  int wrong = 0;     // and after
};

inline std::vector<ProbedCollective> read_probed_collectives(const std::string& out) {
  std::istringstream lines(out);
  std::vector<ProbedCollective> all;
  for (ProbedCollective one; lines >> one.operation >> one.mode >> one.poisoned >> one.wrong;) {
    all.push_back(one);
  }
  return all;
}

}  // namespace scalestudy::test

// Checks that every operation in both modes was wrong before it ran and exact after. With one rank
// a broadcast delivers nothing, and there is no ping-pong.
#define CHECK_EXACT_COLLECTIVES(out, ranks)                                             \
  do {                                                                                  \
    const auto probed_collectives = scalestudy::test::read_probed_collectives(out);     \
    CHECK(probed_collectives.size() == ((ranks) > 1 ? 14 : 12));                        \
    for (const auto& probed : probed_collectives) {                                     \
      CAPTURE(probed.operation, probed.mode);                                           \
      CHECK((probed.poisoned > 0) == ((ranks) > 1 || probed.operation != "broadcast")); \
      CHECK(probed.wrong == 0);                                                         \
    }                                                                                   \
  } while (false)
