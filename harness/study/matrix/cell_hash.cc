// Hashes of cells and studies, over canonical text; see matrix.h for what they promise.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/study/declared/reading.h"
#include "harness/study/matrix/command.h"
#include "harness/study/matrix/flat_analysis.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::size_t kCellDigits = 8;

// For hashes: this text must never change.
std::string number_in_full(double number) {
  return fmt::format("{}", number);
}

// Lengths in front keep a value from looking like the next line, whatever is in it.
std::string entry(const std::string& name, const std::string& value) {
  return fmt::format("{}={}:{}\n", name, value.size(), value);
}

std::string list_text(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) {
    text += (text.empty() ? "" : ", ") + format_value(value);
  }
  return "[" + text + "]";
}

using Flat = std::map<std::string, std::string>;

void flatten_matrix(const Study& study, Flat& flat) {
  for (const auto& [name, value] : study.parameters) {
    flat["parameters." + name] = format_value(value);
  }
  std::string axis_order;
  for (const Axis& axis : study.axes) {
    flat["axes." + axis.name] = list_text(axis.values);
    axis_order += (axis_order.empty() ? "" : ", ") + axis.name;
  }
  // The order of axes decides the order of cells, and so what the seed makes of it.
  if (study.axes.size() > 1) {
    flat["axes (order)"] = axis_order;
  }
  for (std::size_t i = 0; i < study.zip.size(); ++i) {
    flat[fmt::format("zip[{}]", i)] = map_text(study.zip[i]);
  }
  for (std::size_t i = 0; i < study.include.size(); ++i) {
    flat[fmt::format("include[{}]", i)] = map_text(study.include[i]);
  }
  for (std::size_t i = 0; i < study.exclude.size(); ++i) {
    std::string text;
    for (const auto& [name, values] : study.exclude[i]) {
      text += (text.empty() ? "" : ", ") + name + ": " + list_text(values);
    }
    flat[fmt::format("exclude[{}]", i)] = "{" + text + "}";
  }
}

void flatten_command(const Study& study, Flat& flat) {
  for (const auto& [key, arguments] : {std::pair("command", &study.command),
                                       std::pair("setup", &study.setup),
                                       std::pair("cleanup", &study.cleanup),
                                       std::pair("build", &study.build),
                                       std::pair("fail_if", &study.fail_if)}) {
    for (std::size_t i = 0; i < arguments->size(); ++i) {
      flat[fmt::format("{}[{}]", key, i)] = (*arguments)[i];
    }
  }
  for (const auto& [name, value] : study.environment) {
    flat["env." + name] = value;
  }
  for (std::size_t i = 0; i < study.extract.size(); ++i) {
    flat[fmt::format("extract[{}]", i)] = rule_text(study.extract[i]);
  }
}

void flatten_sides(const Study& study, Flat& flat) {
  for (std::size_t i = 0; i < study.sides.size(); ++i) {
    const StudySide& side = study.sides[i];
    const std::string key = fmt::format("sides[{}]", i);
    flat[key + ".name"] = side.name;
    if (!side.commit.empty()) {
      flat[key + ".commit"] = side.commit;
    }
    for (const auto& [name, value] : side.environment) {
      flat[key + ".env." + name] = value;
    }
    for (std::size_t word = 0; word < side.prefix.size(); ++word) {
      flat[fmt::format("{}.prefix[{}]", key, word)] = side.prefix[word];
    }
  }
}

void flatten_search(const Search& search, NumberText number, Flat& flat) {
  std::string over;
  for (const std::string& name : search.over) {
    over += (over.empty() ? "" : ", ") + name;
  }
  flat["search.over"] = over;
  flat["search.objective"] = search.objective;
  flat["search.budget"] = number(search.budget_s) + " s";
  if (search.max_trials) {
    flat["search.max_trials"] = fmt::format("{}", *search.max_trials);
  }
}

void flatten_run(const Study& study, NumberText number, Flat& flat) {
  flat["steps.warmup"] = fmt::format("{}", study.steps.warmup);
  flat["steps.measured"] = study.steps.is_open ? "rest" : fmt::format("{}", study.steps.measured);
  // Absent where there are none, so that older studies keep their hashes.
  if (study.steps.warmup_time_s > 0.0) {
    flat["steps.warmup_time"] = number(study.steps.warmup_time_s) + " s";
  }
  if (study.steps.measured_time_s > 0.0) {
    flat["steps.measured_time"] = number(study.steps.measured_time_s) + " s";
  }
  if (study.search) {  // its defaults are the baseline
    flatten_search(*study.search, number, flat);
  }
  if (const std::optional<LargestFit>& largest = study.largest) {
    flat["search.largest"] =
        fmt::format("{} up to {}, multiples of {}", largest->axis, largest->up_to, largest->grid);
  }
  const bool is_adaptive = study.trials.until || study.trials.is_for_verdicts;
  flat[is_adaptive ? "trials.max" : "trials.count"] = fmt::format("{}", study.trials.count);
  if (is_adaptive) {
    flat["trials.min"] = fmt::format("{}", study.trials.min);
    flat[study.trials.until ? "trials.until" : "trials.for"] =
        study.trials.until ? number(*study.trials.until) : "verdicts";
  }
  for (const CellRole control : study.controls) {
    flat["controls." + to_word(control)] = "yes";
  }
  flat["order.design"] = to_word(study.order.design);
  flat["order.seed"] = fmt::format("{}", study.order.seed);
  if (study.limits.timeout_s) {
    flat["limits.timeout"] = number(*study.limits.timeout_s) + " s";
  }
  flat["limits.silence"] = number(study.limits.silence_s) + " s";
  flat["limits.retries"] = fmt::format("{}", study.limits.retries);
  if (study.limits.max_time_s) {
    flat["limits.max_time"] = number(*study.limits.max_time_s) + " s";
  }
  if (study.limits.after_oom != AfterOom::kGoOn) {
    flat["limits.after_oom"] = to_word(study.limits.after_oom);
  }
}

Flat validity_values(const Validity& validity, NumberText number) {
  return {{"policy", to_word(validity.policy)},
          {"requeues", fmt::format("{}", validity.requeues)},
          {"foreign_load", number(validity.foreign_load)},
          {"throttled", number(validity.throttled)},
          {"gpu_utilization", number(validity.gpu_utilization)},
          {"gpu_memory", number(validity.gpu_memory)},
          {"idle_wait", number(validity.idle_wait_s.value_or(0.0)) + " s"},
          {"calibration", to_word(validity.calibration)},
          {"confirm", to_word(validity.confirm)}};
}

// What is as by default is absent, so that older studies keep their hashes.
void flatten_validity(const Study& study, NumberText number, Flat& flat) {
  const Flat defaults = validity_values(Validity(), number);
  for (const auto& [key, value] : validity_values(study.validity, number)) {
    if (value != defaults.at(key)) {
      flat["validity." + key] = value;
    }
  }
}

// A part that is not declared is left out, so that studies of before keep their hash.
void flatten_cost(const Cost& cost, NumberText text, Flat& flat) {
  const auto number = [&](const std::string& key, double value) {
    if (value > 0.0) {
      flat["cost." + key] = text(value);
    }
  };
  const auto declared = [&](const std::string& prefix, const Declared& value) {
    if (!value.source.empty() || !value.date.empty()) {
      flat["cost." + prefix + "declared"] = value.source + ", " + value.date;
    }
  };
  flat["cost.currency"] = cost.currency;
  number("per_device_hour", cost.price.per_device_hour);
  number("per_node_hour", cost.price.per_node_hour);
  number("preemptions_per_device_hour", cost.price.preemptions_per_device_hour);
  declared("", cost.price.declared);
  for (const Price& price : cost.others) {
    const std::string key = "prices." + price.name + ".";
    number(key + "per_device_hour", price.per_device_hour);
    number(key + "per_node_hour", price.per_node_hour);
    number(key + "preemptions_per_device_hour", price.preemptions_per_device_hour);
    declared(key, price.declared);
  }
  if (cost.energy) {
    number("energy.watts_per_device", cost.energy->watts_per_device);
    number("energy.per_kwh", cost.energy->per_kwh);
    number("energy.kg_co2_per_kwh", cost.energy->kg_co2_per_kwh);
    number("energy.pue", cost.energy->pue);
    declared("energy.", cost.energy->declared);
  }
  if (cost.train) {
    number("train.samples", cost.train->samples);
    number("train.tokens", cost.train->tokens);
  }
  for (const CostLine& line : cost.lines) {
    const std::string key = "lines." + line.name + ".";
    number(key + "per_hour", line.per_hour);
    number(key + "per_training", line.per_training);
    declared(key, line.declared);
  }
  for (const Investment& investment : cost.investments) {
    const std::string key = "investments." + investment.name + ".";
    number(key + "price", investment.price);
    flat["cost." + key + "where"] = map_text(investment.where);
    declared(key, investment.declared);
  }
}

// Everything of a study that decides what is measured and how it is judged, by dotted key.
Flat flatten(const Study& study, NumberText number = number_in_full) {
  Flat flat;
  flat["study"] = study.name;
  flat["workload"] = to_word(study.workload);
  flat["cwd"] = study.working_folder;
  flat["where"] = study.is_remote() ? to_word(study.where) : "";
  std::erase_if(flat, [](const auto& entry) { return entry.second.empty(); });
  flatten_command(study, flat);
  flatten_matrix(study, flat);
  flatten_sides(study, flat);
  flatten_run(study, number, flat);
  flatten_validity(study, number, flat);
  flat.merge(flat_analysis(study.analysis, number));
  if (study.cost) {
    flatten_cost(*study.cost, number, flat);
  }
  return flat;
}

// flatten(), with a command that the other study lacks as one entry, not one for each word.
Flat flatten_beside(const Study& other, const Study& study, NumberText number = number_in_full) {
  Flat flat = flatten(study, number);
  for (const auto& [key, words] : {std::pair("setup", &Study::setup),
                                   std::pair("cleanup", &Study::cleanup),
                                   std::pair("build", &Study::build)}) {
    if ((study.*words).empty() || !(other.*words).empty()) {
      continue;
    }
    for (std::size_t i = 0; i < (study.*words).size(); ++i) {
      flat.erase(fmt::format("{}[{}]", key, i));
    }
    flat[key] = "[" + join(study.*words, ", ") + "]";
  }
  return flat;
}

std::string look_up(const Flat& flat, const std::string& key) {
  const auto found = flat.find(key);
  return found == flat.end() ? "(not given)" : found->second;
}

}  // namespace

// Without `where`: it says what the harness may conclude about the devices, and the same command
// runs in the same place whatever it says. So a study that gains the key keeps its trials.
std::string cell_hash(Workload workload, CellRole role, const Parameters& parameters) {
  std::string text =
      "scalestudy cell 1\n" + entry("workload", to_word(workload)) + entry("role", to_word(role));
  for (const auto& [name, value] : telling_parameters(workload, parameters)) {
    text += entry(name, format_value(value));
  }
  return text_hash(text).substr(0, kCellDigits);
}

std::string study_hash(const Study& study) {
  std::string text = "scalestudy study 1\n";
  Flat flat = flatten(study);
  flat.try_emplace("limits.timeout", "600 s");  // what it was without one in the first version
  for (const auto& [key, value] : flat) {
    text += entry(key, value);
  }
  return text_hash(text);
}

std::string rules_hash(const Study& study) {
  std::string text;
  for (const auto& [key, value] : flatten(study)) {
    if (key.starts_with("extract[") || key.starts_with("fail_if[") || key.starts_with("steps.")) {
      text += entry(key, value);
    }
  }
  return text_hash(text);
}

std::string reading_mark(const Study& study) {
  return std::string(kReadAgain) + rules_hash(study);
}

std::vector<std::string> study_difference(const Study& before, const Study& after) {
  const Flat old_values = flatten_beside(after, before);
  const Flat new_values = flatten_beside(before, after);
  const Flat old_words = flatten_beside(after, before, format_declared);
  const Flat new_words = flatten_beside(before, after, format_declared);
  std::vector<std::string> secrets = secret_values(before);
  const std::vector<std::string> new_secrets = secret_values(after);
  secrets.insert(secrets.end(), new_secrets.begin(), new_secrets.end());
  Flat all = old_values;
  all.insert(new_values.begin(), new_values.end());
  std::vector<std::string> lines;
  for (const auto& [key, ignored] : all) {
    const std::string old_value = look_up(old_values, key);
    const std::string new_value = look_up(new_values, key);
    const bool is_noise = look_up(old_words, key) == look_up(new_words, key);
    const std::string old_text = is_noise ? old_value : look_up(old_words, key);
    const std::string new_text = is_noise ? new_value : look_up(new_words, key);
    const std::string old_told = masked(old_text, secrets);
    const std::string new_told = masked(new_text, secrets);
    // A value that was left out may be the other's.
    const bool is_known = old_told != new_told || (old_text != old_told && new_text != new_told);
    if (old_value != new_value && is_known) {
      lines.push_back(old_told == new_told ? fmt::format("{}: {} -> another secret", key, old_told)
                                           : fmt::format("{}: {} -> {}", key, old_told, new_told));
    }
  }
  return lines;
}

bool differ_in_count_alone(const Study& a, const Study& b) {
  const std::vector<std::string> lines = study_difference(a, b);
  return lines.size() == 1 && lines.front().starts_with("trials.count: ");
}

std::vector<std::string> trial_difference(const Study& before, const Study& after) {
  std::vector<std::string> lines = study_difference(before, after);
  std::erase_if(lines, [](const std::string& line) {
    constexpr std::array parts = {
        "command[", "setup", "cleanup", "build", "cwd: ", "env.", "extract[", "sides[", "steps."};
    return std::ranges::none_of(parts, [&](const char* part) { return line.starts_with(part); });
  });
  return lines;
}

std::vector<std::string> declared_difference(const Study& before, const Study& after) {
  std::vector<std::string> lines = study_difference(before, after);
  // How many trials there are, or may be in a session or by refinement, is none.
  std::erase_if(lines, [](const std::string& line) {
    const std::string key = line.substr(0, line.find(": "));
    return key.starts_with("trials.") || key == "limits.max_time" ||
           (key.starts_with("analysis.thresholds[") && key.ends_with("].refine"));
  });
  return lines;
}

}  // namespace scalestudy
