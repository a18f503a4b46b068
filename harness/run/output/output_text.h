// What a program wrote, line by line or as JSON documents, and what of it cannot be read so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>

namespace scalestudy {

// What of an output was passed over.
struct Unread {
  std::size_t long_lines = 0;       // of more than 1 MiB
  std::size_t first_long_line = 0;  // its number, from 1
  bool is_utf16 = false;            // all of it
  std::string problem;              // why its end, or all of it, is missing; "" if it is not
};

// Gets a line or a document, and the number of the line in which it begins, from 1.
using UseText = std::function<void(const std::string&, std::size_t)>;

// The same of a line, and how many bytes of the output are before it.
using UseLine = std::function<void(const std::string&, std::size_t, std::int64_t)>;

// Calls `use` with each line, without escape sequences of terminals and without the mark of UTF-8.
// A carriage return ends a line too, as progress bars write them, but counts none. for_each_line
// stops at 4 GiB.
Unread for_each_line(std::istream& output, const UseText& use);
Unread for_each_line_at(std::istream& output, const UseLine& use);

// Calls `use` with each JSON document of an output of 64 MiB at most (json_text.h).
Unread for_each_document_in(std::istream& output, const UseText& use);

}  // namespace scalestudy
