// The two streams of the program: data on stdout, chatter on stderr, colour only for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/text/words.h"

namespace scalestudy {

enum class ColorMode { kAuto, kAlways, kNever };

template <>
inline constexpr std::string_view kWords<ColorMode> = "auto|always|never";

enum class Style { kPlain, kGood, kBad, kWarn, kDim, kBold };

// Writes to stderr as far as that goes: what cannot be told there (a full disk, a reader that is
// gone) is lost, and nothing else is. Control characters, which a terminal obeys, become '?', all
// but line ends, tabs and colours.
void tell(std::string_view text);

class Terminal {
 public:
  // Colour on a stream is on when it is a terminal and neither NO_COLOR nor TERM=dumb is set;
  // `mode` overrides. `quiet` drops notes and progress, never errors.
  Terminal(ColorMode mode, bool quiet);

  // From now on these values are "(secret)" wherever they would be written.
  void hide(const std::vector<std::string>& values);
  std::string masked(std::string_view text) const;

  // Writes data to stdout, as tell() does where that is a terminal; throws Error{kInternal} when it
  // cannot be written (a full disk). A reader that went away (a closed pipe) ends the program by
  // SIGPIPE, as for any tool.
  void out(std::string_view data) const;

  // Writes data to stdout in place of what the last call wrote where can_redraw(), lines cut to the
  // terminal; elsewhere as out().
  void redraw(std::string_view text);
  bool can_redraw() const { return can_redraw_; }

  // One line of chatter to stderr, after taking a progress line away.
  void note(std::string_view text);

  // A note that begins with "warning: ".
  void warn(std::string_view text);

  // Replaces the progress line; does nothing when shows_progress() is false.
  void progress(std::string_view text);

  bool shows_progress() const { return can_rewrite_ && !quiet_; }

  // Text for the stream with the style's colour, or as it is.
  std::string styled_out(Style style, std::string_view text) const;
  std::string styled_err(Style style, std::string_view text) const;

 private:
  void clear_progress();

  std::vector<std::string> hidden_;
  bool quiet_ = false;
  bool can_rewrite_ = false;  // stderr is a terminal that knows how to clear a line
  bool can_redraw_ = false;   // the same of stdout
  int drawn_lines_ = 0;       // by redraw(), on a terminal
  bool color_out_ = false;
  bool color_err_ = false;
  bool progress_shown_ = false;
};

}  // namespace scalestudy
