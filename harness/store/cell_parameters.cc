#include "harness/store/cell_parameters.h"

#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/choices.h"
#include "harness/study/parameters/first_defaults.h"
#include "harness/study/parameters/interconnect.h"

namespace scalestudy {
namespace {

// `stored`, and of the defaults that have changed those that the hash was made with: each choice of
// them is tried, the present ones first. `stored` alone where none makes that hash.
Parameters with_defaults_of_hash(const Parameters& stored, const CellRow& cell, Workload workload) {
  Parameters unsaid = first_defaults(workload);
  std::erase_if(unsaid, [&](const auto& entry) { return stored.contains(entry.first); });
  for (std::size_t choice = 0; choice < std::size_t{1} << unsaid.size(); ++choice) {
    Parameters tried = stored;
    std::size_t bit = 1;
    for (const auto& entry : unsaid) {
      if ((choice & bit) != 0) {
        tried.insert(entry);
      }
      bit <<= 1;
    }
    if (cell_hash(workload, cell.role, tried) == cell.hash) {
      return tried;
    }
  }
  return stored;
}

}  // namespace

EffectiveParameters effective_parameters(const CellRow& cell, const Study& study) {
  Parameters given;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    given[parameter.name] = parameter.value;
  }
  given = with_defaults_of_hash(given, cell, study.workload);
  given.insert(study.parameters.begin(), study.parameters.end());
  return effective_parameters(study.workload, given);
}

std::map<std::string, std::string> conditions_of(const CellRow& cell, const Study& study) {
  std::map<std::string, std::string> conditions;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.varied && !is_choice(study, parameter.name)) {
      conditions.emplace(parameter.name, parameter.value);
    }
  }
  return conditions;
}

std::string setting_of(const CellRow::Parameter& parameter) {
  if (find_interconnect_parameter(parameter.name) != nullptr) {
    return parameter.value == "0" ? "" : parameter.name;
  }
  return is_environment_parameter(parameter.name) && parameter.value != kDefaultValue
             ? environment_name(parameter.name)
             : "";
}

bool is_of_library(const std::string& setting) {
  return setting.starts_with("NCCL_") || setting.starts_with("OMPI_MCA_");
}

}  // namespace scalestudy
