// The audit's report: its tags against its view, and what an author reads.
#include "harness/report/audit_report.h"

#include <set>

#include "harness/base/error.h"
#include "tests/report/scratch_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Contains;

audit::Finding finding_of(audit::Verdict verdict, const std::string& figure) {
  audit::Finding finding;
  finding.table = "scaling";
  finding.figure = figure;
  finding.where = "line 7";
  finding.printed = "~92.0%";
  finding.recomputed_text = "91.91%";
  finding.verdict = verdict;
  finding.formula = "speedup / (devices / baseline devices)";
  finding.bases = {{"speedup, devices=4", "3.68x", "line 7", {}}, {"devices", "4", "line 7", {}}};
  finding.why = "printed 0.05 % above what follows";
  finding.remark = verdict == audit::Verdict::kDoesNotFollow ? "this is the speedup" : "";
  finding.needs = verdict == audit::Verdict::kCannotBeChecked ? "print its price" : "";
  return finding;
}

std::vector<AuditedDataset> sample() {
  AuditedDataset audited;
  audited.dataset.name = "example";
  audited.dataset.title = "An *example*";
  audited.dataset.source = {"Example report", "A. Author", "2026-01-31", "https://example.org"};
  audited.dataset.hardware = "4x Example GPU";
  audited.findings = {finding_of(audit::Verdict::kDoesNotFollow, "efficiency"),
                      finding_of(audit::Verdict::kFollowsIfCutOff, "latency"),
                      finding_of(audit::Verdict::kImplausible, "overhead"),
                      finding_of(audit::Verdict::kCannotBeChecked, "cost"),
                      finding_of(audit::Verdict::kFollows, "speedup"),
                      finding_of(audit::Verdict::kFollows, "throughput")};
  return {audited};
}

const std::filesystem::path kTemplate =
    std::filesystem::path(SCALESTUDY_SOURCE_DIR) / "templates/audit.md";

void collect_paths(const View& view, const std::string& prefix, std::set<std::string>& paths) {
  for (const auto& [name, value] : view.values()) {
    if (!name.starts_with("has_")) {
      paths.insert(prefix + name);
    }
    if (const auto* list = std::get_if<View::List>(&value)) {
      for (const View& row : *list) {
        collect_paths(row, prefix + name + ".", paths);
      }
    }
  }
}

TEST_CASE("the view of an audit has the tags that are listed, and no others", "[report]") {
  std::set<std::string> listed;
  for (const TagInfo& tag : audit_tags()) {
    listed.emplace(tag.path);
  }
  std::set<std::string> present;
  collect_paths(audit_view(sample()), "", present);

  CHECK(present == listed);
}

TEST_CASE("an author reads what does not follow, by which formula, from which figures",
          "[report]") {
  const std::string text = render_audit(sample(), kTemplate);

  CHECK_THAT(text, Contains("## An \\*example\\*\n"));
  CHECK_THAT(
      text,
      Contains("Example report, A. Author, 2026-01-31 (https://example.org). 4x Example GPU"));
  CHECK_THAT(
      text,
      Contains("Figures that do not follow: 1. That follow only if digits were cut off instead "
               "of rounded: 1. That\nneed an explanation: 1. That follow: 2. That cannot be "
               "checked: 1."));
  CHECK_THAT(text, Contains("### Follows only if digits were cut off"));
  CHECK_THAT(text, Contains("above what follows | print its price |"));
  CHECK_THAT(text,
             Contains("| scaling: efficiency | line 7 | \\~92.0% | 91.91% | speedup / (devices / "
                      "baseline devices) | speedup, devices=4: 3.68x; devices: 4 | printed 0.05 % "
                      "above what follows; this is the speedup |"));
}

TEST_CASE("an audit without findings has no empty tables", "[report]") {
  std::vector<AuditedDataset> audited = sample();
  audited[0].findings.clear();

  const std::string text = render_audit(audited, kTemplate);

  CHECK(text.find("###") == std::string::npos);
  CHECK(text.find("| Figure") == std::string::npos);
}

TEST_CASE("a tag of another template is refused in an audit template", "[report]") {
  const test::ScratchFolder folder;
  folder.write("mine.md", "{{#datasets}}{{study_name}}{{/datasets}}\n");

  CHECK_THROWS_WITH(render_audit(sample(), folder.path() / "mine.md"),
                    Contains("mine.md:1:14: unknown tag {{study_name}}"));
}

}  // namespace
