// The view `costs`: one row for each cell and price, with the quantities that the study declares
// something for and their intervals.
#pragma once

#include <string_view>

namespace scalestudy {

// Metrics at another price than the first end in ":" and the price's name (column price).
inline constexpr std::string_view kCostsView = R"sql(
CREATE VIEW costs AS
SELECT base.study, base.cell, base.label, base.role, base.devices, base.nodes, base.batch_global,
       base.batch_per_device, nullif(substr(base.metric, 26), '') AS price, base.unit AS currency,
       max(CASE other.metric WHEN 'cost_per_million_samples' || substr(base.metric, 25) THEN other.value END) AS cost_per_million_samples,
       max(CASE other.metric WHEN 'cost_per_million_samples' || substr(base.metric, 25) THEN other.lo END) AS cost_per_million_samples_lo,
       max(CASE other.metric WHEN 'cost_per_million_samples' || substr(base.metric, 25) THEN other.hi END) AS cost_per_million_samples_hi,
       max(CASE other.metric WHEN 'cost_per_million_tokens' || substr(base.metric, 25) THEN other.value END) AS cost_per_million_tokens,
       max(CASE other.metric WHEN 'cost_per_million_tokens' || substr(base.metric, 25) THEN other.lo END) AS cost_per_million_tokens_lo,
       max(CASE other.metric WHEN 'cost_per_million_tokens' || substr(base.metric, 25) THEN other.hi END) AS cost_per_million_tokens_hi,
       max(CASE other.metric WHEN 'training_cost' || substr(base.metric, 25) THEN other.value END) AS training_cost,
       max(CASE other.metric WHEN 'training_cost' || substr(base.metric, 25) THEN other.lo END) AS training_cost_lo,
       max(CASE other.metric WHEN 'training_cost' || substr(base.metric, 25) THEN other.hi END) AS training_cost_hi,
       max(CASE other.metric WHEN 'training_machine_cost' || substr(base.metric, 25) THEN other.value END) AS training_machine_cost,
       max(CASE other.metric WHEN 'training_machine_cost' || substr(base.metric, 25) THEN other.lo END) AS training_machine_cost_lo,
       max(CASE other.metric WHEN 'training_machine_cost' || substr(base.metric, 25) THEN other.hi END) AS training_machine_cost_hi,
       max(CASE other.metric WHEN 'cost_efficiency' || substr(base.metric, 25) THEN other.value END) AS cost_efficiency,
       max(CASE other.metric WHEN 'cost_efficiency' || substr(base.metric, 25) THEN other.lo END) AS cost_efficiency_lo,
       max(CASE other.metric WHEN 'cost_efficiency' || substr(base.metric, 25) THEN other.hi END) AS cost_efficiency_hi,
       max(CASE other.metric WHEN 'training_hours' THEN other.value END) AS training_hours,
       max(CASE other.metric WHEN 'training_hours' THEN other.lo END) AS training_hours_lo,
       max(CASE other.metric WHEN 'training_hours' THEN other.hi END) AS training_hours_hi,
       max(CASE other.metric WHEN 'energy_kwh_per_million_samples' THEN other.value END) AS energy_kwh_per_million_samples,
       max(CASE other.metric WHEN 'energy_kwh_per_million_samples' THEN other.lo END) AS energy_kwh_per_million_samples_lo,
       max(CASE other.metric WHEN 'energy_kwh_per_million_samples' THEN other.hi END) AS energy_kwh_per_million_samples_hi,
       max(CASE other.metric WHEN 'kg_co2_per_million_samples' THEN other.value END) AS kg_co2_per_million_samples,
       max(CASE other.metric WHEN 'kg_co2_per_million_samples' THEN other.lo END) AS kg_co2_per_million_samples_lo,
       max(CASE other.metric WHEN 'kg_co2_per_million_samples' THEN other.hi END) AS kg_co2_per_million_samples_hi,
       max(CASE other.metric WHEN 'training_kwh' THEN other.value END) AS training_kwh,
       max(CASE other.metric WHEN 'training_kwh' THEN other.lo END) AS training_kwh_lo,
       max(CASE other.metric WHEN 'training_kwh' THEN other.hi END) AS training_kwh_hi,
       max(CASE other.metric WHEN 'training_energy_cost' THEN other.value END) AS training_energy_cost,
       max(CASE other.metric WHEN 'training_energy_cost' THEN other.lo END) AS training_energy_cost_lo,
       max(CASE other.metric WHEN 'training_energy_cost' THEN other.hi END) AS training_energy_cost_hi,
       max(CASE other.metric WHEN 'training_kg_co2' THEN other.value END) AS training_kg_co2,
       max(CASE other.metric WHEN 'training_kg_co2' THEN other.lo END) AS training_kg_co2_lo,
       max(CASE other.metric WHEN 'training_kg_co2' THEN other.hi END) AS training_kg_co2_hi,
       base.confidence, base.method, base.n, base.status, base.provenance, base.definition, base.axes
FROM metrics AS base
JOIN study ON study.name = base.study
JOIN cell ON cell.study_id = study.id AND cell.hash = base.cell
JOIN estimate AS other ON other.cell_id = cell.id AND other.statistic = 'mean' AND other.variant = 'all'
WHERE base.metric GLOB 'cost_per_million_samples*' AND base.statistic = 'mean'
  AND base.variant = 'all'
GROUP BY base.study, base.cell, base.metric;

)sql";

}  // namespace scalestudy
