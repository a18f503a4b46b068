// `schema`: the JSON Schema of study files.
#include <fstream>
#include <sstream>

#include "harness/base/paths.h"
#include "harness/cli/verbs.h"

namespace scalestudy {

ExitCode print_schema(Terminal& terminal) {
  std::ostringstream text;
  text << std::ifstream(shared_file("data/study.schema.json")).rdbuf();
  terminal.out(text.str());
  return ExitCode::kDone;
}

}  // namespace scalestudy
