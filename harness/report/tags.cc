// The table of tags and its look-up.
#include "harness/report/tags.h"

#include <array>

namespace scalestudy::report {
namespace {

using enum TagKind;

constexpr auto kTags = std::to_array<TagInfo>({
    {"query",
     kSql,
     "the rows of a reading SQL statement as a table; `:study` is this study's name"},
    // The study and its method.
    {"study_name", kText, "name of the study"},
    {"title", kText, "its title"},
    {"study_hash", kText, "hash over everything that decides what is measured"},
    {"source_path", kText, "study file as it was given"},
    {"source_text", kText, "the study file's text; raw, between source_fence lines"},
    {"source_fence", kText, "a code fence that no line of the text can end"},
    {"workload", kText, "workload: train, collective or command"},
    {"command", kText, "command line of a `command` workload"},
    {"scaling", kText, "strong, weak or none"},
    {"scaling_sentence", kText, "what that means"},
    {"device_sentence", kText, "that a device is a CPU core, or how far a GPU's backend is tested"},
    {"baseline", kText, "declared baseline: devices=1"},
    {"confidence", kText, "confidence of every interval: 95 %"},
    {"margin", kText, "differences below it do not matter: 2 %"},
    {"analysis_changed", kFlag, "the analysis is not the one that the first trials were run under"},
    {"is_sequential", kFlag, "trials are still to run, or their number was changed after some had"},
    {"trials_sentence", kText, "trials of each cell"},
    {"steps_sentence", kText, "how many steps of a trial are measured, after how many of warm-up"},
    {"warmup_steps", kText, "steps of a trial that are kept but not used, at least"},
    {"measured_steps", kText, "steps of a trial that are used, at least"},
    {"step_time_definition", kText, "what the time of a step is, and what follows from it"},
    {"order_sentence", kText, "order of the trials and its seed"},
    {"outlier_rule", kText, "rule that flags: modified-z > 3.5"},
    {"currency", kText, "currency of the price"},
    {"price", kText, "price of one device for one hour"},
    {"parameters", kList, "parameters that are the same for every cell"},
    {"parameters.name", kText, "name"},
    {"parameters.value", kText, "value"},
    {"axes", kList, "what is varied"},
    {"axes.name", kText, "name; \"together\" for a row of values that move together"},
    {"axes.value", kText, "values"},
    {"controls", kList, "control arms that the harness added"},
    {"controls.name", kText, "noop, barrier, start_wait or aa"},
    {"controls.value", kText, "what it is"},
    {"methods", kList, "methods behind the numbers"},
    {"methods.name", kText, "id as in stats/METHODS.md and in the CSV files"},
    {"methods.value", kText, "what it does"},
    // Findings.
    {"findings", kList, "targets, speedups, communication, thresholds and cautions, in this order"},
    {"findings.kind", kText, "Target, Speedup, Caution ..."},
    {"findings.finding", kText, "a sentence with its numbers"},
    {"headline_devices", kList, "columns of the table of all speedups"},
    {"headline_devices.devices", kText, "number of devices"},
    {"headline_rows", kList, "rows of that table"},
    {"headline_rows.name", kText, "model, batch and configuration"},
    {"headline_rows.values", kList, "one for each of headline_devices"},
    {"headline_rows.values.speedup", kText, "speedup, interval and verdict"},
    // Results by model.
    {"batch_head", kText, "head of a column of `batch`: Global batch, or Batch per device"},
    {"all_measured", kFlag, "no number is published elsewhere, projected or assumed"},
    {"any_results", kFlag, "some group has results"},
    {"any_speedups", kFlag, "some group has speedups"},
    {"any_overheads", kFlag, "some group has overheads"},
    {"any_overhead_parts", kFlag, "some group has overheads split by the control barrier"},
    {"any_overlap_gains", kFlag, "some group has gains of overlap"},
    {"any_phase_rows", kFlag, "some group has phases"},
    {"any_communication_rows", kFlag, "some group has communication inside its steps"},
    {"any_costs", kFlag, "some group has costs"},
    {"any_messages", kFlag, "some group has a collective's cells"},
    {"has_configuration", kFlag, "something besides model, batch and devices is varied"},
    {"has_oversubscribed", kFlag, "some cell had more ranks than cores or shared devices"},
    {"lacks_flop_utilization", kFlag, "a training study that declares no peak of its devices"},
    {"groups", kList, "one a model or operation"},
    {"groups.label", kText, "model=mlp-4096; absent when there is one model"},
    {"groups.time_unit", kText, "unit of all times of this group"},
    {"groups.rate_unit", kText, "unit of its throughput"},
    {"groups.throughput_figures",
     kList,
     "its figures: none, one, or several when one is not enough"},
    {"groups.throughput_figures.path", kText, "path"},
    {"groups.breakdown_figures", kList, "likewise"},
    {"groups.breakdown_figures.path", kText, "path"},
    {"groups.speedup_figures", kList, "likewise"},
    {"groups.speedup_figures.path", kText, "path"},
    {"groups.message_figures", kList, "likewise: bandwidth, then time against size"},
    {"groups.message_figures.path", kText, "path"},
    {"groups.shows_p95", kFlag, "some cell has a 95th percentile"},
    {"groups.shows_parameter_count", kFlag, "its models differ in size"},
    {"groups.shows_flop_utilization", kFlag, "some cell knows its share of the device's peak"},
    {"groups.shows_p99", kFlag, "some cell has a 99th percentile"},
    {"groups.notes", kList, "why numbers of its results are absent"},
    {"groups.notes.note", kText, "a sentence"},
    {"groups.results", kList, "its cells"},
    {"groups.results.cell", kText, "2 devices, batch 256"},
    {"groups.results.configuration", kText, "other varied parameters"},
    {"groups.results.batch_global", kText, "samples of a step over all devices"},
    {"groups.results.batch_per_device", kText, "samples of a step on one device"},
    {"groups.results.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.results.devices", kText, "devices"},
    {"groups.results.n", kText, "trials used / planned"},
    {"groups.results.step_time", kText, "mean step time ± half-width"},
    {"groups.results.step_time_bounds", kText, "its interval"},
    {"groups.results.p50", kText, "median step, ± half-width over trials"},
    {"groups.results.p95", kText, "95th percentile of the steps"},
    {"groups.results.p99", kText, "99th percentile of the steps"},
    {"groups.results.throughput", kText, "throughput [interval]"},
    {"groups.results.throughput_per_device", kText, "per device [interval]"},
    {"groups.results.parameter_count", kText, "parameters of the model"},
    {"groups.results.flop_utilization", kText, "model FLOP over the device's peak, % [interval]"},
    {"groups.results.oversubscribed", kFlag, "more ranks than cores, or shared devices"},
    {"groups.speedups", kList, "cells against their baseline"},
    {"groups.speedups.cell", kText, "2 devices, batch 256"},
    {"groups.speedups.configuration", kText, "other varied parameters"},
    {"groups.speedups.batch_global", kText, "samples of a step over all devices"},
    {"groups.speedups.batch_per_device", kText, "samples of a step on one device"},
    {"groups.speedups.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.speedups.devices", kText, "devices"},
    {"groups.speedups.base", kText, "the measured cell it is relative to"},
    {"groups.speedups.speedup", kText, "throughput over the base's [interval]"},
    {"groups.speedups.efficiency", kText, "speedup over the ratio of devices, % [interval]"},
    {"groups.speedups.p_adjusted", kText, "p value, Holm-adjusted"},
    {"groups.speedups.n", kText, "trials or pairs"},
    {"groups.speedups.method", kText, "method of the interval"},
    {"groups.speedups.verdict",
     kText,
     "faster, slower, equivalent, no detectable difference, not enough data"},
    {"groups.overheads", kList, "cells against the same run without communication"},
    {"groups.overheads.cell", kText, "2 devices, batch 256"},
    {"groups.overheads.configuration", kText, "other varied parameters"},
    {"groups.overheads.batch_global", kText, "samples of a step over all devices"},
    {"groups.overheads.batch_per_device", kText, "samples of a step on one device"},
    {"groups.overheads.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.overheads.devices", kText, "devices"},
    {"groups.overheads.step_time", kText, "with communication"},
    {"groups.overheads.noop_time", kText, "without"},
    {"groups.overheads.overhead", kText, "share of the step, % [interval]"},
    {"groups.overheads.p_adjusted", kText, "p value, Holm-adjusted"},
    {"groups.overheads.n", kText, "trials or pairs"},
    {"groups.overhead_parts", kList, "the overhead split by the control barrier"},
    {"groups.overhead_parts.cell", kText, "2 devices, batch 256"},
    {"groups.overhead_parts.configuration", kText, "other varied parameters"},
    {"groups.overhead_parts.batch_global", kText, "samples of a step over all devices"},
    {"groups.overhead_parts.batch_per_device", kText, "samples of a step on one device"},
    {"groups.overhead_parts.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.overhead_parts.devices", kText, "devices"},
    {"groups.overhead_parts.step_time", kText, "with communication"},
    {"groups.overhead_parts.barrier_time", kText, "with one element of each bucket sent"},
    {"groups.overhead_parts.synchronization", kText, "share of the control's step, % [interval]"},
    {"groups.overhead_parts.transfer", kText, "share of the step, % [interval]"},
    {"groups.overhead_parts.p_adjusted", kText, "p value of the transfer, Holm-adjusted"},
    {"groups.overhead_parts.n", kText, "trials or pairs"},
    {"groups.overlap_gains", kList, "cells of overlap poll against the control start_wait"},
    {"groups.overlap_gains.cell", kText, "2 devices, batch 256"},
    {"groups.overlap_gains.configuration", kText, "other varied parameters"},
    {"groups.overlap_gains.batch_global", kText, "samples of a step over all devices"},
    {"groups.overlap_gains.batch_per_device", kText, "samples of a step on one device"},
    {"groups.overlap_gains.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.overlap_gains.devices", kText, "devices"},
    {"groups.overlap_gains.step_time", kText, "with overlap"},
    {"groups.overlap_gains.control_time", kText, "by the same calls, waited for at once"},
    {"groups.overlap_gains.gain", kText, "throughput over the control's [interval]"},
    {"groups.overlap_gains.p_adjusted", kText, "p value, Holm-adjusted"},
    {"groups.overlap_gains.n", kText, "trials or pairs"},
    {"groups.overlap_gains.verdict", kText, "as of a speedup"},
    {"groups.phase_names", kList, "phases that were measured"},
    {"groups.phase_names.phase", kText, "forward, backward, exposed communication ..."},
    {"groups.phase_names.phase_unit", kText, "unit of its times"},
    {"groups.phase_rows", kList, "cells by phase"},
    {"groups.phase_rows.cell", kText, "2 devices, batch 256"},
    {"groups.phase_rows.configuration", kText, "other varied parameters"},
    {"groups.phase_rows.batch_global", kText, "samples of a step over all devices"},
    {"groups.phase_rows.batch_per_device", kText, "samples of a step on one device"},
    {"groups.phase_rows.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.phase_rows.devices", kText, "devices"},
    {"groups.phase_rows.n", kText, "trials used / planned"},
    {"groups.phase_rows.times", kList, "one for each of phase_names"},
    {"groups.phase_rows.times.time", kText, "mean ± half-width"},
    {"groups.communication_unit", kText, "unit of the times of communication_rows"},
    {"groups.communication_rows", kList, "cells of several devices, by their communication"},
    {"groups.communication_rows.cell", kText, "2 devices, batch 256"},
    {"groups.communication_rows.configuration", kText, "other varied parameters"},
    {"groups.communication_rows.batch_global", kText, "samples of a step over all devices"},
    {"groups.communication_rows.batch_per_device", kText, "samples of a step on one device"},
    {"groups.communication_rows.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.communication_rows.devices", kText, "devices"},
    {"groups.communication_rows.n", kText, "trials used / planned"},
    {"groups.communication_rows.buckets", kText, "buckets the gradients travel in"},
    {"groups.communication_rows.tail_bucket",
     kText,
     "MiB of the last bucket, which nothing can hide"},
    {"groups.communication_rows.communication", kText, "time some collective was in flight"},
    {"groups.communication_rows.exposed_max",
     kText,
     "time the computation waits, largest over ranks"},
    {"groups.communication_rows.exposed_mean", kText, "the same, mean over ranks"},
    {"groups.communication_rows.overlap_efficiency",
     kText,
     "hidden share of the communication, %, or n/a"},
    {"groups.communication_rows.transfer", kText, "collectives as long as where they are shortest"},
    {"groups.communication_rows.skew",
     kText,
     "time in collectives beyond that, largest over ranks"},
    {"groups.costs", kList, "cost of the cells"},
    {"groups.costs.cell", kText, "2 devices, batch 256"},
    {"groups.costs.configuration", kText, "other varied parameters"},
    {"groups.costs.batch_global", kText, "samples of a step over all devices"},
    {"groups.costs.batch_per_device", kText, "samples of a step on one device"},
    {"groups.costs.batch", kText, "the one of both that the scaling holds fixed"},
    {"groups.costs.devices", kText, "devices"},
    {"groups.costs.n", kText, "trials used / planned"},
    {"groups.costs.cost", kText, "per million samples [interval]"},
    {"groups.messages", kList, "cells of a collective operation"},
    {"groups.messages.devices", kText, "devices"},
    {"groups.messages.message", kText, "size of the message: 64 KiB"},
    {"groups.messages.configuration", kText, "other varied parameters"},
    {"groups.messages.n", kText, "trials used / planned"},
    {"groups.messages.time", kText, "mean time of one operation ± half-width, with its unit"},
    {"groups.messages.p50", kText, "median, likewise"},
    {"groups.messages.p95", kText, "95th percentile, likewise"},
    {"groups.messages.algbw", kText, "algorithm bandwidth, GB/s [interval]"},
    {"groups.messages.busbw", kText, "bus bandwidth, GB/s [interval]"},
    {"groups.messages.copy_bandwidth", kText, "memory copied by the same ranks, GB/s [interval]"},
    {"groups.messages.oversubscribed", kFlag, "more ranks than cores, or shared devices"},
    // Judgements.
    {"targets", kList, "declared expectations"},
    {"targets.name", kText, "name"},
    {"targets.requirement", kText, "speedup ≥ 1.7"},
    {"targets.cell", kText, "the cell it is about, or how many"},
    {"targets.value", kText, "measured [interval]"},
    {"targets.verdict", kText, "met, missed or undecided"},
    {"targets.finding", kText, "a sentence"},
    {"thresholds", kList, "break-evens"},
    {"thresholds.metric", kText, "speedup or efficiency"},
    {"thresholds.level", kText, "the level it crosses"},
    {"thresholds.along", kText, "axis"},
    {"thresholds.group", kText, "the other varied parameters"},
    {"thresholds.status", kText, "crossed, always, not_reached, unresolved ..."},
    {"thresholds.bracket", kText, "tested values on either side, both resolved"},
    {"thresholds.estimate",
     kText,
     "interpolated [interval]; ≤ and ≥ mark an end outside what was tested"},
    {"thresholds.rungs", kText, "tested values"},
    {"thresholds.finding", kText, "a sentence"},
    {"laws", kList, "parameters of fitted scaling laws that have a value"},
    {"laws.law", kText, "amdahl or usl"},
    {"laws.group", kText, "the other varied parameters"},
    {"laws.parameter", kText, "parameter and unit"},
    {"laws.value", kText, "value [interval]"},
    {"laws.provenance", kText, "measured or projected"},
    {"laws.levels", kText, "distinct numbers of devices"},
    {"laws.n", kText, "trials"},
    {"law_findings", kList, "what the laws say, or why they say nothing"},
    {"law_findings.finding", kText, "a sentence"},
    {"aa_controls", kList, "baselines against themselves"},
    {"aa_controls.cell", kText, "the baseline"},
    {"aa_controls.ratio", kText, "ratio [interval]; 1 when the method is sound"},
    {"aa_controls.n", kText, "trials or pairs"},
    {"aa_controls.p_adjusted", kText, "p value, Holm-adjusted"},
    {"aa_controls.verdict", kText, "verdict"},
    {"aa_controls.finding",
     kText,
     "the same in a sentence, with the smallest difference that would be seen"},
    // What others printed.
    {"published_sources", kList, "imported datasets and files that this report shows"},
    {"published_sources.source", kText, "name of the dataset or file"},
    {"published_sources.kind", kText, "published-dataset, nccl-tests, hyperfine or csv"},
    {"published_sources.title", kText, "what it is"},
    {"published_sources.document", kText, "document and its date"},
    {"published_sources.hardware", kText, "as the document says it"},
    {"published_sources.figures", kText, "figures in it"},
    {"published_sources.compared", kText, "those with a measured counterpart"},
    {"published_sources.hash", kText, "hash of what was imported"},
    {"published_compared", kList, "published figures that this study measured too"},
    {"published_compared.source", kText, "name of the dataset or file"},
    {"published_compared.where", kText, "section or lines of the document"},
    {"published_compared.quantity", kText, "quantity, as in data/published/FORMAT.md"},
    {"published_compared.conditions", kText, "which run it is about: devices=2, model=mlp"},
    {"published_compared.printed", kText, "the figure as printed"},
    {"published_compared.cell", kText, "the cell with the same conditions"},
    {"published_compared.measured", kText, "measured there [interval], in the printed unit"},
    {"published_compared.n", kText, "trials or pairs"},
    {"published_others", kList, "the first published figures without a counterpart"},
    {"published_others.source", kText, "name of the dataset or file"},
    {"published_others.where", kText, "section or lines of the document"},
    {"published_others.quantity", kText, "quantity"},
    {"published_others.conditions", kText, "which run it is about"},
    {"published_others.printed", kText, "the figure as printed"},
    {"published_others.reason", kText, "why it is not compared"},
    {"published_others_more", kText, "how many further ones there are"},
    {"threats", kList, "what the results can not bear, warnings first"},
    {"threats.severity", kText, "warning or note"},
    {"threats.kind", kText, "drift, foreign_load, few_trials ..."},
    {"threats.finding", kText, "a sentence"},
    // Trials.
    {"trials_planned", kText, "trials of the plan"},
    {"trials_aside", kText, "trials that ran of cells that are no longer in the study"},
    {"is_complete", kFlag, "none is still to run"},
    {"retries", kText, "attempts beyond a trial's first"},
    {"states", kList, "states of the planned trials; they sum to trials_planned"},
    {"states.state", kText, "ok, failed, timeout ..."},
    {"states.count", kText, "trials"},
    {"lost_trials", kList, "the first attempts without a result"},
    {"lost_trials.trial", kText, "id"},
    {"lost_trials.cell", kText, "cell"},
    {"lost_trials.block", kText, "block"},
    {"lost_trials.attempt", kText, "attempt"},
    {"lost_trials.state", kText, "state"},
    {"lost_trials.reason", kText, "reason"},
    {"lost_trials_more", kText, "how many further ones there are"},
    {"excluded_cells", kList, "the first cells that a rule, or a change of the study, took out"},
    {"excluded_cells.cell", kText, "cell"},
    {"excluded_cells.reason", kText, "rule"},
    {"excluded_cells_more", kText, "how many further ones there are"},
    {"flagged_trials", kList, "the first trials that the outlier rule marks"},
    {"flagged_trials.trial", kText, "id"},
    {"flagged_trials.cell", kText, "cell"},
    {"flagged_trials.rule", kText, "rule"},
    {"flagged_trials.score", kText, "score"},
    {"flagged_trials_more", kText, "how many further ones there are"},
    {"flagged_steps", kList, "cells with steps that the rule marks inside their trial"},
    {"flagged_steps.cell", kText, "cell"},
    {"flagged_steps.trials", kText, "trials with marked steps"},
    {"flagged_steps.of_trials", kText, "trials that count"},
    {"flagged_steps.steps", kText, "marked steps"},
    {"flagged_steps.of_steps", kText, "measured steps"},
    {"flagged_steps.share", kText, "their share of the measured time, %"},
    {"is_adaptive", kFlag, "the study stops at a precision (`trials: {until}`)"},
    {"precision", kList, "how well each measured cell is known"},
    {"precision.cell", kText, "cell"},
    {"precision.n", kText, "trials used"},
    {"precision.half_width", kText, "half-width of the mean step time's interval, % of it"},
    {"precision.stopped_by",
     kText,
     "precision, the number planned, max_time or not yet; – where the number is fixed"},
    {"precision.between_trials", kText, "share of a trial mean's variance between trials, %"},
    {"precision.advice", kText, "more trials, or more trials or steps"},
    {"precision.best_steps", kText, "measured steps a trial that pay most for the time spent"},
    {"medians", kList, "measured cells in which a slow trial stands out"},
    {"medians.cell", kText, "cell"},
    {"medians.median", kText, "median of the trial means [interval]"},
    {"medians.time_unit", kText, "its unit"},
    {"medians.achieved", kText, "confidence that the interval achieves, %; absent without one"},
    {"medians.n", kText, "trials used"},
    {"screened", kList, "cells whose estimate changes when flagged trials are left out"},
    {"screened.cell", kText, "cell"},
    {"screened.time_unit", kText, "unit of both times"},
    {"screened.n", kText, "all trials"},
    {"screened.step_time", kText, "mean step time ± half-width of all trials"},
    {"screened.n_screened", kText, "trials left"},
    {"screened.step_time_screened", kText, "without the flagged ones"},
    // Environment.
    {"tool_version", kText, "version of scalestudy in the last session"},
    {"tool_revision", kText, "its revision"},
    {"sessions", kList, "invocations of run"},
    {"sessions.session", kText, "id"},
    {"sessions.started_at", kText, "UTC"},
    {"sessions.finished_at", kText, "UTC"},
    {"sessions.ending", kText, "done, interrupted, max_time or error"},
    {"sessions.host", kText, "host"},
    {"sessions.tool_version", kText, "version of scalestudy"},
    {"sessions.tool_revision", kText, "its revision"},
    {"sessions.order_seed", kText, "seed of the order"},
    {"sessions.trials", kText, "attempts made in it"},
    {"environment", kList, "facts of the machines and software"},
    {"environment.name", kText, "name"},
    {"environment.value", kText, "value, or the values with their sessions"},
    {"environment.differs", kFlag, "not the same in all sessions"},
    {"environment_differs", kFlag, "some fact is not the same in all sessions"},
});

std::string_view kind_name(TagKind kind) {
  switch (kind) {
    case kText:
      return "text";
    case kFlag:
      return "flag";
    case kList:
      return "list";
    case kSql:
      return "SQL";
  }
  return "";
}

const TagInfo* find_path(std::span<const TagInfo> tags, std::string_view path) {
  for (const TagInfo& tag : tags) {
    if (tag.path == path) {
      return &tag;
    }
  }
  return nullptr;
}

std::string path_in(const std::string& scope, std::string_view name) {
  return scope.empty() ? std::string(name) : scope + "." + std::string(name);
}

}  // namespace

std::span<const TagInfo> template_tags() {
  return kTags;
}

const TagInfo* find_tag(std::span<const TagInfo> tags,
                        const std::vector<std::string>& scopes,
                        std::string_view name) {
  // NOLINTNEXTLINE(modernize-loop-convert): needs std::views, which clang 14 cannot parse
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (const TagInfo* tag = find_path(tags, path_in(*scope, name))) {
      return tag;
    }
    if (name.starts_with("has_")) {
      const TagInfo* list = find_path(tags, path_in(*scope, name.substr(4)));
      if (list != nullptr && list->kind == kList) {
        return list;
      }
    }
  }
  return nullptr;
}

std::vector<std::string> visible_tags(std::span<const TagInfo> tags,
                                      const std::vector<std::string>& scopes) {
  std::vector<std::string> names;
  for (const std::string& scope : scopes) {
    const std::string prefix = scope.empty() ? "" : scope + ".";
    for (const TagInfo& tag : tags) {
      if (!tag.path.starts_with(prefix)) {
        continue;
      }
      const std::string_view rest = tag.path.substr(prefix.size());
      if (rest.find('.') == std::string_view::npos) {
        names.emplace_back(rest);
        if (tag.kind == kList) {
          names.push_back("has_" + std::string(rest));
        }
      }
    }
  }
  return names;
}

std::string format_tag_list(std::span<const TagInfo> tags) {
  std::string text = "| tag | kind | meaning |\n| --- | --- | --- |\n";
  for (const TagInfo& tag : tags) {
    text += "| `" + std::string(tag.path) + "` | " + std::string(kind_name(tag.kind)) + " | " +
            std::string(tag.meaning) + " |\n";
  }
  return text;
}

}  // namespace scalestudy::report
