// What `import --assume` declares of figures that their document does not say.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

struct Assumption {
  std::string text;                // as given, for messages
  std::vector<std::string> where;  // tables, columns, experiments or rows; empty: every figure
  std::string name;   // a condition, or baseline.NAME: one of the run a ratio refers to
  std::string value;  // "*": any value
};

// Parses "model=gpt-7b,configuration=ddp" and "memory/4/strategy=fsdp": what stands before the last
// "/" names the figures. Throws Error{kUsage} for a text without a name or a value.
std::vector<Assumption> parse_assumptions(const std::vector<std::string>& texts);

// Throws Error{kUsage} if neither a figure nor the study has a condition of an assumption's name.
// Names that analysis knows of every study count as the study's.
// - study_names: the parameters of the study that the figures are compared with.
void require_known_names(const std::vector<Assumption>& assumptions,
                         const std::vector<PublicationRow>& publications,
                         const std::set<std::string>& study_names);

// Stores each assumption with the figures that it is about; the last one of a name counts.
// Returns how many figures each is about, in the order of `assumptions`.
std::vector<std::size_t> assume(const std::vector<Assumption>& assumptions,
                                PublicationRow& publication);

}  // namespace scalestudy
