// `merge`: several results folders into one.
#include "harness/cli/exchange/merge_into.h"
#include "harness/cli/verb.h"

namespace scalestudy {
namespace {

struct MergeOptions {
  std::vector<std::string> sources;
};

ExitCode merge_stores(const MergeOptions& options, const std::string& results, Terminal& terminal) {
  merge_into(results, options.sources, terminal);
  return ExitCode::kDone;
}

}  // namespace

Verb merge_verb() {
  const auto options = std::make_shared<MergeOptions>();
  return {
      "merge",
      VerbGroup::kShare,
      "Merge other results folders into this one",
      {{"source", &options->sources, "Results folders to take trials from; they stay as they are"}},
      "An attempt is known by its cell, plan (what one results folder planned), block and number:\n"
      "nothing is there twice, merging again changes nothing, and any order of merging gives the\n"
      "same store, but for projections made between two merges, which stay; numbers of trials\n"
      "and sessions may change, and outputs are copied along. Stores\n"
      "that differ in what has the same name, e.g. copies that went on apart, are refused as a\n"
      "whole.\n\n"
      "Examples:\n  scalestudy merge /scratch/node1/results /scratch/node2/results\n"
      "  scalestudy --results both merge mine theirs",
      with_options(options, merge_stores)};
}

}  // namespace scalestudy
