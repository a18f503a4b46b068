// A verb of the command line as data: its options, set while arguments are parsed, and what it
// does. Each verb is one file and its name in the list of CMakeLists.txt.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/table.h"
#include "harness/cli/terminal.h"

namespace scalestudy {

// What stands before or behind any verb.
struct Globals {
  std::string results = "results";
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;  // no progress
};

// What an option sets: a bool when it is there, a vector each time; a number is above 0.
using OptionTarget = std::variant<bool*,
                                  std::string*,
                                  std::vector<std::string>*,
                                  std::optional<std::int64_t>*,
                                  Format*,
                                  ColorMode*>;

struct Option {
  std::string name;  // "--output"; of an argument that stands alone "study", or "[study]" if it may
                     // be left out
  OptionTarget target;
  std::string help;
  std::string variable = {};              // that sets it, too: OUTPUT of SCALESTUDY_OUTPUT
  std::string value = {};                 // what --help calls its value: "DIR"
  std::vector<std::string> allowed = {};  // values of a text; empty: any
};

struct Verb {
  std::string name;
  std::string description;
  std::vector<Option> options;
  std::string footer;  // of its --help: what else there is to say, and examples
  std::function<ExitCode(const std::string& results, Terminal&)> run;  // once its options are set
};

// Runs `run` with what the options of a verb are set to by then.
template <typename Options>
auto with_options(const std::shared_ptr<Options>& options,
                  ExitCode (*run)(const Options&, const std::string&, Terminal&)) {
  return [options, run](const std::string& results, Terminal& terminal) {
    return run(*options, results, terminal);
  };
}

// In the order of --help. The options of each belong to that copy of the verb.
std::vector<Verb> all_verbs();

std::vector<Option> global_options(Globals& globals);

// Options that several verbs have.
Option format_option(Format& format);
Option override_option(std::vector<std::string>& overrides);
Option machine_option(std::string& machine);

}  // namespace scalestudy
