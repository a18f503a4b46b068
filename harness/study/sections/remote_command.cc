#include "harness/study/sections/remote_command.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "harness/study/matrix/command.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::array<std::string_view, 7> kPlacing{"CUDA_VISIBLE_DEVICES",
                                                   "HIP_VISIBLE_DEVICES",
                                                   "ROCR_VISIBLE_DEVICES",
                                                   "OMP_PROC_BIND",
                                                   "OMP_PLACES",
                                                   "GOMP_CPU_AFFINITY",
                                                   "KMP_AFFINITY"};

bool is_builtin_backend(const YamlNode& value) {
  return value.text == "cpu" || value.text == "cuda" ||
         std::ranges::any_of(value.items, is_builtin_backend);
}

// - map: variables, or parameters and axes; nullptr: there are none.
// - prefix: of variables in it: "" in `env`, "env." among parameters.
void refuse_places(const YamlNode* map, const std::string& prefix, ProblemList& problems) {
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i) {
    const YamlNode& key = map->keys[i];
    const bool places = std::ranges::any_of(
        kPlacing, [&](std::string_view name) { return key.text == prefix + std::string(name); });
    if (places) {
      problems.refuse(
          key,
          fmt::format("{} would act on this machine, and where: remote says that the devices are "
                      "elsewhere; set it in the command that runs there",
                      key.text));
    }
    if (!prefix.empty() && key.text == names::kBackend && is_builtin_backend(map->items[i])) {
      problems.refuse(key,
                      "backend says what computes on this machine, and where: remote says that "
                      "the devices are elsewhere; if the command reads it, give it another name");
    }
  }
}

// In a text, or in all texts below a list or map.
void refuse_placeholders(const YamlNode& node, ProblemList& problems) {
  for (const std::string& name : placeholders(node.text)) {
    const std::string braced = "{" + name + "}";
    if (braced == kNodeRank || braced == kMasterAddress || braced == kMasterPort) {
      problems.refuse(node,
                      fmt::format("{} is of nodes that scalestudy starts the command on; one that "
                                  "runs elsewhere (where: remote) starts its own",
                                  braced));
    }
  }
  for (const YamlNode& item : node.items) {
    refuse_placeholders(item, problems);
  }
}

void refuse_local_keys(Fields& root, ProblemList& problems) {
  root.refuse({"validity"},
              "is about the machine that scalestudy runs on; where: remote says that the devices "
              "are elsewhere");
  refuse_places(root.find("env"), "", problems);
  for (const char* key : {"parameters", "axes"}) {
    refuse_places(root.find(key), "env.", problems);
  }
  for (const char* key : {"zip", "include", "sides"}) {
    const YamlNode* list = root.find(key);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const YamlNode& item = list->items[i];
      std::string_view(key) == "sides" ? refuse_places(item.find("env"), "", problems)
                                       : refuse_places(&item, "env.", problems);
    }
  }
  for (const char* key : {"command", "setup", "cleanup", "cwd", "env"}) {
    if (const YamlNode* node = root.find(key)) {
      refuse_placeholders(*node, problems);
    }
  }
}

}  // namespace

Where read_where(Fields& root, ProblemList& problems) {
  const Where where = root.word<Where>("where").value_or(Where::kLocal);
  if (where == Where::kRemote) {
    refuse_local_keys(root, problems);
  }
  return where;
}

}  // namespace scalestudy
