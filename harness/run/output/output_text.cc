#include "harness/run/output/output_text.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "harness/run/output/json_text.h"
#include "harness/run/output/terminal_text.h"

namespace scalestudy {
namespace {

constexpr std::size_t kLineBytes = std::size_t{1} << 20U;
constexpr std::int64_t kStreamBytes = std::int64_t{4} << 30;
constexpr std::size_t kDocumentBytes = std::size_t{64} << 20U;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8, before the first line

// The next line without its end ('\n' or '\r', which `ended_by` tells), of a long one no more than
// kLineBytes + 1 bytes; false at the end, and when no more bytes are `left` to be read.
bool read_line(std::streambuf& output, std::int64_t& left, std::string& line, int& ended_by) {
  constexpr int end = std::streambuf::traits_type::eof();
  line.clear();
  int c = output.sgetc();
  if (c == end) {
    return false;
  }
  for (; c != end && c != '\n' && c != '\r' && left > 0; c = output.snextc(), --left) {
    if (line.size() <= kLineBytes) {
      line.push_back(static_cast<char>(c));
    }
  }
  ended_by = c;
  output.sbumpc();
  --left;
  return left > 0;
}

// By its mark, or by two characters of ASCII in a row.
bool is_utf16(std::string_view begin) {
  const auto is_zero = [&](std::size_t i) { return i < begin.size() && begin[i] == '\0'; };
  return begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff") ||
         (is_zero(0) && !is_zero(1) && is_zero(2)) ||
         (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3));
}

// Of at most so many bytes of the output.
Unread use_lines(std::istream& output, std::int64_t most, const UseLine& use) {
  Unread unread;
  std::string line;
  std::int64_t left = most;
  int ended_by = 0;
  std::size_t number = 1;
  try {
    for (std::int64_t begin = 0; read_line(*output.rdbuf(), left, line, ended_by);
         begin = most - left) {
      const bool is_first = begin == 0;
      unread.is_utf16 |= is_first && is_utf16(line);
      if (is_first && line.starts_with(kByteOrderMark)) {
        line.erase(0, kByteOrderMark.size());
      }
      if (line.size() > kLineBytes) {
        unread.first_long_line = unread.long_lines == 0 ? number : unread.first_long_line;
        ++unread.long_lines;
      } else if (!unread.is_utf16) {
        remove_escapes(line);
        use(line, number, begin);
      }
      number += ended_by == '\n' ? 1 : 0;
    }
  } catch (const std::ios_base::failure&) {  // a disk that gives no more of it
    unread.problem = "could not be read to its end";
  }
  if (left <= 0) {
    unread.problem = fmt::format("is longer than {} GiB, the rest was not read", most >> 30);
  }
  return unread;
}

}  // namespace

Unread for_each_line(std::istream& output, const UseText& use) {
  return use_lines(output,
                   kStreamBytes,
                   [&](const std::string& line, std::size_t number, std::int64_t /*begin*/) {
                     use(line, number);
                   });
}

Unread for_each_line_at(std::istream& output, const UseLine& use) {
  return use_lines(output, std::numeric_limits<std::int64_t>::max(), use);
}

Unread for_each_document_in(std::istream& output, const UseText& use) {
  Unread unread;
  std::string text(kDocumentBytes + 1, '\0');
  try {
    text.resize(static_cast<std::size_t>(
        output.rdbuf()->sgetn(text.data(), static_cast<std::streamsize>(text.size()))));
  } catch (const std::ios_base::failure&) {
    unread.problem = "could not be read to its end";
    return unread;
  }
  if (text.size() > kDocumentBytes) {
    unread.problem = fmt::format("is longer than {} MiB, which json: document does not read",
                                 kDocumentBytes >> 20U);
    return unread;
  }
  if (text.starts_with(kByteOrderMark)) {
    text.erase(0, kByteOrderMark.size());
  }
  remove_escapes(text);
  const std::size_t read_lines = for_each_document(
      text, [&](std::string_view document, std::size_t line) { use(std::string(document), line); });
  if (read_lines > 0) {
    unread.problem = fmt::format(
        "has many brackets that are never closed, so json: document read only its first {} lines",
        read_lines);
  }
  return unread;
}

}  // namespace scalestudy
