#include "harness/study/sections/extract_presets.h"

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"

namespace scalestudy {
namespace {

YamlNode read_presets() {
  const auto path = shared_file("data/extract-presets.yaml");
  std::vector<Problem> problems;
  YamlNode presets = parse_yaml(read_file(path).value_or(""), problems);
  if (!problems.empty() || !presets.is_map()) {
    throw Error(ErrorKind::kMachine, path.string() + ": not a map of presets; install it anew");
  }
  return presets;
}

}  // namespace

const YamlNode& extract_presets() {
  static const YamlNode kPresets = read_presets();
  return kPresets;
}

}  // namespace scalestudy
