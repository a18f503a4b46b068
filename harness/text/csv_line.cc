#include "harness/text/csv_line.h"

namespace scalestudy {

std::string csv_quoted(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) {
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return text + "\"";
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_blank_line = fields.size() == 1 && fields[i].empty();
    const bool needs_quotes =
        is_blank_line || fields[i].find_first_of(",\"\r\n") != std::string::npos;
    line += i == 0 ? "" : ",";
    line += needs_quotes ? csv_quoted(fields[i]) : fields[i];
  }
  return line + "\n";
}

}  // namespace scalestudy
