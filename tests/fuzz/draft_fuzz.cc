// A document of a stranger's, as Markdown and as CSV: what is drafted from it is a dataset.
#include "harness/audit/audit.h"
#include "harness/audit/dataset/dataset.h"
#include "harness/audit/draft/document.h"
#include "harness/audit/draft/draft.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace scalestudy;

void audit_draft(const audit::Document& document, const std::string& path) {
  const audit::Draft draft = audit::draft_dataset(document, path);
  const std::filesystem::path folder = test::scratch() / "draft";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [name, content] : draft.files) {
    test::write_scratch("draft/" + name, content);
  }
  test::require(test::answers([&] { (void)audit::audit_dataset(audit::load_dataset(folder)); }),
                "a draft can be audited as it is");
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  answers([&] { audit_draft(audit::read_markdown(input), "document.md"); });
  answers([&] { audit_draft(audit::read_csv(input, "document.csv"), "document.csv"); });
}
