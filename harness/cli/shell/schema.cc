// `schema`: the JSON Schema of study files, of datasets and of results.json.
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/verb.h"

namespace scalestudy {
namespace {

struct SchemaOptions {
  std::string kind = "study";  // study | dataset | results
};

ExitCode print_schema(const SchemaOptions& options,
                      const std::string& /*results*/,
                      Terminal& terminal) {
  terminal.out(read_file(shared_file("data/" + options.kind + ".schema.json")).value_or(""));
  return ExitCode::kDone;
}

}  // namespace

Verb schema_verb() {
  const auto options = std::make_shared<SchemaOptions>();
  return {"schema",
          VerbGroup::kShell,
          "Print a JSON Schema: of study files, datasets or results.json",
          {{"[kind]",
            &options->kind,
            "study, dataset (of published figures) or results",
            "",
            "",
            {"study", "dataset", "results"}}},
          "Examples:\n  scalestudy schema > study.schema.json\n"
          "  scalestudy schema dataset > dataset.schema.json",
          with_options(options, print_schema)};
}

}  // namespace scalestudy
