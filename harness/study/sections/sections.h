// The sections of a study file, one function each: they fill a Study and report what is wrong.
#pragma once

#include <string>
#include <vector>

#include "harness/study/parameters/metrics.h"
#include "harness/study/sections/section_context.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

struct Matrix;

// ---- sections_matrix.cc ------------------------------------------------------------------------

void read_parameters(Fields& root, SectionContext& context);
void read_axes(Fields& root, SectionContext& context);
void read_zip(Fields& root, SectionContext& context);
void read_include(Fields& root, SectionContext& context);
void read_exclude(Fields& root, SectionContext& context);

// Checks these five together: names both fixed and varied, the batch, the devices.
void check_matrix(Fields& root, SectionContext& context);

// ---- sections_run.cc ---------------------------------------------------------------------------

void read_steps(Fields& root, SectionContext& context);
void read_trials(Fields& root, SectionContext& context);
void read_controls(Fields& root, SectionContext& context);
void read_order(Fields& root, SectionContext& context);
void read_limits(Fields& root, SectionContext& context);
void read_validity(Fields& root, SectionContext& context);

// ---- analysis/sections_refine.cc ----------------------------------------------------------------

// Reads `refine` of a threshold whose `along` has been read, after trials and the baseline.
void read_refine(Fields& threshold, SectionContext& context, ThresholdRequest& request);

// ---- analysis/sections_between.cc ---------------------------------------------------------------

// Reads `between` of a threshold whose other keys have been read, after the baseline, which it
// gives the study if none is declared.
void read_between(Fields& threshold, SectionContext& context, ThresholdRequest& request);

// ---- sections_cost.cc --------------------------------------------------------------------------

void read_cost(Fields& root, SectionContext& context);

// ---- sections_report.cc ------------------------------------------------------------------------

void read_on_finish(Fields& root, SectionContext& context);
void read_secret(Fields& root, SectionContext& context);
void read_report(Fields& root, SectionContext& context);

// Reports names in report.published_as by which no published figure can be compared.
void check_published_as(Fields& root, SectionContext& context, const Matrix& matrix);

// ---- sections_command.cc -----------------------------------------------------------------------

// Notes the names that setup and cleanup of a built-in workload use, before parameters are read.
void read_own_names(Fields& root, SectionContext& context);
void read_command(Fields& root, SectionContext& context);

// ---- sections_extract.cc -----------------------------------------------------------------------

void read_extract(Fields& root, SectionContext& context);

// ---- sections_sides.cc -------------------------------------------------------------------------

// Reads sides and build, for any workload.
void read_sides(Fields& root, SectionContext& context);

// ---- sections_search.cc ------------------------------------------------------------------------

// Reads a list of names of what varies in the study's cells; each may be there once.
std::vector<std::string> read_varied(Fields& fields,
                                     const std::string& key,
                                     SectionContext& context);

// Reads search, after all sections that cannot be combined with it.
void read_search(Fields& root, SectionContext& context);

// Reports a search whose defaults are no cell: it has nothing to compare with.
void check_search(Fields& root, SectionContext& context, const Matrix& matrix);

// ---- analysis/sections_analysis.cc --------------------------------------------------------------

void read_analysis(Fields& root, SectionContext& context);

// Whether a baseline is declared, or follows from two settings of a threshold; a baseline with
// mistakes counts, since these are reported elsewhere.
bool has_baseline(const Fields& analysis, const Study& study);

// ---- analysis/judged_metrics.cc -----------------------------------------------------------------

// Why analysis.metrics cannot name the metric; empty if it can.
std::string refuse_asked(const Study& study, const std::string& metric);

// Names of the metrics that may stand somewhere, those that the study asks for among them.
std::vector<std::string> allowed_metrics(const Study& study, bool Metric::*may_stand);

// Why the study cannot be judged by the metric, and what to add: no trial would have it, or it is
// missing from analysis.metrics. Empty if it can be, or if analysis.metrics cannot name it either.
// - allowed: what may stand there.
std::string refuse_judged(const Study& study,
                          const std::string& metric,
                          const std::vector<std::string>& allowed);

// The metric of a target or threshold; "" and a problem if it is none.
std::string read_judged_metric(Fields& fields,
                               const SectionContext& context,
                               bool Metric::*may_stand);

// ---- analysis/sections_targets.cc ---------------------------------------------------------------

void read_targets(Fields& analysis, SectionContext& context);

// ---- analysis/sections_time_to.cc ---------------------------------------------------------------

void read_time_to(Fields& analysis, SectionContext& context);

// ---- analysis/sections_within.cc ----------------------------------------------------------------

// Reads analysis.within, after cost and search.
void read_within(Fields& root, SectionContext& context);

// ---- analysis/sections_projection.cc ------------------------------------------------------------

void read_projection(Fields& analysis, SectionContext& context);

}  // namespace scalestudy
