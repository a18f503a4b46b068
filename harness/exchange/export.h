// A store's content as a folder of text files: the same content gives the same bytes (FORMAT.md).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// The content of each file, by its path in the folder: "export.json", "demo/trials.jsonl".
using ExportFiles = std::map<std::string, std::string>;

// - secrets: values that are replaced by kSecretMark.
ExportFiles format_export(const StoreContent& content,
                          const std::vector<std::string>& secrets = {});

// Writes the files into the folder and replaces an earlier export in it. Throws Error{kUsage} if
// the folder holds anything else, Error{kStore} if it cannot be written.
void write_export(const ExportFiles& files, const std::filesystem::path& folder);

// Whether the folder holds an export of any version.
bool is_export(const std::filesystem::path& folder);

// Reads an export. Throws Error{kUsage}, with file and line, for a missing file, a file that lacks
// lines, an invalid row and a row that refers to one that is not there; also for a newer format.
StoreContent read_export(const std::filesystem::path& folder);

}  // namespace scalestudy
