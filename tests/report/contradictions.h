// Reads the texts of a published report as a reader would, and finds where one place contradicts
// another: first screen, tables, alternative texts, CSV and results.json. It shares no code with
// the writer, neither its enums nor its rules.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalestudy::test {

// Each contradiction as a sentence with its numbers; empty where all places agree.
// - files: by path relative to the report's folder: every *.md, data/*.csv and results.json.
std::vector<std::string> contradictions(const std::map<std::string, std::string>& files);

}  // namespace scalestudy::test
