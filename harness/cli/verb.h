// A verb of the command line as data: its options, which parsing sets, and the function it runs.
// Each verb is one file, and one name in the list of CMakeLists.txt.
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
#include "harness/text/shell_word.h"
#include "harness/text/words.h"

namespace scalestudy {

// Options that every verb takes, before or after its name.
struct Globals {
  std::string results = kDefaultResults;
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;  // no progress
};

// The variable that an option sets. A bool becomes true; a vector gets a value each time the option
// is given; a number must be above 0.
using OptionTarget = std::variant<bool*,
                                  std::string*,
                                  std::vector<std::string>*,
                                  std::optional<std::int64_t>*,
                                  Format*,
                                  ColorMode*>;

struct Option {
  std::string name;  // "--output"; of a positional argument "study", or "[study]" if optional
  OptionTarget target;
  std::string help;
  std::string variable = {};  // environment variable for it: OUTPUT: SCALESTUDY_OUTPUT
  // What its value is, in --help and for completion: "N", "FILE", "KIND|DIR"; "[=N]" if it may be
  // left out, which sets a text to "true". Completion offers files for FILE, folders for DIR, and
  // what the store has for STUDY, CELL, TRIAL and VIEW.
  std::string value = {};
  std::vector<std::string> allowed = {};    // texts it may be set to; empty: any
  std::vector<std::string> suggested = {};  // texts that completion offers beside others
  std::string letter = {};                  // a short name for it: "-n"
  bool is_pair = false;                     // its value NAME=VALUE may be written as two words
};

// The heading below which --help lists a verb, in this order.
enum class VerbGroup { kStart, kLook, kCompare, kCorrect, kShare, kCluster, kAudit, kShell };

template <>
inline constexpr std::string_view kWords<VerbGroup> =
    "start|look|compare|correct|share|cluster|audit|shell";

struct Verb {
  std::string name;
  VerbGroup group;
  std::string description;  // without a full stop
  std::vector<Option> options;
  std::string footer;  // the end of its --help: details and examples
  std::function<ExitCode(const std::string& results, Terminal&)> run;  // called with options set
};

// A Verb::run that calls `run` with the values that the verb's options have by then.
template <typename Options>
auto with_options(const std::shared_ptr<Options>& options,
                  ExitCode (*run)(const Options&, const std::string&, Terminal&)) {
  return [options, run](const std::string& results, Terminal& terminal) {
    return run(*options, results, terminal);
  };
}

// All verbs, within a group in the order of --help. Each call makes new verbs, whose options are
// their own.
std::vector<Verb> all_verbs();

std::vector<Option> global_options(Globals& globals);

// Options that several verbs share: --format, --set, --machine.
Option format_option(Format& format);
Option override_option(std::vector<std::string>& overrides);
Option machine_option(std::string& machine);

}  // namespace scalestudy
