// Shell completion scripts, made from the declared command line so that they cannot differ from it.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

struct CommandTree {
  struct Verb {
    std::string name;
    std::string description;
    std::vector<std::string> flags;  // "--format"
  };
  std::vector<std::string> global_flags;
  std::vector<Verb> verbs;
};

// shell  "bash", "zsh" or "fish". Files are completed where no flag or verb fits; `report` and
//        `status` complete the names of studies in the store.
std::string completion_script(const std::string& shell, const CommandTree& tree);

}  // namespace scalestudy
