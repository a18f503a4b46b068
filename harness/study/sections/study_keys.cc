// The table of the study file's keys.
#include "harness/study/sections/study_keys.h"

#include <algorithm>
#include <stdexcept>

namespace scalestudy {
namespace {

// "analysis.targets[]" of "analysis.targets[2]", and so of what follows: "thresholds[0].refine".
std::string without_index(const std::string& name) {
  const std::size_t bracket = name.find('[');
  return bracket == std::string::npos
             ? name
             : name.substr(0, bracket + 1) + name.substr(name.find(']', bracket));
}

}  // namespace

std::span<const StudySection> study_sections() {
  static const std::vector<StudySection> kSections{
      {"", {"version",    "study",     "title",    "workload", "command",  "extract",
            "parameters", "axes",      "zip",      "include",  "exclude",  "steps",
            "trials",     "controls",  "order",    "limits",   "analysis", "cost",
            "secret",     "report",    "setup",    "cleanup",  "cwd",      "env",
            "versions",   "on_finish", "validity", "sides",    "build",    "search"}},
      {"sides[]", {"name", "commit", "env", "prefix"}},
      {"extract[]",
       {"metric",
        "unit",
        "json_path",
        "regex",
        "group",
        "mllog_key",
        "from",
        "per_step",
        "difference",
        "preset"}},
      {"steps", {"warmup", "measured", "warmup_time", "measured_time"}},
      {"trials", {"count", "min", "max", "until", "for"}},
      {"search", {"over", "defaults", "objective", "budget", "max_trials"}},
      {"order", {"design", "seed"}},
      {"limits", {"timeout", "silence", "retries", "max_time", "after_oom"}},
      {"validity",
       {"policy",
        "requeues",
        "foreign_load",
        "throttled",
        "gpu_utilization",
        "gpu_memory",
        "idle_wait",
        "calibration",
        "confirm"}},
      {"analysis",
       {"confidence",
        "outliers",
        "baseline",
        "margin",
        "metrics",
        "thresholds",
        "laws",
        "targets",
        "communication",
        "projection",
        "scenarios",
        "failures"}},
      {"analysis.communication",
       {"study", "group", "hop_latency", "bytes_per_second", "bytes", "source", "date"}},
      {"analysis.projection", {"to", "hold_out", "devices_per_node"}},
      {"analysis.scenarios[]",
       {"name",
        "devices",
        "compute",
        "bytes",
        "hop_latency",
        "bytes_per_second",
        "batch_per_device",
        "communication",
        "source",
        "date"}},
      {"analysis.failures", {"per_device_hour", "source", "date"}},
      {"analysis.outliers", {"rule", "threshold"}},
      {"analysis.metrics[]", {"metric", "better", "by", "margin"}},
      {"analysis.thresholds[]", {"metric", "level", "along", "refine"}},
      {"analysis.thresholds[].refine", {"to", "max_cells", "grid"}},
      {"analysis.targets[]", {"name", "metric", "where", "at_least", "at_most"}},
      {"cost",
       {"per_device_hour",
        "per_node_hour",
        "hardware",
        "currency",
        "source",
        "date",
        "prices",
        "energy",
        "train",
        "lines",
        "investments"}},
      {"cost.hardware", {"price", "years", "hours_a_year", "devices"}},
      {"cost.prices[]", {"name", "per_device_hour", "per_node_hour", "source", "date"}},
      {"cost.energy", {"watts_per_device", "per_kwh", "kg_co2_per_kwh", "pue", "source", "date"}},
      {"cost.train", {"samples", "tokens", "epochs", "samples_per_epoch"}},
      {"cost.lines[]", {"name", "per_hour", "per_training", "source", "date"}},
      {"cost.investments[]", {"name", "price", "where", "source", "date"}},
      {"report", {"template", "labels", "published_as"}},
  };
  return kSections;
}

Fields section_fields(const YamlNode& node, const std::string& name, ProblemList& problems) {
  const auto sections = study_sections();
  const auto section = std::find_if(sections.begin(), sections.end(), [&](const auto& candidate) {
    return candidate.name == without_index(name);
  });
  if (section == sections.end()) {
    throw std::logic_error("a study has no section " + name);
  }
  return {node, name, section->keys, problems};
}

}  // namespace scalestudy
