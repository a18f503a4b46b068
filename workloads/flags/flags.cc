#include "workloads/flags/flags.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "workloads/names/names.h"
#include "workloads/parameters/parameters.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/protocol/parameters_text.h"
#include "workloads/rank/error.h"

namespace scalestudy::flags {
namespace {

std::string flag_name(std::string_view parameter) {
  std::string flag = "--" + std::string(parameter);
  std::replace(flag.begin(), flag.end(), '_', '-');
  std::replace(flag.begin(), flag.end(), '.', '-');
  return flag;
}

std::string describe(const protocol::ParameterInfo& parameter) {
  std::string text(parameter.help);
  if (!parameter.allowed.empty()) {
    text += " {" + std::string(parameter.allowed) + "}";
  }
  if (!parameter.unit.empty()) {
    text += " " + std::string(parameter.unit);
  }
  if (!parameter.default_value.empty()) {
    text += " [" + std::string(parameter.default_value);
    for (const protocol::OtherDefault& other : parameter.other_defaults) {
      if (other.default_value != parameter.default_value) {
        text += "; with " + std::string(other.parameter) + " " + std::string(other.value) + " " +
                std::string(other.default_value);
      }
    }
    text += "]";
  }
  return text;
}

// Every flag takes a text; the values land in `texts`.
void add_flags(CLI::App& app, const Program& program, Texts& texts) {
  app.set_help_flag("-h,--help", "Print this and exit.");
  for (const protocol::ParameterInfo& parameter : protocol::workload_parameters(program.workload)) {
    app.add_option(
        flag_name(parameter.name),
        [&texts, name = std::string(parameter.name)](const CLI::results_t& given) {
          texts[name] = given.front();
          return true;
        },
        describe(parameter));
  }
  app.footer(
      "Parameters are also taken from SCALESTUDY_PARAMETERS (a JSON object); flags win. With\n"
      "SCALESTUDY_OUTPUT set, rank 0 writes the trial protocol to that file, else a summary to "
      "stdout.\n"
      "\n"
      "Examples:\n" +
      program.examples);
}

}  // namespace

bool asks_for_help(std::span<const char* const> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](std::string_view argument) {
    return argument == "--help" || argument == "-h";
  });
}

std::string help_text(const Program& program) {
  CLI::App app(program.summary, program.name);
  Texts unused;
  add_flags(app, program, unused);
  return app.help();
}

Texts environment() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread changes it
  const char* json = std::getenv("SCALESTUDY_PARAMETERS");
  if (json == nullptr || *json == '\0') {
    return {};
  }
  try {
    return protocol::parse_parameters(json);
  } catch (const std::invalid_argument& error) {
    refuse(std::string("SCALESTUDY_PARAMETERS: ") + error.what());
  }
}

Texts parse_flags(const Program& program, std::span<const char* const> arguments) {
  CLI::App app;
  Texts texts;
  add_flags(app, program, texts);
  // CLI11 takes the arguments last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ExtrasError&) {  // whose words come last first
    refuse(app.remaining().front() + " is not a flag; " + program.name + " --help lists them");
  } catch (const CLI::ParseError& error) {
    refuse(std::string(error.what()) + "; " + program.name + " --help lists the flags");
  }
  return texts;
}

Texts merge(const std::string& workload, const Texts& environment, const Texts& flags) {
  Texts texts = environment;
  for (const auto& [name, text] : flags) {
    texts[name] = text;
  }
  const Texts given = texts;
  for (const protocol::ParameterInfo& parameter : protocol::workload_parameters(workload)) {
    if (!parameter.default_value.empty() && parameter.name != names::kDevices) {
      texts.emplace(parameter.name, protocol::default_value(parameter, given));
    }
  }
  return texts;
}

Texts check(const Program& program, const Texts& merged, int rank_count) {
  Texts texts = merged;
  const std::string devices =
      texts.emplace(names::kDevices, std::to_string(rank_count)).first->second;
  for (const auto& [name, text] : texts) {
    const protocol::ParameterInfo* parameter = protocol::find_parameter(program.workload, name);
    if (parameter == nullptr) {
      refuse(program.workload + " has no parameter " + name + "; " + program.name +
             " --help lists them");
    }
    const std::string problem = protocol::check_parameter(*parameter, text);
    if (!problem.empty()) {
      refuse(problem);
    }
  }
  if (devices != std::to_string(rank_count)) {
    refuse("devices is " + devices + ", but " + std::to_string(rank_count) +
           " MPI rank(s) run; start with mpirun -n " + devices +
           (rank_count == 1 ? ". Where that was done, or srun, each rank runs alone: the launcher "
                              "and this MPI library do not know each other"
                            : ""));
  }
  return texts;
}

void refuse(const std::string& message) {
  throw rank::WorkloadError(protocol::kExitUsage, message);
}

}  // namespace scalestudy::flags
