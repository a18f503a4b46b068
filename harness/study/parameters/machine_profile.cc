#include "harness/study/parameters/machine_profile.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/read_environment.h"
#include "harness/base/read_file.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostPerNode = 65'536;

// A carriage return ends a line, too, or the word before it, of whoever reads the script.
bool is_one_line(const std::string& text) {
  return text.find('\n') == std::string::npos && printable(text) == text;
}

// Each becomes a line of a script.
std::vector<std::string> lines_of(Fields& fields, const std::string& key, ProblemList& problems) {
  std::vector<std::string> lines;
  const YamlNode* list = fields.list(key);
  for (const YamlNode& item : list == nullptr ? std::vector<YamlNode>() : list->items) {
    if (!item.is_scalar() || !is_one_line(item.text)) {
      problems.add(item, fmt::format("an item of {} must be one line of text", fields.path(key)));
    } else {
      lines.push_back(item.text);
    }
  }
  return lines;
}

// One word of a #SBATCH line.
std::string word_of(Fields& fields, const std::string& key) {
  const std::string word = fields.text(key).value_or("");
  if (word.find_first_of(" \t'\"") != std::string::npos || !is_one_line(word)) {
    fields.problem(key, fmt::format("{} must be one word", fields.path(key)));
  }
  return word;
}

MachineProfile read_machine(const std::string& name, const YamlNode& node, ProblemList& problems) {
  Fields fields(node,
                "machines." + name,
                {"launcher",
                 "hostfile",
                 "cores_per_node",
                 "gpus_per_node",
                 "account",
                 "partition",
                 "constraint",
                 "time_limit",
                 "sbatch",
                 "setup"},
                problems);
  MachineProfile machine;
  machine.name = name;
  if (!fields.is_map()) {
    return machine;
  }
  machine.launcher = fields.word<RankLauncher>("launcher").value_or(machine.launcher);
  machine.hostfile = fields.text("hostfile").value_or("");
  if (machine.launcher == RankLauncher::kSrun && !machine.hostfile.empty()) {
    fields.refuse({"hostfile"}, "launcher: srun knows the nodes of its Slurm job");
  }
  machine.cores_per_node = fields.integer("cores_per_node", 1, kMostPerNode);
  machine.gpus_per_node = fields.integer("gpus_per_node", 0, kMostPerNode);
  machine.account = word_of(fields, "account");
  machine.partition = word_of(fields, "partition");
  machine.constraint = word_of(fields, "constraint");
  machine.time_limit_s = fields.duration_s("time_limit");
  machine.sbatch = lines_of(fields, "sbatch", problems);
  machine.setup = lines_of(fields, "setup", problems);
  return machine;
}

fs::path users_file() {
  const std::string folder = environment_variable("XDG_CONFIG_HOME");
  return (folder.empty() ? fs::path(environment_variable("HOME")) / ".config" : fs::path(folder)) /
         "scalestudy" / "machines.yaml";
}

}  // namespace

ParsedMachines parse_machines(const std::string& text) {
  ParsedMachines parsed;
  const YamlNode tree = parse_yaml(text, parsed.problems);
  ProblemList problems(parsed.problems);
  if (!problems.empty()) {
    return parsed;
  }
  Fields root(tree, "", {"machines", "default"}, problems);
  if (!root.is_map() || !root.require("machines")) {
    return parsed;
  }
  if (const YamlNode* machines = root.map("machines")) {
    for (std::size_t i = 0; i < machines->keys.size(); ++i) {
      parsed.machines.push_back(read_machine(machines->keys[i].text, machines->items[i], problems));
    }
  }
  parsed.default_name = root.text("default").value_or("");
  const bool is_known =
      parsed.default_name.empty() ||
      std::ranges::find(parsed.machines, parsed.default_name, &MachineProfile::name) !=
          parsed.machines.end();
  if (!is_known) {
    root.problem("default", fmt::format("machines has no {}", parsed.default_name));
  }
  return parsed;
}

std::string format_machine(const MachineProfile& machine) {
  YamlNode profile;
  profile.kind = YamlNode::Kind::kMap;
  const auto scalar = [](const std::string& text) {
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.text = text;
    return node;
  };
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) {
      profile.keys.push_back(scalar(key));
      profile.items.push_back(scalar(text));
    }
  };
  add("launcher", to_word(machine.launcher));
  add("hostfile", machine.hostfile);
  YamlNode machines;
  machines.kind = YamlNode::Kind::kMap;
  machines.keys.push_back(scalar(machine.name));
  machines.items.push_back(profile);
  YamlNode root;
  root.kind = YamlNode::Kind::kMap;
  root.keys.push_back(scalar("machines"));
  root.items.push_back(machines);
  return emit_yaml(root);
}

MachineProfile find_machine(const std::string& wanted) {
  const bool is_file = wanted.find('/') != std::string::npos || wanted.ends_with(".yaml");
  const fs::path path = is_file ? fs::path(wanted) : users_file();
  const std::optional<std::string> text = read_file(path);
  if (!text && wanted.empty()) {
    return {};
  }
  if (!text) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--machine {}: {} cannot be read; docs/how-to/clusters.md says what is in it",
                    wanted,
                    path.string()));
  }
  const ParsedMachines parsed = parse_machines(*text);
  if (!parsed.problems.empty()) {
    throw Error(ErrorKind::kUsage, format_problems(parsed.problems, *text, path.string()));
  }
  std::string name = is_file || wanted.empty() ? parsed.default_name : wanted;
  if (is_file && name.empty() && parsed.machines.size() == 1) {
    name = parsed.machines.front().name;
  }
  if (wanted.empty() && name.empty()) {
    return {};
  }
  std::vector<std::string> names;
  for (const MachineProfile& machine : parsed.machines) {
    if (machine.name == name) {
      return machine;
    }
    names.push_back(machine.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("--machine {}: {} has {}{}",
                          wanted,
                          path.string(),
                          join(names, ", "),
                          is_file ? "; say which is meant by `default:`" : ""));
}

}  // namespace scalestudy
