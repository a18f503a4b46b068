// `annotate`: a remark on a trial, which reports print.
#include "harness/base/clock.h"
#include "harness/cli/find_study.h"
#include "harness/cli/verb.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct AnnotateOptions {
  std::optional<std::int64_t> trial;
  std::string text;
};

ExitCode annotate(const AnnotateOptions& options, const std::string& results, Terminal& terminal) {
  open_existing(results).annotate({.trial_id = options.trial.value(),
                                   .at = SystemClock().utc_now(),
                                   .kind = AnnotationKind::kNote,
                                   .text = printable(options.text)});
  terminal.note("the next report of its study prints it");
  return ExitCode::kDone;
}

}  // namespace

Verb annotate_verb() {
  const auto options = std::make_shared<AnnotateOptions>();
  return {"annotate",
          VerbGroup::kCorrect,
          "Add a remark to a trial; reports print it",
          {{"trial", &options->trial, "Number of a trial, as in `scalestudy query trials`"},
           {"remark", &options->text, "Text of the remark"}},
          "Examples:\n  scalestudy annotate 17 \"the cooling was switched over at noon\"\n"
          "  scalestudy query annotations",
          with_options(options, annotate)};
}

}  // namespace scalestudy
