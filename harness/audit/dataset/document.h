// Somebody's document -> its tables, as text.
#pragma once

#include <string>
#include <vector>

namespace scalestudy::audit {

struct DocumentTable {
  std::string section;  // the heading above it; may be empty
  int first_line = 0;   // from 1
  int last_line = 0;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head
};

struct Document {
  std::string title;  // the first heading; may be empty
  std::vector<DocumentTable> tables;
  int html_table_count = 0;  // tables of HTML tags, which are not read
};

// Reads tables of GitHub-flavoured Markdown; emphasis, links and code marks are stripped from
// cells.
Document read_markdown(const std::string& text);

// Reads the one table of a CSV file.
// Throws Error{kUsage} if the text is no CSV, has no row, or has rows longer or shorter than its
// head.
Document read_csv(const std::string& text, const std::string& path);

}  // namespace scalestudy::audit
