// Files of other tools, read as each kind there is, and as what they look like.
#include "harness/import/import.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const std::string path = write_scratch("import", input);
  const std::vector<std::string> columns = {"devices=devices", "time=step_time:ms"};
  answers([&] { (void)read_import({path, std::nullopt, {}}); });
  answers([&] { (void)read_import({path, PublicationKind::kNcclTests, {}}); });
  answers([&] { (void)read_import({path, PublicationKind::kHyperfine, {}}); });
  answers([&] { (void)read_import({path, PublicationKind::kCsv, columns}); });
}
