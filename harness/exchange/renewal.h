// Says what changes in a report that is made anew: its numbers, or only its words.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalestudy {

// Contents of files by their path relative to a report's folder; a file that is missing has no
// entry.
using FileTexts = std::map<std::string, std::string>;

struct FileChange {
  std::string file;
  std::string what;  // "words differ", "3 numbers differ, 1 column missing", "missing" ...
  // Each with its place: "row 3 (2 devices), value: 1.5, now 1.6". First the columns or keys that
  // are gone: "value: in data/a.csv, now missing".
  std::vector<std::string> numbers;
};

struct Renewal {
  // "made by version 0.1.0 (this is 0.2.0); all numbers equal, words differ"
  std::string summary;
  std::vector<FileChange> files;
};

// Compares the numbers of an older report with those of a new one of the same study: tables and
// results.json row by row, a page by its numbers in their order or, where that is not possible
// because its text changed, by whether the new pages print them.
// - differing: names of the files that are not equal
// - version: of this program
Renewal find_renewal(const FileTexts& older,
                     const FileTexts& newer,
                     const std::vector<std::string>& differing,
                     const std::string& version);

}  // namespace scalestudy
