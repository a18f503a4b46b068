#include "harness/study/remarks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/declared/step_work.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

using Selection = std::map<std::string, std::vector<Value>>;

// Values of cells as text, made once for a parameter: rules and cells may be thousands each.
class CellTexts {
 public:
  explicit CellTexts(std::vector<const Cell*> cells) : cells_(std::move(cells)) {}

  // Of each cell; absent where it has no such parameter.
  const std::vector<std::optional<std::string>>& of(const std::string& name) {
    const auto [column, is_new] = columns_.try_emplace(name);
    for (std::size_t i = 0; is_new && i < cells_.size(); ++i) {
      const auto value = effective_value(cells_[i]->effective, name);
      column->second.push_back(value ? std::optional(format_value(*value)) : std::nullopt);
    }
    return column->second;
  }

  // All that there are, numbers by size: "1, 2 or 4".
  const std::string& listed(const std::string& name) {
    const auto [list, is_new] = lists_.try_emplace(name);
    if (is_new) {
      std::set<Value> values;
      for (const Cell* cell : cells_) {
        if (auto value = effective_value(cell->effective, name)) {
          values.insert(*std::move(value));
        }
      }
      std::vector<std::string> texts;
      std::ranges::transform(values, std::back_inserter(texts), format_value);
      list->second = list_some(texts);
    }
    return list->second;
  }

  // Whether some cell has one of the values of each parameter.
  bool have(const Selection& selection) {
    std::vector<char> is_selected(cells_.size(), 1);
    for (const auto& [name, values] : selection) {
      std::set<std::string> wanted;
      std::ranges::transform(values, std::inserter(wanted, wanted.end()), format_value);
      const auto& texts = of(name);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        is_selected[i] = is_selected[i] != 0 && texts[i] && wanted.contains(*texts[i]) ? 1 : 0;
      }
    }
    return std::ranges::find(is_selected, 1) != is_selected.end();
  }

 private:
  std::vector<const Cell*> cells_;
  std::map<std::string, std::vector<std::optional<std::string>>> columns_;
  std::map<std::string, std::string> lists_;
};

// Of a selection, each value that none of the cells has; where they have all of them, but no cell
// one of each, that.
void add_unmatched(Unmatched found,
                   const Selection& selection,
                   CellTexts& cells,
                   std::vector<Unmatched>& all) {
  const std::size_t before = all.size();
  for (const auto& [name, values] : selection) {
    for (const Value& value : values) {
      const std::optional<std::string> text = format_value(value);
      if (std::ranges::find(cells.of(name), text) == cells.of(name).end()) {
        Unmatched& one = all.emplace_back(found);
        one.name = name;
        one.text = fmt::format(
            "{}: no cell has {}={}; there are {}", found.text, name, *text, cells.listed(name));
      }
    }
  }
  if (all.size() == before && !selection.empty() && !cells.have(selection)) {
    found.name = selection.begin()->first;
    found.text += ": there are cells with each of these values, and none with all of them";
    all.push_back(std::move(found));
  }
}

// Whether a path in the text begins as only a shell would replace it: "$HOME/lib", "~/lib",
// "-I${HOME}/include". Within a word $ is a character like any other, and some names are the
// dynamic linker's.
bool has_shell_words(const std::string& text) {
  static const re2::RE2 kName("(?:^|[:/=, ]|-[IL])\\$\\{?([A-Za-z_][A-Za-z0-9_]*)");
  re2::StringPiece rest(text);
  for (std::string name; re2::RE2::FindAndConsume(&rest, kName, &name);) {
    if (name != "ORIGIN" && name != "LIB" && name != "PLATFORM") {
      return true;
    }
  }
  return text.starts_with("~/") || text.find(":~/") != std::string::npos;
}

Selection selection_of(const Parameters& where) {
  Selection selection;
  for (const auto& [name, value] : where) {
    selection[name] = {value};
  }
  return selection;
}

}  // namespace

std::vector<Unmatched> unmatched_values(const Study& study, const Matrix& matrix) {
  std::vector<const Cell*> left;
  for (const Cell& cell : matrix.cells) {
    if (cell.role == CellRole::kMeasured) {
      left.push_back(&cell);
    }
  }
  std::vector<const Cell*> all = left;
  for (const ExcludedCell& excluded : matrix.excluded) {
    all.push_back(&excluded.cell);
  }
  CellTexts texts_left(std::move(left));
  CellTexts texts_of_all(std::move(all));
  std::vector<Unmatched> unmatched;
  for (std::size_t i = 0; i < study.exclude.size(); ++i) {
    add_unmatched({.section = "exclude", .index = i, .text = fmt::format("exclude rule {}", i + 1)},
                  study.exclude[i],
                  texts_of_all,
                  unmatched);
  }
  const std::vector<Target>& targets = study.analysis.targets;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    add_unmatched({.section = "analysis.targets",
                   .index = i,
                   .text = fmt::format("analysis.targets[{}].where", i)},
                  selection_of(targets[i].where),
                  texts_left,
                  unmatched);
  }
  for (std::size_t i = 0; study.cost && i < study.cost->investments.size(); ++i) {
    add_unmatched({.section = "cost.investments",
                   .index = i,
                   .text = fmt::format("cost.investments[{}].where", i)},
                  selection_of(study.cost->investments[i].where),
                  texts_left,
                  unmatched);
  }
  return unmatched;
}

std::vector<std::string> unseen_devices(const Study& study) {
  const std::set<std::string> varied = varied_names(study);
  std::vector<std::string> remarks;
  if (study.workload != Workload::kCommand || varied.contains(names::kDevices) ||
      study.parameters.contains(names::kDevices)) {
    return remarks;
  }
  for (const std::string& name : varied) {
    const bool is_variable = is_environment_parameter(name);
    if (means_devices(lowered(is_variable ? environment_name(name) : name))) {
      remarks.push_back(
          fmt::format("{} is taken for a setting like any other: every cell counts as a run on 1 "
                      "device. Efficiency and laws go by `devices`. Call the axis devices, and {}",
                      name,
                      is_variable ? fmt::format("set the variable by env: {{{}: \"{{devices}}\"}}",
                                                environment_name(name))
                                  : fmt::format("write {{devices}} where {{{}}} stands", name)));
    }
  }
  return remarks;
}

std::vector<std::string> unread_by_shell(const Study& study) {
  std::set<std::string> names;
  const auto look_at = [&](const std::string& name, const std::string& text) {
    if (has_shell_words(text)) {
      names.insert(name);
    }
  };
  const auto look_at_variables = [&](const Parameters& parameters) {
    for (const auto& [name, value] : parameters) {
      if (is_environment_parameter(name)) {
        look_at(name, format_value(value));
      }
    }
  };
  look_at("cwd", study.working_folder);
  for (const auto& [name, text] : study.environment) {
    look_at("env." + name, text);
  }
  for (const StudySide& side : study.sides) {
    for (const auto& [name, text] : side.environment) {
      look_at(fmt::format("env.{} of side {}", name, side.name), text);
    }
  }
  look_at_variables(study.parameters);
  std::ranges::for_each(study.zip, look_at_variables);
  std::ranges::for_each(study.include, look_at_variables);
  for (const Axis& axis : study.axes) {
    for (const Value& value : axis.values) {
      look_at_variables({{axis.name, value}});
    }
  }
  std::vector<std::string> remarks;
  for (const std::string& name : names) {
    remarks.push_back(name +
                      " holds a $NAME or ~/, which no shell replaces there: trials get it as "
                      "it is written. Write the path in full");
  }
  return remarks;
}

std::vector<std::string> emptied_logs(const Study& study) {
  static const re2::RE2 kRedirect("(?:^|[^>])>\\|?\\s*(/dev/std(out|err))(?:[^\\w./-]|$)");
  std::vector<std::string> remarks;
  for (const auto& [name, words] : {std::pair("command", &study.command),
                                    std::pair("setup", &study.setup),
                                    std::pair("cleanup", &study.cleanup)}) {
    std::string file;
    std::string stream;
    if (std::ranges::any_of(*words, [&](const std::string& word) {
          return re2::RE2::PartialMatch(word, kRedirect, &file, &stream);
        })) {
      remarks.push_back(fmt::format(
          "{} redirects to {} with >, which empties the trial's log. Write >&{} instead",
          name,
          file,
          stream == "err" ? 2 : 1));
    }
  }
  return remarks;
}

std::vector<std::string> empty_secrets(const Study& study) {
  std::vector<std::string> remarks;
  for (const std::string& name : study.secrets) {
    if (values_of_variable(study, name).empty()) {
      remarks.push_back(fmt::format(
          "secret {} is set neither here nor in the study, so it hides nothing; check the spelling",
          name));
    }
  }
  return remarks;
}

std::string unconfirmed_variables(const Study& study) {
  std::vector<std::string> names;
  for (const std::string& name : varied_names(study)) {
    if (is_environment_parameter(name) && environment_name(name).starts_with("NCCL_")) {
      names.push_back(name);
    }
  }
  const bool is_asked = study.workload != Workload::kCommand || study.is_remote() ||
                        study.validity.confirm != Confirm::kBuiltIn;
  if (names.empty() || is_asked) {
    return "";
  }
  return fmt::format(
      "Nothing will show whether NCCL applies {}, so no verdict will credit {}. Write validity: "
      "{{confirm: always}}, so that NCCL's log of one more run of each cell is read",
      join_words(names),
      names.size() == 1 ? "it" : "them");
}

std::string unstated_work(const Study& study, const Matrix& matrix) {
  const bool is_compared = std::ranges::any_of(matrix.cells, [&](const Cell& cell) {
    return cell.role == CellRole::kMeasured && cell.baseline &&
           std::ranges::any_of(matrix.cells, [&](const Cell& base) {
             return base.hash == *cell.baseline && base.devices != cell.devices;
           });
  });
  return !is_compared || states_work(study) || !goes_by_speed(study) ? "" : kUnstatedWork;
}

std::string measured_projections(const Study& study, const Matrix& matrix) {
  std::vector<std::string> counts;
  for (const std::int64_t devices :
       study.analysis.projection ? study.analysis.projection->to : std::vector<std::int64_t>()) {
    if (std::ranges::any_of(matrix.cells, [&](const Cell& cell) {
          return cell.role == CellRole::kMeasured && cell.devices == devices;
        })) {
      counts.push_back(fmt::format("{}", devices));
    }
  }
  return counts.empty() ? ""
                        : fmt::format(
                              "analysis.projection.to has {} devices, which the study measures. No "
                              "step time is projected for cells that have trials; name larger "
                              "numbers of devices",
                              join_words(counts));
}

std::string missing_device_counts(const Study& study, const Matrix& matrix) {
  std::set<std::int64_t> counts;
  for (const Cell& cell : matrix.cells) {
    if (cell.role == CellRole::kMeasured) {
      counts.insert(cell.devices);
    }
  }
  // Laws of another scaling apply at no number of devices.
  const bool is_asked = std::ranges::any_of(study.analysis.laws, [&](Law law) {
    return law == Law::kAmdahl      ? matrix.scaling == Scaling::kStrong
           : law == Law::kGustafson ? matrix.scaling == Scaling::kWeak
                                    : law != Law::kAlphaBeta && matrix.scaling != Scaling::kNone;
  });
  if (!is_asked || std::ssize(counts) >= kFewestLawLevels) {
    return "";
  }
  std::vector<std::string> texts;
  for (const std::int64_t count : counts) {
    texts.push_back(std::to_string(count));
  }
  return fmt::format(
      "analysis.laws: a law needs at least {} device counts; this study has only {}. Add device "
      "counts, or leave analysis.laws out",
      kFewestLawLevels,
      join_words(texts));
}

std::string uncounted_tokens(const Study& study) {
  const auto reads = [&](std::string_view metric) {
    return std::ranges::find(study.extract, metric, &ExtractRule::metric) != study.extract.end();
  };
  constexpr const char* length = "sequence_length";
  if (study.workload != Workload::kCommand || study.extract.empty() || reads("tokens_per_sample") ||
      varied_names(study).contains(length) || study.parameters.contains(length)) {
    return "";
  }
  const bool has_rate = reads(names::kTokensPerSecond);
  const auto is_asked = [&](const auto& one) {
    return (one.metric == names::kTokensPerSecond && !has_rate) ||
           one.metric == "cost_per_million_tokens";
  };
  std::vector<std::string> asking;
  const auto add = [&](const char* section, bool asks) {
    if (asks) {
      asking.emplace_back(section);
    }
  };
  add("analysis.targets", std::ranges::any_of(study.analysis.targets, is_asked));
  add("analysis.thresholds", std::ranges::any_of(study.analysis.thresholds, is_asked));
  add("analysis.within", std::ranges::any_of(study.analysis.within, is_asked));
  add("cost.train.tokens", study.cost && study.cost->train && study.cost->train->tokens > 0.0);
  return asking.empty() ? ""
                        : fmt::format(
                              "{} {} about tokens, but nothing says how many a sample has. "
                              "Declare the parameter {}, or add an extract rule for "
                              "tokens_per_sample",
                              join_words(asking),
                              asking.size() == 1 ? "asks" : "ask",
                              length);
}

std::string missing_baselines(const Matrix& matrix) {
  constexpr std::int64_t most_named = 3;
  std::int64_t count = 0;
  std::int64_t measured = 0;
  std::vector<std::string> named;
  for (const Cell& cell : matrix.cells) {
    const bool is_measured = cell.role == CellRole::kMeasured;
    measured += is_measured ? 1 : 0;
    if (is_measured && !cell.baseline_problem.empty() && ++count <= most_named) {
      named.push_back(cell.label + (count > 1 ? "" : " (" + cell.baseline_problem + ")"));
    }
  }
  if (count > most_named) {
    named.push_back(fmt::format("{} more", count - most_named));
  }
  return count == 0 ? ""
                    : fmt::format(
                          "{} of {} cannot be compared with a baseline: {}. Name in "
                          "analysis.baseline all that sets the baseline apart",
                          count,
                          format_count(measured, "cell"),
                          join_words(named));
}

}  // namespace scalestudy
