// Streams and colours.
#include "harness/cli/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/read_environment.h"
#include "harness/report/template/markdown.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// TERM=dumb: no cursor movement, no colour.
bool is_dumb() {
  return environment_variable("TERM") == "dumb";
}

bool wants_color(ColorMode mode, int descriptor) {
  if (mode != ColorMode::kAuto) {
    return mode == ColorMode::kAlways;
  }
  return isatty(descriptor) == 1 && environment_variable("NO_COLOR").empty() && !is_dumb();
}

// - text: printable().
std::string styled(bool color, const Highlight& highlight, std::string text) {
  const std::size_t at = text.find(highlight.word);
  if (!color || highlight.style == Style::kPlain || at == std::string::npos) {
    return text;
  }
  const char* code = "";
  switch (highlight.style) {
    case Style::kGood:
      code = "32";
      break;
    case Style::kBad:
      code = "31";
      break;
    case Style::kWarn:
      code = "33";
      break;
    case Style::kDim:
      code = "2";
      break;
    case Style::kPlain:
      break;
  }
  return text.replace(
      at, highlight.word.size(), fmt::format("\x1b[{}m{}\x1b[0m", code, highlight.word));
}

void write_data(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::kStore,
                "standard output cannot be written: " + std::generic_category().message(errno));
  }
}

void write_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Columns of the terminal on that stream; 80 when it does not say.
std::size_t columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

}  // namespace

void tell(std::string_view text) {
  write_error(printable(text));
}

Terminal::Terminal(ColorMode mode, bool quiet)
    : quiet_(quiet),
      can_rewrite_(isatty(STDERR_FILENO) == 1 && !is_dumb()),
      can_redraw_(isatty(STDOUT_FILENO) == 1 && !is_dumb()),
      color_out_(wants_color(mode, STDOUT_FILENO)),
      color_err_(wants_color(mode, STDERR_FILENO)) {}

void Terminal::hide(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    for (const std::string& spelling : {value, report::escape_markdown(value)}) {
      if (std::ranges::find(hidden_, spelling) == hidden_.end()) {
        hidden_.push_back(spelling);
      }
    }
  }
}

std::string Terminal::masked(std::string_view text) const {
  return scalestudy::masked(std::string(text), hidden_);
}

void Terminal::out(std::string_view data, const Highlight& highlight) const {
  std::string text = masked(data);
  if (is_diverted_) {
    tell(quiet_ ? "" : text);
    return;
  }
  if (isatty(STDOUT_FILENO) == 1) {
    text = printable(text);
  }
  write_data(styled(color_out_, highlight, std::move(text)));
}

void Terminal::redraw(std::string_view text) {
  if (!can_redraw_) {
    out(text);
    return;
  }
  clear_progress();
  std::string drawn = drawn_lines_ > 0 ? fmt::format("\x1b[{}F\x1b[J", drawn_lines_) : "";
  drawn_lines_ = 0;
  const std::string shown = printable(masked(text));
  text = shown;
  for (std::size_t at = 0; at < text.size(); ++drawn_lines_) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    drawn += first_characters(text.substr(at, end - at), columns() - 1);
    drawn += '\n';
    at = end + 1;
  }
  write_data(drawn);
}

std::size_t Terminal::columns() {
  return isatty(STDOUT_FILENO) == 1 ? columns_of(STDOUT_FILENO) : kAnyWidth;
}

void Terminal::note(std::string_view text, const Highlight& highlight) {
  if (!quiet_) {
    error(text, highlight);
  }
}

void Terminal::error(std::string_view text, const Highlight& highlight) {
  clear_progress();
  drawn_lines_ = 0;  // what redraw() left is above this line now
  write_error(styled(color_err_, highlight, printable(masked(text))) + '\n');
}

void Terminal::warn(std::string_view text) {
  note(std::string("warning: ").append(text), {Style::kWarn, "warning: "});
}

void Terminal::progress(std::string_view text) {
  if (!shows_progress()) {
    return;
  }
  clear_progress();
  // A line that wraps could not be taken away again.
  tell(first_characters(printable(masked(text)), columns_of(STDERR_FILENO) - 1));
  progress_shown_ = true;
}

void Terminal::clear_progress() {
  if (progress_shown_) {
    write_error("\r\x1b[K");
    progress_shown_ = false;
  }
}

}  // namespace scalestudy
