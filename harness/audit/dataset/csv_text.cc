// One pass over the bytes of a CSV text.
#include "harness/audit/dataset/csv_text.h"

#include <string_view>

#include "harness/yaml/yaml_tree.h"

namespace scalestudy::audit {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, std::vector<Problem>& problems)
      : text_(text), problems_(problems) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) {
      at_ = byte_order_mark.size();
    }
  }

  bool is_done() const { return at_ >= text_.size(); }

  // Takes one line's fields; false when a problem ends the reading.
  bool take_row(std::vector<CsvField>& row) {
    for (bool more = true; more;) {
      CsvField field{"", line_, column()};
      const bool is_quoted = !is_done() && text_[at_] == '"';
      if (!(is_quoted ? take_quoted(field) : take_plain(field))) {
        return false;
      }
      row.push_back(std::move(field));
      more = !is_done() && text_[at_] == ',';
      at_ += more ? 1U : 0U;
    }
    take_line_end();
    return true;
  }

 private:
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  bool at_line_end() const {
    return is_done() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  void take_line_end() {
    if (!is_done()) {
      at_ += text_[at_] == '\r' ? 2U : 1U;
      ++line_;
      line_start_ = at_;
    }
  }

  bool take_plain(CsvField& field) {
    while (!at_line_end() && text_[at_] != ',') {
      field.text += text_[at_++];
    }
    return true;
  }

  bool take_quoted(CsvField& field) {
    for (++at_; !is_done(); ++at_) {
      if (text_[at_] == '"') {
        if (text_.substr(at_ + 1).starts_with('"')) {
          ++at_;
        } else {
          ++at_;
          return check_end();
        }
      }
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
      field.text += text_[at_];
    }
    problems_.push_back({field.line, field.column, "this quote is never closed"});
    return false;
  }

  bool check_end() {
    if (at_line_end() || text_[at_] == ',') {
      return true;
    }
    problems_.push_back(
        {line_, column(), "text behind a closing quote; a quote inside a quoted field is doubled"});
    return false;
  }

  std::string_view text_;
  std::vector<Problem>& problems_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<std::vector<CsvField>> parse_csv(const std::string& text,
                                             std::vector<Problem>& problems) {
  std::vector<std::vector<CsvField>> rows;
  if (!is_utf8(text)) {
    problems.push_back({0, 0, "this is not UTF-8 text"});
    return rows;
  }
  Scanner scanner(text, problems);
  while (!scanner.is_done()) {
    std::vector<CsvField> row;
    if (!scanner.take_row(row)) {
      break;
    }
    if (row.size() > 1 || !row.front().text.empty()) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace scalestudy::audit
