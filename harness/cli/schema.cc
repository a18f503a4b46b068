// `schema`: the JSON Schema of study files and of datasets.
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/verbs.h"

namespace scalestudy {

ExitCode print_schema(const SchemaOptions& options, Terminal& terminal) {
  terminal.out(read_file(shared_file("data/" + options.kind + ".schema.json")).value_or(""));
  return ExitCode::kDone;
}

}  // namespace scalestudy
