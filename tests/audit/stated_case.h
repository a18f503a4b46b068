// A statement with the figures that it rests on, and what the audit finds of it.
#pragma once

#include <string>

#include <fmt/format.h>

#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

// A statement whose bases are typed with it.
struct StatedCase {
  const char* formula;
  const char* quantity;
  const char* bases;    // YAML of `at`
  const char* follows;  // the last printed value that meets the range in the comment
  const char* off;      // one unit of its last place further
};

inline Finding audit_stated(const StatedCase& c, const std::string& printed) {
  const std::string yaml = fmt::format(
      "{}statements:\n  - {{id: s, where: line 1, printed: \"{}\", quantity: {}, at: "
      "{{{}}}}}\n",
      kHead,
      printed,
      c.quantity,
      c.bases);
  const std::vector<Finding> findings = DatasetFolder(yaml).audit();
  REQUIRE(findings.size() == 1);
  return findings.front();
}

}  // namespace scalestudy::test
