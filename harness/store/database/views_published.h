// The view `published`: figures that others published, beside what was measured in their place.
#pragma once

#include <string_view>

namespace scalestudy {

inline constexpr std::string_view kPublishedView = R"sql(
CREATE VIEW published AS
SELECT study.name AS study, publication.source, publication.kind, publication.title,
       publication.document, publication.date, publication.url, publication.hardware,
       figure.table_name, figure.row, figure.column_name, figure.location, figure.quantity,
       figure.experiment, figure.conditions, figure.baseline, figure.printed, figure.form,
       figure.value, figure.lo, figure.hi, figure.unit, figure.printed_unit, publication.path,
       figure.line, figure.assumed, publication.hash, 'published' AS provenance,
       counterpart.metric AS measured_metric, counterpart.assumed AS measured_assuming,
       counterpart.note AS measured_note, cell.hash AS measured_cell,
       cell.label AS measured_label, counterpart.value AS measured_value,
       counterpart.lo AS measured_lo, counterpart.hi AS measured_hi, counterpart.ratio,
       counterpart.ratio_lo, counterpart.ratio_hi, counterpart.per_device,
       counterpart.published_watts, counterpart.per_watt, counterpart.per_watt_lo,
       counterpart.per_watt_hi,
       iif(cell.id IS NULL, NULL, counterpart.n) AS measured_n, counterpart.reason AS not_compared
FROM published_figure AS figure
JOIN publication ON publication.id = figure.publication_id
LEFT JOIN study ON study.id = publication.study_id
LEFT JOIN counterpart ON counterpart.figure_id = figure.id
LEFT JOIN cell ON cell.id = counterpart.cell_id;

)sql";

}  // namespace scalestudy
