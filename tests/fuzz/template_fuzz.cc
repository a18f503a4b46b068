// A template of the user's, over a report's partials.
#include "harness/report/answer/answer.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/template.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace scalestudy;

// A value for each tag directly below `scope` ("", "groups."), with one row in every list.
report::View view_of(const std::string& scope) {
  report::View view;
  for (const report::TagInfo& tag : report::template_tags()) {
    const bool is_here =
        tag.path.starts_with(scope) && tag.path.find('.', scope.size()) == std::string::npos;
    const std::string name = is_here ? tag.path.substr(scope.size()) : "";
    if (name.empty() || tag.kind == report::TagKind::kSql) {
      continue;
    }
    if (tag.kind == report::TagKind::kText) {
      view.set_text(name, "<b>{{x}}</b>");
    } else if (tag.kind == report::TagKind::kFlag) {
      view.set_flag(name, true);
    } else {
      view.set_list(name, {view_of(tag.path + ".")});
    }
  }
  return view;
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  static const report::View kView = view_of("");
  const std::filesystem::path main = write_scratch("main.md", input);
  answers([&] {
    (void)report::render_template(
        main,
        {SCALESTUDY_SOURCE_DIR "/templates/partials"},
        kView,
        [](const std::string& sql) { return sql; },
        report::template_tags());
  });
}
