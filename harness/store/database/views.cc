#include "harness/store/database/schema.h"
#include "harness/store/database/views_costs.h"
#include "harness/store/database/views_published.h"
#include "harness/store/database/views_usage.h"

namespace scalestudy {

const std::string_view kDropViews = R"sql(
DROP VIEW IF EXISTS trials;
DROP VIEW IF EXISTS step_times;
DROP VIEW IF EXISTS samples;
DROP VIEW IF EXISTS results;
DROP VIEW IF EXISTS speedups;
DROP VIEW IF EXISTS overheads;
DROP VIEW IF EXISTS targets;
DROP VIEW IF EXISTS evidence;
DROP VIEW IF EXISTS accounting;
DROP VIEW IF EXISTS environments;
DROP VIEW IF EXISTS published;
DROP VIEW IF EXISTS annotations;
DROP VIEW IF EXISTS parameters;
DROP VIEW IF EXISTS sessions;
DROP VIEW IF EXISTS logs;
DROP VIEW IF EXISTS trial_metrics;
DROP VIEW IF EXISTS metrics;
DROP VIEW IF EXISTS costs;
DROP VIEW IF EXISTS comparisons;
DROP VIEW IF EXISTS thresholds;
DROP VIEW IF EXISTS laws;
DROP VIEW IF EXISTS law_choices;
DROP VIEW IF EXISTS volumes;
DROP VIEW IF EXISTS projections;
DROP VIEW IF EXISTS threats;
DROP VIEW IF EXISTS readings;
DROP VIEW IF EXISTS usage;
DROP VIEW IF EXISTS search;
)sql";

// What a cell varies as one JSON object, so that custom axes are columns: axes ->> 'level'. Put
// together by hand: SQLite 3.40 trusts no JSON function in a view.
constexpr std::string_view kAxes = R"sql(
       (SELECT '{' || group_concat(
          '"' || replace(replace(name, '\', '\\'), '"', '\"') || '":' ||
          CASE kind
            WHEN 'integer' THEN CAST(value AS INTEGER)
            WHEN 'real' THEN CAST(value AS REAL)
            ELSE '"' || replace(replace(replace(replace(replace(value, '\', '\\'), '"', '\"'),
                        char(10), '\n'), char(13), '\r'), char(9), '\t') || '"'
          END) || '}'
        FROM cell_parameter WHERE cell_id = cell.id AND varied))sql";

// step_times is the one place that says what the time of a step of a trial is. `train` wrote no
// window_time_s before it had one; its trials are those that tell their tail_bucket_bytes, and the
// step times of each of their ranks add up to that rank's own wall time. `trials` asks it once a
// column and row: where it is joined, SQLite computes it of all trials for one of them.
const std::array<std::string_view, 23> kViews = {
    R"sql(
CREATE VIEW step_times AS
SELECT step.trial_id AS trial, step.n AS steps, step.warmup_n AS warmup, slowest.rank AS slowest_rank,
       coalesce(coalesce(window.mean, slowest.n * slowest.mean) / step.n, step.mean) AS step_time_s,
       CASE WHEN coalesce(window.id, slowest.id) IS NULL THEN 'steps' ELSE 'window' END AS definition
FROM series AS step
LEFT JOIN series AS window
  ON window.trial_id = step.trial_id AND ifnull(window.rank, -1) = -1
 AND window.metric_id = (SELECT id FROM metric WHERE name = 'window_time_s' AND unit = 's')
 AND window.n = 1 AND window.mean > 0
LEFT JOIN series AS slowest
  ON slowest.trial_id = step.trial_id AND slowest.metric_id = step.metric_id
 AND (window.id IS NOT NULL OR EXISTS (SELECT 1 FROM telemetry WHERE trial_id = step.trial_id
                                       AND name = 'tail_bucket_bytes'))
 AND ifnull(slowest.rank, -1) = (SELECT rank FROM series AS own
                                 WHERE own.trial_id = step.trial_id AND own.rank IS NOT NULL
                                   AND own.metric_id = step.metric_id AND own.n = step.n
                                 ORDER BY own.mean DESC, own.rank LIMIT 1)
WHERE step.metric_id = (SELECT id FROM metric WHERE name = 'step_time_s' AND unit = 's')
  AND ifnull(step.rank, -1) = -1 AND step.n > 0;

CREATE VIEW trials AS
SELECT study.name AS study, trial.id AS trial, cell.hash AS cell, cell.label AS label, cell.role AS role,
       cell.devices, cell.nodes, cell.batch_global, cell.batch_per_device,
       trial.plan, iif(trial.has_block, trial.block, NULL) AS block,
       iif(NOT trial.has_order, NULL,
           iif(trial.position < 4000000000000000000, trial.position,
               (trial.position - 6500000000000000000) / 1e6)) AS position,
       trial.attempt, trial.state,
       )sql",
    kSuperseded,
    R"sql( AS superseded,
       trial.reason, trial.session_id AS session, trial.started_at, trial.wall_s, trial.exit_code,
       trial.signal, trial.foreign_load, trial.oversubscribed, trial.disturbance,
       trial.hosts, trial.part, trial.provenance, trial.source,
       step.n AS steps,
       (SELECT step_time_s FROM step_times WHERE step_times.trial = trial.id) AS step_time_s_mean,
       step.p50 AS step_time_s_p50, step.p95 AS step_time_s_p95,
       (SELECT definition FROM step_times WHERE step_times.trial = trial.id) AS definition,
       (SELECT slowest_rank FROM step_times WHERE step_times.trial = trial.id) AS slowest_rank,
       trial.steps_share, trial.arrival_step_s,
       )sql",
    kAxes,
    R"sql( AS axes
FROM trial
JOIN study ON study.id = trial.study_id
JOIN cell ON cell.id = trial.cell_id
LEFT JOIN series AS step
  ON step.trial_id = trial.id AND ifnull(step.rank, -1) = -1
 AND step.metric_id = (SELECT id FROM metric WHERE name = 'step_time_s' AND unit = 's');

CREATE VIEW samples AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, trial.id AS trial,
       iif(trial.has_block, trial.block, NULL) AS block,
       trial.attempt, trial.state, series.rank, metric.name AS metric, sample.key AS step,
       sample.key < series.warmup_n AS is_warmup, CAST(sample.value AS REAL) AS value, metric.unit
FROM series
JOIN metric ON metric.id = series.metric_id
JOIN trial ON trial.id = series.trial_id
JOIN cell ON cell.id = trial.cell_id
JOIN study ON study.id = trial.study_id
JOIN json_each(series.values_json) AS sample;

CREATE VIEW results AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.role AS role, cell.devices,
       cell.nodes, cell.batch_global, cell.batch_per_device, step.variant, step.n, step.n_excluded,
       step.n_planned, step.value AS step_time_s, step.lo AS step_time_s_lo, step.hi AS step_time_s_hi,
       typical.value AS step_time_s_p50, typical.lo AS step_time_s_p50_lo,
       typical.hi AS step_time_s_p50_hi, tail.value AS step_time_s_p95, tail.lo AS step_time_s_p95_lo,
       tail.hi AS step_time_s_p95_hi, rate.value AS throughput, rate.lo AS throughput_lo,
       rate.hi AS throughput_hi, rate.unit AS throughput_unit, step.confidence, step.method,
       step.status, cell.oversubscribed, step.provenance, step.definition, study.analysis_version,
       )sql",
    kAxes,
    R"sql( AS axes
FROM estimate AS step
JOIN cell ON cell.id = step.cell_id
JOIN study ON study.id = step.study_id
LEFT JOIN estimate AS typical
  ON typical.cell_id = step.cell_id AND typical.metric = 'step_time_s' AND typical.statistic = 'p50'
 AND typical.variant = step.variant
LEFT JOIN estimate AS tail
  ON tail.cell_id = step.cell_id AND tail.metric = 'step_time_s' AND tail.statistic = 'p95'
 AND tail.variant = step.variant
LEFT JOIN estimate AS rate
  ON rate.cell_id = step.cell_id AND rate.metric = 'throughput' AND rate.statistic = 'mean'
 AND rate.variant = step.variant
WHERE step.metric = 'step_time_s' AND step.statistic = 'mean';

CREATE VIEW speedups AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.devices, cell.nodes,
       cell.batch_global, cell.batch_per_device, baseline.label AS baseline, speedup.scaling,
       speedup.value AS speedup, speedup.lo AS speedup_lo, speedup.hi AS speedup_hi,
       efficiency.value AS efficiency, efficiency.lo AS efficiency_lo, efficiency.hi AS efficiency_hi,
       speedup.confidence, speedup.n, speedup.n_baseline, speedup.p_adjusted, speedup.verdict,
       speedup.finding, speedup.remark, speedup.method, speedup.status, cell.oversubscribed, speedup.provenance,
       speedup.alpha_star, speedup.family_size, speedup.rejected,
       step.definition, study.analysis_version,
       )sql",
    kAxes,
    R"sql( AS axes
FROM comparison AS speedup
JOIN study ON study.id = speedup.study_id
JOIN cell ON cell.id = speedup.cell_id
JOIN cell AS baseline ON baseline.id = speedup.baseline_cell_id
LEFT JOIN comparison AS efficiency
  ON efficiency.study_id = speedup.study_id AND efficiency.quantity = 'efficiency'
 AND efficiency.cell_id = speedup.cell_id AND efficiency.baseline_cell_id = speedup.baseline_cell_id
LEFT JOIN estimate AS step
  ON step.cell_id = speedup.cell_id AND step.metric = 'step_time_s' AND step.statistic = 'mean'
 AND step.variant = 'all'
WHERE speedup.quantity = 'speedup';

CREATE VIEW overheads AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.devices, cell.nodes,
       cell.batch_global, cell.batch_per_device, control.label AS control, overhead.scaling,
       overhead.value AS overhead, overhead.lo AS overhead_lo, overhead.hi AS overhead_hi,
       overhead.confidence, overhead.n, overhead.n_baseline, overhead.verdict, overhead.finding,
       overhead.remark,
       overhead.method, overhead.status, cell.oversubscribed, overhead.provenance,
       step.definition, study.analysis_version,
       )sql",
    kAxes,
    R"sql( AS axes
FROM comparison AS overhead
JOIN study ON study.id = overhead.study_id
JOIN cell ON cell.id = overhead.cell_id
JOIN cell AS control ON control.id = overhead.baseline_cell_id
LEFT JOIN estimate AS step
  ON step.cell_id = overhead.cell_id AND step.metric = 'step_time_s' AND step.statistic = 'mean'
 AND step.variant = 'all'
WHERE overhead.quantity = 'communication_overhead';

CREATE VIEW targets AS
SELECT study.name AS study, target_result.name AS target, target_result.metric, cell.hash AS cell,
       cell.label AS label, target_result.bound, target_result.level, target_result.value,
       target_result.lo, target_result.hi, target_result.verdict, target_result.finding,
       target_result.provenance, target_result.alpha_star, target_result.family_size,
       target_result.rejected
FROM target_result
JOIN study ON study.id = target_result.study_id
LEFT JOIN cell ON cell.id = target_result.cell_id;

CREATE VIEW accounting AS
SELECT study.name AS study, trial.state, count(*) AS count
FROM trial
JOIN study ON study.id = trial.study_id
JOIN cell ON cell.id = trial.cell_id
WHERE (cell.excluded_reason IS NULL OR trial.state = 'excluded')
  AND trial.skip_reason IS NOT 'not_in_study'
  AND NOT )sql",
    kSuperseded,
    R"sql(
GROUP BY study.id, trial.state;

CREATE VIEW environments AS
SELECT study.name AS study, session.id AS session, session.host, session.started_at, fact.name,
       fact.value
FROM (SELECT session_id, name, value FROM environment
      UNION ALL SELECT id, 'host', host FROM session) AS fact
JOIN session ON session.id = fact.session_id
JOIN study ON study.id = session.study_id;

CREATE VIEW annotations AS
SELECT study.name AS study, annotation.trial_id AS trial, cell.hash AS cell, cell.label AS label,
       iif(trial.has_block, trial.block, NULL) AS block, annotation.at, annotation.kind,
       annotation.text
FROM annotation
JOIN trial ON trial.id = annotation.trial_id
JOIN cell ON cell.id = trial.cell_id
JOIN study ON study.id = trial.study_id;

CREATE VIEW readings AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, trial.id AS trial,
       iif(trial.has_block, trial.block, NULL) AS block,
       trial.attempt, trial.state, trial.disturbance, telemetry.name, telemetry.value, telemetry.unit
FROM telemetry
JOIN trial ON trial.id = telemetry.trial_id
JOIN cell ON cell.id = trial.cell_id
JOIN study ON study.id = trial.study_id;
)sql",
    kPublishedView,
    R"sql(
CREATE VIEW parameters AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.role, cell_parameter.name,
       CASE kind WHEN 'integer' THEN CAST(value AS INTEGER)
                 WHEN 'real' THEN CAST(value AS REAL) ELSE value END AS value,
       cell_parameter.kind, cell_parameter.varied, cell_parameter.is_default
FROM cell_parameter
JOIN cell ON cell.id = cell_parameter.cell_id
JOIN study ON study.id = cell.study_id;

CREATE VIEW sessions AS
SELECT study.name AS study, session.id AS session, session.uid, session.host, session.started_at,
       session.finished_at, session.ending, session.tool_version, session.tool_revision,
       session.study_hash, count(trial.id) AS trials,
       count(CASE trial.state WHEN 'ok' THEN 1 END) AS ok_trials, sum(trial.wall_s) AS trial_s,
       sum(trial.wall_s * cell.devices) AS device_s
FROM session
JOIN study ON study.id = session.study_id
LEFT JOIN trial ON trial.session_id = session.id AND trial.id IN (SELECT max(id) FROM trial
  GROUP BY cell_id, plan, block, session_id, started_at, wall_s)  -- logs read again: once
LEFT JOIN cell ON cell.id = trial.cell_id
GROUP BY session.id;

CREATE VIEW logs AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, trial.id AS trial,
       iif(trial.has_block, trial.block, NULL) AS block,
       trial.attempt, trial.state, log.stream, log.path, log.text
FROM log
JOIN trial ON trial.id = log.trial_id
JOIN cell ON cell.id = trial.cell_id
JOIN study ON study.id = trial.study_id;

CREATE VIEW trial_metrics AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.role, trial.id AS trial,
       iif(trial.has_block, trial.block, NULL) AS block, trial.attempt, trial.state, series.rank,
       metric.name AS metric, metric.unit, series.warmup_n, series.n, series.mean, series.sd, series.min, series.p50, series.p95,
       series.p99, series.max
FROM series
JOIN metric ON metric.id = series.metric_id
JOIN trial ON trial.id = series.trial_id
JOIN cell ON cell.id = trial.cell_id
JOIN study ON study.id = trial.study_id;

CREATE VIEW metrics AS
SELECT study.name AS study, estimate.id AS result, cell.hash AS cell, cell.label AS label, cell.role,
       cell.devices, cell.nodes, cell.batch_global, cell.batch_per_device, estimate.metric,
       estimate.statistic, estimate.variant, estimate.unit, estimate.value, estimate.lo, estimate.hi, estimate.sd,
       estimate.confidence, estimate.method, estimate.n, estimate.n_excluded, estimate.n_planned,
       estimate.status, cell.oversubscribed, estimate.provenance, estimate.definition,
       estimate.recomputed_verdict, estimate.recomputed_lo, estimate.recomputed_hi,
       nullif(estimate.recomputed_from, '') AS recomputed_from,
       )sql",
    kAxes,
    R"sql( AS axes
FROM estimate
JOIN cell ON cell.id = estimate.cell_id
JOIN study ON study.id = estimate.study_id;
)sql",
    kCostsView,
    R"sql(
CREATE VIEW comparisons AS
SELECT study.name AS study, comparison.id AS result, comparison.quantity, cell.hash AS cell,
       cell.label AS label, cell.devices, baseline.label AS baseline, comparison.scaling,
       comparison.value, comparison.lo, comparison.hi, comparison.confidence, comparison.p_value,
       comparison.p_adjusted, comparison.method, comparison.n, comparison.n_baseline,
       comparison.margin, comparison.verdict, comparison.finding, comparison.remark,
       comparison.status, comparison.provenance, comparison.alpha_star, comparison.family_size,
       comparison.rejected, )sql",
    kAxes,
    R"sql( AS axes
FROM comparison
JOIN study ON study.id = comparison.study_id
JOIN cell ON cell.id = comparison.cell_id
JOIN cell AS baseline ON baseline.id = comparison.baseline_cell_id;

CREATE VIEW thresholds AS
SELECT study.name AS study, threshold.id AS result, threshold.metric, threshold.level,
       threshold.along, threshold.group_label, threshold.status, threshold.bracket_lo,
       threshold.bracket_hi, threshold.estimate, threshold.lo, threshold.hi, threshold.censored_lo,
       threshold.censored_hi, threshold.confidence, threshold.method, threshold.tested_values,
       threshold.finding, threshold.provenance, threshold.alpha_star, threshold.family_size,
       threshold.rejected, threshold.pieces, threshold.open_values
FROM threshold
JOIN study ON study.id = threshold.study_id;

CREATE VIEW laws AS
SELECT study.name AS study, law.id AS result, law.law, law.group_label, law.parameter, law.value,
       law.lo, law.hi, law.confidence, law.method, law.n, law.levels, law.status, law.finding,
       law.provenance
FROM law
JOIN study ON study.id = law.study_id;

CREATE VIEW search AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, setting.departures, setting.role,
       setting.race_trials, setting.left_after, setting.is_recommended, setting.quantity,
       gain.value AS gain, gain.lo AS gain_lo, gain.hi AS gain_hi, gain.p_adjusted, gain.verdict,
       winner.value AS against_winner, winner.lo AS against_winner_lo,
       winner.hi AS against_winner_hi, winner.verdict AS against_winner_verdict, gain.n,
       gain.confidence, setting.finding
FROM search_setting AS setting
JOIN study ON study.id = setting.study_id
JOIN cell ON cell.id = setting.cell_id
LEFT JOIN comparison AS winner
  ON winner.cell_id = setting.cell_id AND winner.quantity = 'against_winner'
LEFT JOIN comparison AS gain
  ON gain.cell_id = setting.cell_id AND gain.quantity = setting.quantity;

CREATE VIEW threats AS
SELECT study.name AS study, threat.kind, threat.severity, threat.finding
FROM threat
JOIN study ON study.id = threat.study_id;
)sql",
    kUsageView,
    kProjectionViews};

}  // namespace scalestudy
