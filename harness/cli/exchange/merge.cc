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
      {{"source", &options->sources, "Results folders to take trials from; they are not changed"}},
      "An attempt is identified by its cell, plan (what one results folder planned), block and\n"
      "number. So nothing appears twice, merging again changes nothing, and any order of merging\n"
      "gives the same store, except that projections made between two merges stay. Numbers of "
      "trials\n"
      "and sessions may change; outputs are copied too. If two stores have different content "
      "under\n"
      "one name, e.g. copies that were continued separately, nothing is merged.\n\n"
      "Examples:\n  scalestudy merge /scratch/node1/results /scratch/node2/results\n"
      "  scalestudy --results both merge mine theirs",
      with_options(options, merge_stores)};
}

}  // namespace scalestudy
