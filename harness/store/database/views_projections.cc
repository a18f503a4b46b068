// Views of what looks beyond the measured counts, and of the trials behind all results.
#include "harness/store/database/schema.h"

namespace scalestudy {

const std::string_view kProjectionViews = R"sql(
CREATE VIEW law_choices AS
SELECT study.name AS study, law_choice.group_label, law_choice.chosen, law_choice.held_out_error,
       law_choice.levels, law_choice.n, law_choice.status, law_choice.finding
FROM law_choice
JOIN study ON study.id = law_choice.study_id;

CREATE VIEW volumes AS
SELECT study.name AS study, cell.hash AS cell, cell.label AS label, cell.devices, volume.quantity,
       volume.unit, volume.calculated, volume.measured, volume.ratio, volume.formula
FROM volume
JOIN cell ON cell.id = volume.cell_id
JOIN study ON study.id = volume.study_id;

CREATE VIEW projections AS
SELECT study.name AS study, projection.id AS result, projection.name, projection.group_label,
       projection.devices, projection.value AS step_time_s, projection.lo AS step_time_s_lo,
       projection.hi AS step_time_s_hi, projection.throughput, projection.confidence,
       projection.method, projection.factor, projection.held_out_error, projection.error_limit,
       projection.rival_error, projection.held_out, projection.levels, projection.n,
       projection.status,
       projection.finding, projection.constants, projection.provenance, projection.session,
       projection.made_at, cell.hash AS measured_cell, projection.measured AS measured_s,
       projection.error
FROM projection
JOIN study ON study.id = projection.study_id
LEFT JOIN cell ON cell.id = projection.cell_id;

CREATE VIEW evidence AS
SELECT study.name AS study, result.kind, result.id AS result, result.side, used.value AS trial,
       result.quantity AS result_quantity, cell.hash AS result_cell,
       coalesce(cell.label, result.label) AS result_label
FROM (SELECT study_id, 'comparison' AS kind, id, 'cell' AS side, trials, quantity, cell_id,
             NULL AS label
      FROM comparison
      UNION ALL
      SELECT study_id, 'comparison', id, 'baseline', baseline_trials, quantity, cell_id, NULL
      FROM comparison
      UNION ALL
      SELECT study_id, 'estimate', id, NULL, trials, metric, cell_id, NULL FROM estimate
      UNION ALL
      SELECT study_id, 'threshold', id, NULL, trials, metric, NULL, group_label FROM threshold
      UNION ALL
      SELECT study_id, 'law', id, NULL, trials, law, NULL, group_label FROM law
      UNION ALL
      SELECT study_id, 'projection', id, NULL, trials, method, NULL, group_label
      FROM projection) AS result
JOIN study ON study.id = result.study_id
LEFT JOIN cell ON cell.id = result.cell_id
JOIN json_each(result.trials) AS used;
)sql";

}  // namespace scalestudy
