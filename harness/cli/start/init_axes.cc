#include "harness/cli/start/init_axes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/study/matrix/command.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"
#include "harness/yaml/fields.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

[[noreturn]] void refuse_axes(const std::string& why) {
  throw Error(ErrorKind::kUsage, why);
}

const ValueList* find_list(const std::vector<ValueList>& lists, const char* name) {
  const auto found = std::ranges::find(lists, name, &ValueList::name);
  return found == lists.end() ? nullptr : &*found;
}

std::vector<ValueList> lists_in(const std::vector<Varied>& axes) {
  std::vector<ValueList> lists;
  std::ranges::transform(axes, std::back_inserter(lists), &Varied::list);
  return lists;
}

// Whether nodes and devices go in pairs: devices counts those of all nodes.
bool are_paired(const std::vector<ValueList>& lists) {
  const ValueList* nodes = find_list(lists, names::kNodes);
  return nodes != nullptr && nodes->values.size() > 1;
}

bool is_of_pair(const ValueList& list, const std::vector<ValueList>& lists) {
  return (list.name == names::kNodes || list.name == names::kDevices) && are_paired(lists);
}

void check_share(const std::string& nodes, const std::string& devices) {
  const auto of_nodes = parse_integer(nodes);
  const auto of_devices = parse_integer(devices);
  if (of_nodes && of_devices && *of_nodes > 0 && *of_devices % *of_nodes != 0) {
    refuse_axes(fmt::format(
        "-L nodes, -L devices: {} cannot be divided among {} nodes; devices counts those of all "
        "nodes",
        devices == "1" ? "1 device" : devices + " devices",
        nodes));
  }
}

void check_nodes(const std::vector<ValueList>& lists) {
  const ValueList* nodes = find_list(lists, names::kNodes);
  if (nodes == nullptr || (!are_paired(lists) && nodes->values.front() == "1")) {
    return;
  }
  const ValueList* devices = find_list(lists, names::kDevices);
  if (devices == nullptr) {
    refuse_axes(
        are_paired(lists)
            ? "-L nodes: devices counts those of all nodes, so it needs a list too; add -L devices "
              "with as many values, e.g. -L nodes 1,2 -L devices 8,16, and the study pairs them "
              "(zip)"
            : "-L nodes: devices counts those of all nodes, so it needs a value too; add -L "
              "devices, e.g. -L nodes 2 -L devices 16");
  }
  if (are_paired(lists) && devices->values.size() != nodes->values.size()) {
    refuse_axes(fmt::format(
        "-L nodes has {} values and -L devices {}; give both as many, because the study pairs "
        "them (zip)",
        nodes->values.size(),
        devices->values.size()));
  }
  for (std::size_t i = 0; i < devices->values.size(); ++i) {
    check_share(nodes->values[are_paired(lists) ? i : 0], devices->values[i]);
  }
}

// Whether the command may leave the devices out: each number of them goes with one of nodes.
bool may_be_unused(const ValueList& list, const std::vector<ValueList>& lists) {
  return list.name == names::kDevices && find_list(lists, names::kNodes) != nullptr &&
         (list.values.size() == 1 || are_paired(lists));
}

void check_use(const ValueList& list,
               const std::string& command,
               const std::vector<ValueList>& lists) {
  if (with_value(command, list.name, "") != command || may_be_unused(list, lists)) {
    return;
  }
  const bool has_nodes = with_value(command, names::kNodes, "") != command;
  refuse_axes(
      fmt::format("-L {0}: the command has no {{{0}}}, so that all values would run the same{1}",
                  list.name,
                  list.name == names::kDevices && has_nodes
                      ? "; if each goes with a number of nodes, give -L nodes as many values, "
                        "and the study pairs them (zip)"
                      : ""));
}

// The values as the study file has them. Versions are text: as numbers they would lose a zero, as
// does a number beside a word. In a list of numbers all are numbers: an axis of text has no curve.
std::vector<std::string> axis_values(const ValueList& list) {
  const bool are_versions = std::ranges::any_of(list.values, [&](const std::string& text) {
    return may_be_version(text) && (names_version(list.name) ||
                                    std::ranges::any_of(list.values, [&](const std::string& other) {
                                      return is_version_beside(text, other);
                                    }));
  });
  const bool are_numbers =
      list.values.size() > 1 && std::ranges::all_of(list.values, [](const std::string& text) {
        return parse_number(text).has_value();
      });
  std::vector<std::string> values;
  for (const std::string& text : list.values) {
    values.push_back(are_versions                          ? yaml_word(text)
                     : are_numbers && may_be_version(text) ? text
                                                           : yaml_value(text));
  }
  return values;
}

// "{nodes: 1, devices: 8}".
std::string pair_text(const std::vector<ValueList>& lists, std::size_t row) {
  return fmt::format("{{nodes: {}, devices: {}}}",
                     axis_values(*find_list(lists, names::kNodes))[row],
                     axis_values(*find_list(lists, names::kDevices))[row]);
}

}  // namespace

std::vector<Varied> axes_of(const InitCommand& init) {
  const std::vector<ValueList> guesses{{.name = names::kDevices, .values = {"1", "2"}},
                                       {.name = names::kBatchGlobal, .values = {"32", "64", "128"}},
                                       {.name = names::kBatchPerDevice, .values = {"16", "32"}}};
  const std::vector<ValueList> lists = read_value_lists(init.lists);
  const std::string command = join(init.command, " ");
  std::vector<Varied> axes;
  std::vector<std::string> known = launch_names();
  for (const ValueList& list : lists) {
    known.push_back(list.name);
    check_use(list, command, lists);
    axes.push_back({.list = list, .is_guessed = false});
  }
  check_nodes(lists);
  for (const std::string& name : unlisted_names(command, lists)) {
    const auto guess = std::ranges::find(guesses, name, &ValueList::name);
    if (guess != guesses.end()) {
      if (!has_axis(axes, name.c_str())) {
        axes.push_back({.list = *guess, .is_guessed = true});
      }
    } else if (std::ranges::find(known, name) == known.end()) {
      refuse_axes(
          fmt::format("{{{0}}}: it has no values{1}; add -L {0} VALUE,VALUE before the --. "
                      "The command is tried with the first value. If the braces belong to "
                      "the command itself, write a space: {{ {0} }}",
                      name,
                      suggestion(name, known)));
    }
  }
  return axes;
}

bool has_axis(const std::vector<Varied>& axes, const char* name) {
  return std::ranges::any_of(axes, [&](const Varied& axis) { return axis.list.name == name; });
}

bool is_varied(const std::vector<Varied>& axes, const char* name) {
  return std::ranges::any_of(axes, [&](const Varied& axis) {
    return axis.list.name == name && axis.list.values.size() > 1;
  });
}

std::string title_of(const std::vector<Varied>& axes, const std::string& program) {
  std::vector<std::string> varied;
  for (const Varied& axis : axes) {
    if (axis.list.values.size() > 1) {
      varied.push_back(axis.list.name);
    }
  }
  return varied.empty()
             ? fmt::format("How long does {} take?", program)
             : fmt::format("How {} {} change the speed of {}?",
                           varied.size() == 1 && !varied[0].ends_with('s') ? "does" : "do",
                           join_words(varied),
                           program);
}

std::string axes_text(const std::vector<Varied>& axes) {
  const std::vector<ValueList> lists = lists_in(axes);
  std::string section;
  for (const Varied& axis : axes) {
    if (axis.list.values.size() > 1 && !is_of_pair(axis.list, lists)) {
      section +=
          fmt::format("  {}: [{}]{}\n",
                      axis.list.name,
                      join(axis_values(axis.list), ", "),
                      axis.is_guessed ? "   # guessed: which values do you want to compare?" : "");
    }
  }
  std::string text = section.empty() ? "" : "axes:   # every combination is measured\n" + section;
  if (are_paired(lists)) {
    text += "zip:   # devices counts those of all nodes\n";
    for (std::size_t i = 0; i < find_list(lists, names::kNodes)->values.size(); ++i) {
      text += "  - " + pair_text(lists, i) + "\n";
    }
  }
  return text.empty() ? "# axes: {threads: [1, 2]}   # to compare settings, write {threads} into "
                        "the command\n"
                      : text;
}

std::string parameters_text(const std::vector<Varied>& axes, const std::string& fill_in) {
  std::string section;
  for (const Varied& axis : axes) {
    if (axis.list.values.size() == 1) {
      section += fmt::format("  {}: {}\n", axis.list.name, axis_values(axis.list).front());
    }
  }
  const std::size_t end = std::min(fill_in.find("   #"), fill_in.size());
  const std::string alone =
      "# parameters: {" + fill_in.substr(0, end) + "}" + fill_in.substr(end) + "\n";
  if (section.empty()) {
    return fill_in.empty() ? "" : alone;
  }
  return "parameters:\n" + section + (fill_in.empty() ? "" : "  # " + fill_in + "\n");
}

std::string baseline_text(const std::vector<Varied>& axes) {
  const std::vector<ValueList> lists = lists_in(axes);
  const auto varies = [](const ValueList& list) { return list.values.size() > 1; };
  const auto first = std::ranges::find_if(lists, varies);
  if (first == lists.end()) {
    return "";
  }
  const ValueList* devices = find_list(lists, names::kDevices);
  const ValueList& list = devices != nullptr && varies(*devices) ? *devices : *first;
  return fmt::format("  baseline: {}   # what the others are compared with\n",
                     are_paired(lists)
                         ? pair_text(lists, 0)
                         : fmt::format("{{{}: {}}}", list.name, axis_values(list).front()));
}

}  // namespace scalestudy
