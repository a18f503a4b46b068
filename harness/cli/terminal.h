// The program's two output streams: data on stdout, messages on stderr, colour only for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/text/words.h"
#include "harness/text/wrap.h"

namespace scalestudy {

enum class ColorMode { kAuto, kAlways, kNever };

template <>
inline constexpr std::string_view kWords<ColorMode> = "auto|always|never";

enum class Style { kPlain, kGood, kBad, kWarn, kDim };

// Colours the first such word of a text, if its stream has colour. A colour is not part of the
// text, since a text may hold a stranger's words with colours of their own.
struct Highlight {
  Style style = Style::kPlain;
  std::string word;
};

// Writes printable() text to stderr. What cannot be written there (full disk, closed pipe) is lost
// without an error.
void tell(std::string_view text);

class Terminal {
 public:
  // A stream has colour if it is a terminal and neither NO_COLOR nor TERM=dumb is set; `mode`
  // overrides that. `quiet` drops notes and progress, never errors.
  Terminal(ColorMode mode, bool quiet);

  // From now on writes "(secret)" in place of each of these values, also as Markdown escapes them.
  void hide(const std::vector<std::string>& values);
  // The text with hidden values replaced by "(secret)".
  std::string masked(std::string_view text) const;

  // Writes data to stdout, printable() on a terminal. Throws Error{kStore} if it cannot be written
  // (full disk). A closed pipe ends the program by SIGPIPE, as with any tool.
  void out(std::string_view data, const Highlight& highlight = {}) const;

  // Whether out() writes to stderr: for a command whose data are not those of another that it runs.
  void divert(bool to_stderr) { is_diverted_ = to_stderr; }

  // If can_redraw(), writes data to stdout in place of what the last call wrote, with lines cut to
  // the terminal's width; else the same as out(). What stood there before a note stays.
  void redraw(std::string_view text);
  bool can_redraw() const { return can_redraw_; }

  // Columns that lines on stdout have: those of its terminal, kAnyWidth in a file or a pipe.
  static std::size_t columns();

  // Clears the progress line and writes one line to stderr.
  void note(std::string_view text, const Highlight& highlight = {});

  // The same, also if quiet: for what went wrong.
  void error(std::string_view text, const Highlight& highlight = {});

  // Writes a note that begins with "warning: ".
  void warn(std::string_view text);

  // Replaces the progress line; does nothing if shows_progress() is false.
  void progress(std::string_view text);

  bool shows_progress() const { return can_rewrite_ && !quiet_; }

 private:
  void clear_progress();

  std::vector<std::string> hidden_;
  bool quiet_ = false;
  bool is_diverted_ = false;
  bool can_rewrite_ = false;  // stderr is a terminal that can clear a line
  bool can_redraw_ = false;   // stdout is a terminal that can clear a line
  int drawn_lines_ = 0;       // lines that the last redraw() left on the terminal
  bool color_out_ = false;
  bool color_err_ = false;
  bool progress_shown_ = false;
};

}  // namespace scalestudy
