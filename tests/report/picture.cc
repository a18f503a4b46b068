#include "tests/report/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include <png.h>

namespace scalestudy::test {
namespace {

using Colour = std::array<std::uint8_t, 3>;

Colour pixel(const Picture& picture, std::size_t index) {
  return {picture.rgb[3 * index], picture.rgb[3 * index + 1], picture.rgb[3 * index + 2]};
}

int distance(const Colour& a, const Colour& b) {
  int sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

// The most frequent first, 256 at most, without those close to one before: a thin coloured line has
// few pixels of each of its shades.
std::vector<Colour> palette_of(const std::map<Colour, int>& counts) {
  constexpr std::size_t most = 256;
  constexpr int close = 3 * 6 * 6;
  std::vector<std::pair<Colour, int>> all(counts.begin(), counts.end());
  std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<Colour, int>::second);
  std::vector<Colour> colours;
  for (const auto& entry : all) {
    const Colour& colour = entry.first;
    const auto is_close = [&](const Colour& known) { return distance(known, colour) < close; };
    if (colours.size() < most && std::ranges::none_of(colours, is_close)) {
      colours.push_back(colour);
    }
  }
  return colours;
}

// Mean of each channel over the tile, 0 to 255.
std::array<double, 3> mean_of(const Picture& picture, int left, int top) {
  std::array<double, 3> sum = {};
  const int right = std::min(left + kTile, picture.width);
  const int bottom = std::min(top + kTile, picture.height);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const int index = y * picture.width + x;
      const Colour colour = pixel(picture, static_cast<std::size_t>(index));
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += colour[i];
      }
    }
  }
  for (double& channel : sum) {
    channel /= (right - left) * (bottom - top);
  }
  return sum;
}

}  // namespace

Picture read_png(const std::string& bytes) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
    throw std::runtime_error(std::string("no PNG: ") + image.message);
  }
  image.format = PNG_FORMAT_RGB;
  Picture picture = {static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.rgb.data(), 0, nullptr) == 0) {
    throw std::runtime_error(std::string("a broken PNG: ") + image.message);
  }
  return picture;
}

std::string write_png(const Picture& picture) {
  std::map<Colour, int> counts;
  const std::size_t pixels = picture.rgb.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i) {
    ++counts[pixel(picture, i)];
  }
  const std::vector<Colour> palette = palette_of(counts);
  std::map<Colour, std::uint8_t> nearest;
  for (const auto& [colour, count] : counts) {
    int least = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < palette.size(); ++i) {
      if (const int away = distance(colour, palette[i]); away < least) {
        least = away;
        nearest[colour] = static_cast<std::uint8_t>(i);
      }
    }
  }
  std::vector<std::uint8_t> indices;
  for (std::size_t i = 0; i < pixels; ++i) {
    indices.push_back(nearest.at(pixel(picture, i)));
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(palette.size());
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(
          &image, bytes.data(), &size, 0, indices.data(), 0, palette.front().data()) == 0) {
    throw std::runtime_error(std::string("cannot write a PNG: ") + image.message);
  }
  bytes.resize(size);
  return bytes;
}

Difference difference_of(const Picture& a, const Picture& b) {
  Difference found;
  if (a.width != b.width || a.height != b.height) {
    found.is_of_size = false;
    return found;
  }
  for (int y = 0; y < a.height; y += kTile) {
    for (int x = 0; x < a.width; x += kTile) {
      const std::array<double, 3> left = mean_of(a, x, y);
      const std::array<double, 3> right = mean_of(b, x, y);
      double away = 0.0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        away = std::max(away, std::abs(left[i] - right[i]));
      }
      found.tiles += away > kTileTolerance ? 1 : 0;
      if (away > found.worst) {
        found.worst = away;
        found.worst_x = x;
        found.worst_y = y;
      }
    }
  }
  return found;
}

bool looks_alike(const Difference& difference) {
  return difference.is_of_size && difference.tiles <= kTilesTolerated;
}

}  // namespace scalestudy::test
