#include "harness/run/output/terminal_text.h"

#include <re2/re2.h>

namespace scalestudy {

void remove_escapes(std::string& text) {
  if (text.find('\x1b') == std::string::npos) {
    return;
  }
  // Latin1: a byte that is no UTF-8 ends no sequence. A title ends with BEL or ESC backslash.
  static const re2::RE2 kMove("\\x1b\\[[0-?]*[ -/]*[CDGHf`]", re2::RE2::Latin1);
  static const re2::RE2 kOther(
      "(?m)\\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\\x07\\x1b\\n]*(?:\\x07|\\x1b\\\\|$)|"
      "[ -/]*[0-~])",
      re2::RE2::Latin1);
  re2::RE2::GlobalReplace(&text, kMove, " ");
  re2::RE2::GlobalReplace(&text, kOther, "");
}

}  // namespace scalestudy
