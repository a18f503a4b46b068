// Somebody's document -> its tables, as text.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace scalestudy::audit {

struct DocumentTable {
  std::string section;  // the heading above it; may be empty
  int first_line = 0;   // from 1
  int last_line = 0;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head
  std::vector<std::string> printed_heads;      // as the document has them; empty: as in head
  // Columns made of the second figures of cells ("4.0ms (2.0x)"): index to that of the first ones.
  std::map<std::size_t, std::size_t> second_figures;
};

struct Document {
  std::string title;  // the first heading; may be empty
  std::vector<DocumentTable> tables;
  int html_table_count = 0;        // tables of HTML tags, which are not read
  std::vector<int> aligned_lines;  // first lines of tables in code whose columns only blanks part
};

// Reads the tables of a file by its extension: Markdown (.md, .markdown, .txt and none) or CSV.
// Throws Error{kUsage} for any other file, and as the readers below.
Document read_document(const std::string& text, const std::string& path);

// Reads tables of GitHub-flavoured Markdown, also those within code; emphasis, links and code marks
// are stripped from cells. A column whose cells hold two figures becomes two.
Document read_markdown(const std::string& text);

// Reads the one table of a CSV file; a column whose cells hold two figures becomes two.
// Throws Error{kUsage} if the text is no CSV, has no row, or has rows longer or shorter than its
// head.
Document read_csv(const std::string& text, const std::string& path);

}  // namespace scalestudy::audit
