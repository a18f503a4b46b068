#include "harness/run/command/side_command.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/read_environment.h"
#include "harness/study/matrix/command.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// Absent in a study without sides.
const StudySide* side_of(const Study& study, const Cell& cell) {
  const auto value = cell.parameters.find(kSideParameter);
  const auto side = std::ranges::find_if(study.sides, [&](const StudySide& each) {
    return value != cell.parameters.end() && format_value(value->second) == each.name;
  });
  return side == study.sides.end() ? nullptr : &*side;
}

// The same place in the checkout; "" stands for the folder that the harness runs in.
std::string in_checkout(const std::string& path, const Checkout& checkout) {
  const fs::path inside = fs::weakly_canonical(fs::absolute(path.empty() ? "." : path))
                              .lexically_relative(checkout.repository);
  return (checkout.folder / inside).lexically_normal().string();
}

// Of folders in which programs look for others, those of the repository become the checkout's: a
// PYTHONPATH of before would have both sides import the same.
void move_search_paths(const Checkout& checkout, LaunchCommand& command) {
  for (const char* name : {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH"}) {
    const auto declared = command.environment.find(name);
    std::istringstream folders(declared != command.environment.end() ? declared->second
                                                                     : environment_variable(name));
    std::vector<std::string> moved;
    bool has_moved = false;
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string inside =
          folder.starts_with('/')
              ? fs::weakly_canonical(folder).lexically_relative(checkout.repository).string()
              : "..";
      const bool is_inside = !inside.empty() && !inside.starts_with("..");
      moved.push_back(is_inside ? in_checkout(folder, checkout) : folder);
      has_moved = has_moved || is_inside;
    }
    if (has_moved) {
      command.environment[name] = join(moved, ":");
    }
  }
}

}  // namespace

void apply_side(const Study& study,
                const Cell& cell,
                const LaunchResources& resources,
                bool has_ranks,
                LaunchCommand& command) {
  const StudySide* const side = side_of(study, cell);
  if (side == nullptr) {
    return;
  }
  if (const auto checkout = resources.checkouts.find(side->name);
      checkout != resources.checkouts.end()) {
    command.checkout_side = side->name;
    std::string& moved = has_ranks ? command.argv.back() : command.working_folder;
    moved = in_checkout(moved, checkout->second);
    move_search_paths(checkout->second, command);
  }
  for (const auto& [name, value] : side->environment) {
    command.environment[name] = expand_argument(value, cell);
  }
  const std::vector<std::string> prefix = expand_arguments(side->prefix, cell);
  command.argv.insert(
      has_ranks ? command.argv.end() - 1 : command.argv.begin(), prefix.begin(), prefix.end());
}

}  // namespace scalestudy
