// A store's content as a folder of text files, the same bytes for the same content: FORMAT.md.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/store/merge/content.h"

namespace scalestudy {

// Content by path relative to the folder: "export.json", "demo/trials.jsonl".
using ExportFiles = std::map<std::string, std::string>;

ExportFiles format_export(const StoreContent& content);

// Writes the files, in the place of an earlier export into the folder. Throws Error{kUsage} when
// there is something else in it, Error{kStore} when it cannot be written.
void write_export(const ExportFiles& files, const std::filesystem::path& folder);

// Whether the folder holds an export, of whatever version.
bool is_export(const std::filesystem::path& folder);

// Throws Error{kUsage} with file and line for what is missing, no valid row, or refers to a row
// that is not there; and for a newer format.
StoreContent read_export(const std::filesystem::path& folder);

}  // namespace scalestudy
