// Puts findings into the names of the audit template.
#include "harness/report/audit_report.h"

#include <vector>

#include "harness/base/error.h"
#include "harness/report/template/template.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

using audit::Finding;
using audit::Verdict;
using enum TagKind;

const Tags& tag_table() {
  static const Tags kTags = {
      {"datasets", kList, "the audited datasets"},
      {"datasets.name", kText, "name of the dataset"},
      {"datasets.title", kText, "what it is"},
      {"datasets.document", kText, "title of the document"},
      {"datasets.author", kText, "its author"},
      {"datasets.date", kText, "its date"},
      {"datasets.url", kText, "where it is"},
      {"datasets.hardware", kText, "hardware, as the document says it"},
      {"datasets.follow_count", kText, "number of findings that follow"},
      {"datasets.contradiction_count", kText, "number that do not"},
      {"datasets.implausible_count", kText, "number that need an explanation"},
      {"datasets.unchecked_count", kText, "number that cannot be checked"},
      {"datasets.cut_off_count", kText, "number that follow only if digits were cut off"},
      {"datasets.cut_off", kList, "figures that follow only if digits were cut off"},
      {"datasets.cut_off.figure", kText, "table and figure"},
      {"datasets.cut_off.where", kText, "section or lines of the document"},
      {"datasets.cut_off.printed", kText, "as printed"},
      {"datasets.cut_off.recomputed", kText, "what follows if all are rounded"},
      {"datasets.cut_off.formula", kText, "by which formula"},
      {"datasets.cut_off.bases", kText, "from which figures"},
      {"datasets.cut_off.why", kText, "whose digits must have been cut off"},
      {"datasets.contradictions", kList, "figures that do not follow"},
      {"datasets.contradictions.figure", kText, "table and figure"},
      {"datasets.contradictions.where", kText, "section or lines of the document"},
      {"datasets.contradictions.printed", kText, "as printed"},
      {"datasets.contradictions.recomputed", kText, "what follows, in the printed unit"},
      {"datasets.contradictions.formula", kText, "by which formula"},
      {"datasets.contradictions.bases", kText, "from which figures"},
      {"datasets.contradictions.why", kText, "by how much, or the reason"},
      {"datasets.contradictions.remark", kText, "what the mistake seems to be, if anything"},
      {"datasets.implausible", kList, "figures that need an explanation"},
      {"datasets.implausible.figure", kText, "table and figure"},
      {"datasets.implausible.where", kText, "section or lines of the document"},
      {"datasets.implausible.printed", kText, "as printed"},
      {"datasets.implausible.recomputed", kText, "what it is held against"},
      {"datasets.implausible.formula", kText, "what one expects"},
      {"datasets.implausible.bases", kText, "from which figures"},
      {"datasets.implausible.why", kText, "the reason"},
      {"datasets.unchecked", kList, "figures that cannot be checked"},
      {"datasets.unchecked.figure", kText, "table and figure"},
      {"datasets.unchecked.where", kText, "section or lines of the document"},
      {"datasets.unchecked.printed", kText, "as printed"},
      {"datasets.unchecked.recomputed", kText, "what was compared with, if anything"},
      {"datasets.unchecked.formula", kText, "by which formula, if any"},
      {"datasets.unchecked.bases", kText, "figures that are there"},
      {"datasets.unchecked.why", kText, "the reason"},
      {"datasets.unchecked.needs", kText, "what would make it checkable"},
      {"datasets.following", kList, "figures that follow"},
      {"datasets.following.figure", kText, "table and figure"},
      {"datasets.following.where", kText, "section or lines of the document"},
      {"datasets.following.printed", kText, "as printed"},
      {"datasets.following.recomputed", kText, "what follows"},
      {"datasets.following.formula", kText, "by which formula"},
      {"datasets.following.bases", kText, "from which figures"},
      {"datasets.following.why", kText, "empty"},
  };
  return kTags;
}

View finding_view(const Finding& finding) {
  View view;
  view.set_text("figure",
                finding.table.empty() ? finding.figure : finding.table + ": " + finding.figure);
  view.set_text("where", finding.where);
  view.set_text("printed", finding.printed);
  view.set_text("recomputed", finding.recomputed_text);
  view.set_text("formula", finding.formula);
  std::vector<std::string> bases;
  for (const audit::Base& base : finding.bases) {
    bases.push_back(base.figure + ": " + base.printed);
  }
  view.set_text("bases", join(bases, "; "));
  view.set_text("why", finding.why);
  if (finding.verdict == Verdict::kDoesNotFollow) {
    view.set_text("remark", finding.remark);
  }
  if (finding.verdict == Verdict::kCannotBeChecked) {
    view.set_text("needs", finding.needs);
  }
  return view;
}

void set_findings(View& view,
                  const std::string& list,
                  const std::string& count,
                  const AuditedDataset& audited,
                  Verdict verdict) {
  View::List rows;
  for (const Finding& finding : audited.findings) {
    if (finding.verdict == verdict) {
      rows.push_back(finding_view(finding));
    }
  }
  view.set_text(count, std::to_string(rows.size()));
  view.set_list(list, std::move(rows));
}

View dataset_view(const AuditedDataset& audited) {
  const audit::Dataset& dataset = audited.dataset;
  View view;
  view.set_text("name", dataset.name);
  view.set_text("title", dataset.title);
  view.set_text("document", dataset.source.document);
  view.set_text("author", dataset.source.author);
  view.set_text("date", dataset.source.date);
  view.set_text("url", dataset.source.url);
  view.set_text("hardware", dataset.hardware);
  set_findings(view, "cut_off", "cut_off_count", audited, Verdict::kFollowsIfCutOff);
  set_findings(view, "contradictions", "contradiction_count", audited, Verdict::kDoesNotFollow);
  set_findings(view, "implausible", "implausible_count", audited, Verdict::kImplausible);
  set_findings(view, "unchecked", "unchecked_count", audited, Verdict::kCannotBeChecked);
  set_findings(view, "following", "follow_count", audited, Verdict::kFollows);
  return view;
}

}  // namespace

std::span<const TagInfo> audit_tags() {
  return tag_table();
}

View audit_view(const std::vector<AuditedDataset>& audited) {
  View::List datasets;
  for (const AuditedDataset& item : audited) {
    datasets.push_back(dataset_view(item));
  }
  View view;
  view.set_list("datasets", std::move(datasets));
  return view;
}

std::string render_audit(const std::vector<AuditedDataset>& audited,
                         const std::filesystem::path& template_file) {
  const RunQuery no_store = [](const std::string&) -> std::string {
    throw Error(ErrorKind::kUsage, "an audit has no store to query");
  };
  return render_template(template_file,
                         {template_file.parent_path() / "partials"},
                         audit_view(audited),
                         no_store,
                         audit_tags());
}

}  // namespace scalestudy::report
