// Pictures of pages and how far two of them are apart, tile by tile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalestudy::test {

struct Picture {
  int width = 0;                  // pixels
  int height = 0;                 // pixels
  std::vector<std::uint8_t> rgb;  // 3 bytes a pixel, row by row from the top
};

// The picture in the bytes of a PNG; alpha lies over white. Throws std::runtime_error for other
// bytes.
Picture read_png(const std::string& bytes);

// The picture as a PNG of at most 256 colours: the most frequent stay, others become the nearest.
std::string write_png(const Picture& picture);

// What is compared is the mean colour of tiles: edges of letters, which a browser draws a little
// differently from version to version, hardly change it; a word, a line or a column elsewhere does.
inline constexpr int kTile = 16;  // pixels

struct Difference {
  bool is_of_size = true;  // false: widths or heights differ, and nothing else is known
  int tiles = 0;           // tiles that differ by more than kTileTolerance in a channel
  double worst = 0.0;      // largest difference of a channel's mean in a tile, of 255
  int worst_x = 0;         // pixels, upper left corner of that tile
  int worst_y = 0;
};

// Letters moved or blurred by 0.4 pixels change a tile by 10 at most, and no tile by more than 12.
// Another word changes 2 to 12 tiles by more, a line of a figure in another's colour 39, a moved
// column 86 (screens_test.cc holds both sides).
inline constexpr double kTileTolerance = 12.0;  // of 255
inline constexpr int kTilesTolerated = 1;       // of some thousand

Difference difference_of(const Picture& a, const Picture& b);

bool looks_alike(const Difference& difference);

}  // namespace scalestudy::test
