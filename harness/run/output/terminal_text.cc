#include "harness/run/output/terminal_text.h"

#include <re2/re2.h>

namespace scalestudy {

void remove_escapes(std::string& line) {
  if (line.find('\x1b') == std::string::npos) {
    return;
  }
  // Latin1: a byte that is no UTF-8 ends no sequence. A title ends with BEL or ESC backslash.
  static const re2::RE2 kMove("\\x1b\\[[0-?]*[ -/]*[CDGHf`]", re2::RE2::Latin1);
  static const re2::RE2 kOther(
      "\\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\|$)|[ -/]*[0-~])",
      re2::RE2::Latin1);
  re2::RE2::GlobalReplace(&line, kMove, " ");
  re2::RE2::GlobalReplace(&line, kOther, "");
}

}  // namespace scalestudy
