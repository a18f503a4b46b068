// The view `usage`: what each trial used of CPUs, devices, energy and links.
#pragma once

#include <string_view>

namespace scalestudy {

inline constexpr std::string_view kUsageView = R"sql(
CREATE VIEW usage AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.role AS role, cell.devices,
       cell.nodes, cell.batch_global, trial.id AS trial,
       iif(trial.has_block, trial.block, NULL) AS block, trial.attempt, trial.state,
       told.cpu_s, told.system_s, told.loading_cpu_s, told.preprocessing_cpu_s, told.gpu_busy_share,
       told.memory_share,
       told.energy_j / told.measured_s AS power_w,
       told.energy_j / told.measured_s * step_times.step_time_s AS energy_per_step_j,
       told.energy_j / told.measured_s * step_times.step_time_s / cell.batch_global
         AS energy_per_sample_j,
       told.link_share,
       told.link_share * CASE WHEN told.is_collective THEN 1
         ELSE step_times.step_time_s / nullif(communication.mean, 0) END AS link_share_of_collectives
FROM (SELECT trial_id,
             max(CASE name WHEN 'cpu_s' THEN value END) AS cpu_s,
             max(CASE name WHEN 'system_s' THEN value END) AS system_s,
             max(CASE name WHEN 'loading_cpu_s' THEN value END) AS loading_cpu_s,
             max(CASE name WHEN 'preprocessing_cpu_s' THEN value END) AS preprocessing_cpu_s,
             max(CASE name WHEN 'measured_s' THEN value END) AS measured_s,
             max(name = 'busbw_factor') AS is_collective,
             avg(CASE WHEN name GLOB 'gpu[0-9]*_utilization' AND value > 0 THEN value END)
               AS gpu_busy_share,
             max(CASE WHEN name GLOB 'gpu[0-9]*_memory_share' THEN value END) AS memory_share,
             sum(CASE WHEN name GLOB 'measured_*_energy_j' THEN value END) AS energy_j,
             max(CASE WHEN name GLOB 'measured_*_share' THEN value END) AS link_share
      FROM telemetry GROUP BY trial_id) AS told
JOIN trial ON trial.id = told.trial_id
JOIN cell ON cell.id = trial.cell_id
JOIN study ON study.id = trial.study_id
LEFT JOIN step_times ON step_times.trial = trial.id
LEFT JOIN series AS communication
  ON communication.trial_id = trial.id AND communication.rank IS NULL
 AND communication.metric_id = (SELECT id FROM metric WHERE name = 'communication_time_s');

)sql";

}  // namespace scalestudy
