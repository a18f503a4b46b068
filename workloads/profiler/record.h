// Writes what NCCL told the plugin: one file for each process, in the format of FORMAT.md.
#pragma once

#include <string>

namespace scalestudy::profiler {

// Reads SCALESTUDY_NCCL_PROFILE again, the beginning of the files' path. False if it is not set:
// then nothing is written.
bool is_wanted();

// Adds a line to this process's file, the first time that it is given; any thread may call. A line
// that cannot be written is lost, which is no reason to end somebody's program.
void write_once(const std::string& line) noexcept;

// A name as one word of a line: characters other than letters, digits and underscores become '?',
// and a long name is cut. "-" for nullptr, an empty name and NCCL's "Unknown".
std::string word_of(const char* name);

}  // namespace scalestudy::profiler
