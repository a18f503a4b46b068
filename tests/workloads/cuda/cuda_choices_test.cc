// Which algorithm is taken, over the events of the stand-in for the CUDA runtime.
#include "workloads/ops/cuda/cuda_choices.h"

#include <chrono>
#include <cstring>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/cuda/fake_gpu.h"
#include "tests/support/catch.h"
#include "workloads/rank/error.h"

using namespace scalestudy;

namespace {

cudaStream_t make_queue() {
  cudaStream_t queue = nullptr;
  cudaStreamCreateWithPriority(&queue, cudaStreamNonBlocking, 0);
  return queue;
}

// Candidates that take that long on the GPU, and how often each ran.
struct Candidates {
  std::vector<int> hours;  // so that what the host takes besides is nothing
  std::vector<int> runs = std::vector<int>(hours.size());

  auto run() {
    return [this](std::size_t candidate) {
      ++runs.at(candidate);
      test::played_time += std::chrono::hours(hours.at(candidate));
    };
  }
};

// What rank 0 says, in the place of two numbers: candidate and count.
ops::CudaOptions told(std::vector<std::size_t> by_root) {
  return {.has_timed_algorithms = true,
          .from_root = [by_root = std::move(by_root)](std::span<std::byte> bytes) {
            REQUIRE(bytes.size() == by_root.size() * sizeof(std::size_t));
            std::memcpy(bytes.data(), by_root.data(), bytes.size());
          }};
}

}  // namespace

TEST_CASE("the fastest algorithm is taken where they are timed", "[ops]") {
  ops::CudaChoices choices(make_queue(), {.has_timed_algorithms = true});
  Candidates candidates{{8, 1, 4}};

  CHECK(choices.choose("a", 3, candidates.run()) == 1);

  const std::vector<int> runs = candidates.runs;
  CHECK(choices.choose("a", 3, candidates.run()) == 1);
  CHECK(candidates.runs == runs);  // asked once a problem
}

TEST_CASE("the library's first algorithm is taken where none is timed, and none runs", "[ops]") {
  ops::CudaChoices choices(make_queue(), {});
  Candidates candidates{{8, 1}};

  CHECK(choices.choose("a", 2, candidates.run()) == 0);
  CHECK(candidates.runs == std::vector<int>{0, 0});
}

TEST_CASE("rank 0 decides for every rank", "[ops]") {
  ops::CudaChoices choices(make_queue(), told({2, 3}));
  Candidates candidates{{8, 1, 8}};

  CHECK(choices.choose("a", 3, candidates.run()) == 2);
}

TEST_CASE("a rank whose library offers other algorithms than rank 0's ends the run", "[ops]") {
  ops::CudaChoices choices(make_queue(), told({0, 4}));
  Candidates candidates{{1, 1}};

  CHECK_THROWS_AS(choices.choose("a", 2, candidates.run()), rank::WorkloadError);
}

TEST_CASE("what was taken is told in one text", "[ops]") {
  ops::CudaChoices choices(make_queue(), {});

  choices.note("matmul", "id 1");
  choices.note("convolution", "algorithm 6");
  choices.note("matmul", "id 2");

  CHECK(choices.notes() == "convolution: algorithm 6; matmul: id 2");
}
