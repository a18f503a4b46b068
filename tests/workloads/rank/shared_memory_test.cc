// Memory that other processes map, and sums over several buffers of it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "workloads/comm/shm_sums.h"
#include "workloads/device/arena.h"

using namespace scalestudy;

namespace {

constexpr std::size_t kHugeBytes = std::size_t{1} << 21U;

// Memory behind the file, which has holes.
std::size_t taken_bytes(const device::SharedMemory& memory) {
  struct stat found {};
  REQUIRE(fstat(memory.file(), &found) == 0);
  return static_cast<std::size_t>(found.st_blocks) * 512;
}

}  // namespace

TEST_CASE("blocks of shared memory are zero, aligned, apart and where they say", "[device]") {
  auto owned = std::make_unique<device::SharedMemory>();
  const device::SharedMemory& memory = *owned;
  const auto device = device::make_cpu_device({}, std::move(owned));
  REQUIRE(device->shared_memory() == &memory);
  device::Arena arena(*device);
  std::vector<std::span<std::uint8_t>> blocks;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4097}, kHugeBytes + 1}) {
    blocks.push_back(arena.take<std::uint8_t>(size));
  }

  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(reinterpret_cast<std::uintptr_t>(blocks[i].data()) % 4096 == 0);
    CHECK(std::ranges::all_of(blocks[i], [](auto byte) { return byte == 0; }));
    std::ranges::fill(blocks[i], static_cast<std::uint8_t>(i + 1));
  }
  const std::span<std::uint8_t> large = blocks.back();
  const std::size_t place = memory.place_of(large.data());
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % kHugeBytes == 0);
  CHECK(place % kHugeBytes == 0);
  CHECK(memory.place_of(&large.back()) == place + kHugeBytes);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const device::Mapping seen(memory.file(), memory.place_of(blocks[i].data()), blocks[i].size());
    CHECK(std::memcmp(seen.data(), blocks[i].data(), blocks[i].size()) == 0);
  }
  int local = 0;
  CHECK_THROWS_AS(memory.place_of(&local), std::logic_error);
}

TEST_CASE("a released block of shared memory is the system's again", "[device]") {
  device::SharedMemory memory;
  void* const block = memory.allocate(3 * kHugeBytes);
  const std::size_t taken = taken_bytes(memory);

  memory.release(block);

  CHECK(taken >= 3 * kHugeBytes);
  CHECK(taken_bytes(memory) <= taken - 3 * kHugeBytes);
}

TEST_CASE("shared memory is in no folder", "[device]") {
  const device::SharedMemory memory;

  const std::string link =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(memory.file()));
  CHECK(link == "/memfd:scalestudy (deleted)");
}

TEST_CASE("another process reads and writes a block in place", "[device]") {
  device::SharedMemory memory;
  auto* const numbers = reinterpret_cast<int*>(memory.allocate(2 * sizeof(int)));
  numbers[0] = 41;
  const pid_t child = fork();
  if (child == 0) {
    const device::Mapping seen(memory.file(), memory.place_of(numbers), 2 * sizeof(int));
    auto* const theirs = reinterpret_cast<int*>(seen.data());
    theirs[1] = theirs[0] + 1;
    _exit(0);
  }
  waitpid(child, nullptr, 0);

  CHECK(numbers[1] == 42);
}

// 2,500 elements: two whole blocks of the loop and a part.
TEMPLATE_TEST_CASE("buffers are added in order, in place too, and rounded once",
                   "[comm]",
                   float,
                   double,
                   device::Bf16,
                   device::Half) {
  using T = TestType;
  using Real = device::Real<T>;
  const std::size_t ranks = GENERATE(1, 2, 3, 5);
  const std::size_t count = GENERATE(0, 1, 1023, 2500);
  std::vector<std::vector<T>> values(ranks, std::vector<T>(count));
  std::vector<T> expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    Real sum = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      values[rank][i] =
          static_cast<T>(static_cast<float>(std::sin(static_cast<double>(i * ranks + rank)) + 1.0));
      sum =
          rank == 0 ? static_cast<Real>(values[rank][i]) : sum + static_cast<Real>(values[rank][i]);
    }
    expected[i] = static_cast<T>(sum);
  }
  std::vector<const std::byte*> from;
  std::vector<std::byte*> to;
  for (std::vector<T>& own : values) {
    from.push_back(reinterpret_cast<const std::byte*>(own.data()));
    to.push_back(reinterpret_cast<std::byte*>(own.data()));
  }

  comm::add_elements(device::kDataType<T>, count, from, to);

  for (const std::vector<T>& own : values) {
    CHECK(std::ranges::equal(std::as_bytes(std::span(own)), std::as_bytes(std::span(expected))));
  }
}
