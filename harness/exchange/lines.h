// Parts of an export, each a line of JSON but the first: FORMAT.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "harness/store/merge/content.h"

namespace scalestudy {

// Every reader throws std::exception, with what is wrong, for what its writer does not write.

std::string format_study(const StudyContent& content);  // its row, looks and additions
StudyContent parse_study_row(const std::string& text);  // nothing else; without the study's text

std::string format_cell(const CellRow& cell);
CellRow parse_cell(const std::string& line);

std::string format_session(const SessionContent& session);
SessionContent parse_session(const std::string& line);

std::string format_trial(const TrialContent& trial);  // without series, and where logs lie
TrialContent parse_trial(const std::string& line);

std::string format_series(std::int64_t trial_id, const SeriesRow& row);
std::pair<std::int64_t, SeriesRow> parse_series(const std::string& line);

std::string format_projection(const ProjectionContent& projection);  // trials by their names
ProjectionContent parse_projection(const std::string& line);

std::string format_publication(const PublicationRow& publication);
PublicationRow parse_publication(const std::string& line);

}  // namespace scalestudy
