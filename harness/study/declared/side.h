// Ways to run the same cells, which take turns. Contract: `version: 1` of study files.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalestudy {

// One way to run every cell: the study's own, or a commit's, in another environment, through a
// launcher of containers. All sides take turns in each block.
struct StudySide {
  std::string name;                                // value of the parameter kSideParameter
  std::string commit;                              // what git takes for one; "": the files as they
                                                   // are
  std::map<std::string, std::string> environment;  // of its trials, above the study's own
  std::vector<std::string> prefix;                 // in front of the program of each rank
};

inline constexpr const char* kSideParameter = "side";

}  // namespace scalestudy
