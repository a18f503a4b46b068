#include "harness/base/device_link.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

const DeviceLink kNvlink = {.kind = "NVLink x4", .bytes_per_s = 103.125e9, .by = "NVML"};
const DeviceLink kPcie = {.kind = "PCIe 4.0 x16", .bytes_per_s = 31.5e9, .by = "its specification"};

}  // namespace

TEST_CASE("links of pairs are written by kind and read again", "[base]") {
  const std::string text =
      format_device_links({{{0, 1}, kNvlink}, {{0, 2}, kPcie}, {{1, 2}, kPcie}}, 3);

  CHECK(text ==
        "NVLink x4, 103.1 GB/s by NVML: 0-1; PCIe 4.0 x16, 31.5 GB/s by its specification: 0-2, "
        "1-2");
  const auto link = find_device_link(text, DevicePair(1, 2));
  REQUIRE(link);
  CHECK(link->kind == "PCIe 4.0 x16");
  CHECK(link->bytes_per_s == Approx(31.5e9));
  CHECK(link->by == "its specification");
  CHECK(find_device_link(text, DevicePair(0, 1))->bytes_per_s == Approx(103.1e9));
  CHECK_FALSE(find_device_link(text, DevicePair(1, 3)));
  CHECK_FALSE(find_device_link(text, std::nullopt));
}

TEST_CASE("one kind of link is that of every pair, where every pair's is known", "[base]") {
  const std::string text = format_device_links({{{0, 1}, kPcie}}, 2);

  CHECK(text == "PCIe 4.0 x16, 31.5 GB/s by its specification: all pairs");
  for (const auto& pair : {std::optional<DevicePair>(), std::optional(DevicePair(4, 9))}) {
    const auto link = find_device_link(text, pair);
    REQUIRE(link);
    CHECK(link->kind == "PCIe 4.0 x16");
  }
  const std::string some = format_device_links({{{0, 1}, kPcie}}, 3);
  CHECK(find_device_link(some, DevicePair(0, 1)));
  CHECK_FALSE(find_device_link(some, DevicePair(0, 2)));
  CHECK_FALSE(find_device_link(some, std::nullopt));
}

TEST_CASE("a link of an unknown rate has a kind alone", "[base]") {
  const std::string text =
      format_device_links({{{0, 1}, {.kind = "NVLink", .bytes_per_s = 0.0, .by = "NVML"}}}, 2);

  CHECK(text == "NVLink: all pairs");
  CHECK(find_device_link(text, std::nullopt)->kind == "NVLink");
  CHECK(find_device_link(text, std::nullopt)->bytes_per_s == 0.0);
}

TEST_CASE("text that is no list of links has none", "[base]") {
  CHECK(format_device_links({}, 2).empty());
  for (const char* text : {"", "; ", ": ", "PCIe", "x, GB/s by y", "a: 0-1x", "NVLink: 10-1"}) {
    INFO(text);
    CHECK_FALSE(find_device_link(text, DevicePair(0, 1)));
  }
  // A rate that is no number is none.
  CHECK(find_device_link("PCIe, much GB/s by it: all pairs", std::nullopt)->bytes_per_s == 0.0);
}
