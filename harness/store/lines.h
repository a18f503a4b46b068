// Writes and reads rows as JSON: the trials of unstored.json, and the parts of an export
// (harness/exchange/FORMAT.md). Each part is one line, but a study's row has several.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// Each parse function throws std::exception, which says what is wrong, for a text that its format
// function does not write.

// The file that says what an export has.
struct ExportIndex {
  std::vector<std::string> studies;
  // Complete lines (ended by a line feed) of each file, by its path in the export; empty for older
  // exports.
  std::map<std::string, std::int64_t> lines;
};

std::string format_export_index(const ExportIndex& index);
ExportIndex parse_export_index(const std::string& text);

// The study's row, looks and additions.
std::string format_study(const StudyContent& content);
// Reads these back; the row is without the text of the study file, which is a file of its own.
StudyContent parse_study_row(const std::string& text);

std::string format_cell(const CellRow& cell);
CellRow parse_cell(const std::string& line);

std::string format_session(const SessionContent& session);
SessionContent parse_session(const std::string& line);

std::string format_trial(const TrialContent& trial);  // without its series and paths of its logs
TrialContent parse_trial(const std::string& line);

std::string format_series(std::int64_t trial_id, const SeriesRow& row);
std::pair<std::int64_t, SeriesRow> parse_series(const std::string& line);

// Names the trials that the projection rests on as [cell, plan, block, attempt].
std::string format_projection(const ProjectionContent& projection);
ProjectionContent parse_projection(const std::string& line);

std::string format_publication(const PublicationRow& publication);
PublicationRow parse_publication(const std::string& line);

// A finished trial that the store does not have yet, with how finish_trial() stores it.
struct UnstoredTrial {
  TrialRecord record;
  bool retry = false;
};

std::string format_unstored(const TrialRecord& record, bool retry);
UnstoredTrial parse_unstored(const std::string& text);

}  // namespace scalestudy
