// Sides: several ways to run the same cells, alternately. Contract: `version: 1` of study files.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalestudy {

// One way to run every cell: with the files as they are or those of a commit, in another
// environment, through a container launcher. Each block has trials of all sides.
struct StudySide {
  std::string name;    // value of the parameter kSideParameter
  std::string commit;  // anything git resolves; "": the files as they are
  std::map<std::string, std::string> environment;  // for its trials; overrides the study's own
  std::vector<std::string> prefix;                 // put before the program of each rank
};

inline constexpr const char* kSideParameter = "side";

}  // namespace scalestudy
