// Where the plugin leaves what NCCL told it: a file a process, in the format of FORMAT.md.
#pragma once

#include <string>

namespace scalestudy::profiler {

// Reads SCALESTUDY_NCCL_PROFILE again: the beginning of the files' path. False where it is not set,
// and nothing is to be written.
bool is_wanted();

// Adds a line to this process's file, the first time that it is given. By any thread. What cannot
// be written is lost: no reason to end somebody's program.
void write_once(const std::string& line) noexcept;

// A name as one word of a line: what is no letter, digit or underscore becomes '?', and the rest
// of a long one is cut off. "-" of nullptr, of an empty one, and of NCCL's "Unknown".
std::string word_of(const char* name);

}  // namespace scalestudy::profiler
