// `schema`: the JSON Schema of study files and of datasets.
#include <fstream>
#include <sstream>

#include "harness/base/paths.h"
#include "harness/cli/verbs.h"

namespace scalestudy {

ExitCode print_schema(const SchemaOptions& options, Terminal& terminal) {
  std::ostringstream text;
  text << std::ifstream(shared_file("data/" + options.kind + ".schema.json")).rdbuf();
  terminal.out(text.str());
  return ExitCode::kDone;
}

}  // namespace scalestudy
