// A published dataset and its audit: dataset.yaml, then behind "---8<---" its tables/runs.csv.
#include "harness/audit/audit.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const auto [declaration, table] = split(input);
  std::filesystem::create_directories(scratch() / "tables");
  write_scratch("dataset.yaml", declaration);
  write_scratch("tables/runs.csv", table);
  answers([] {
    for (const audit::Finding& finding : audit::audit_dataset(audit::load_dataset(scratch()))) {
      require(finding.verdict == audit::Verdict::kFollows || !finding.why.empty(),
              "every other verdict says why");
    }
  });
}
