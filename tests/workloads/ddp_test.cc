#include "workloads/sync/ddp.h"

#include <numeric>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// Writes down what it is asked; an operation is complete at its second test, or when waited for.
class FakeComm final : public comm::Comm {
 public:
  explicit FakeComm(float* origin) : origin_(origin) {}

  void allreduce_sum(const comm::Buffer& buffer) override { note("reduce ", buffer); }
  void start_allreduce_sum(std::size_t slot, const comm::Buffer& buffer) override {
    note("start " + std::to_string(slot) + " ", buffer);
    tests_.resize(slot + 1, 0);
  }
  bool test(std::size_t slot) override { return ++tests_.at(slot) >= 2; }
  void wait(std::size_t slot) override { log.push_back("wait " + std::to_string(slot)); }

  std::vector<std::string> log;

 private:
  void note(const std::string& what, const comm::Buffer& buffer) {
    log.push_back(what + std::to_string(static_cast<float*>(buffer.data) - origin_) + "+" +
                  std::to_string(buffer.count));
  }

  float* origin_;
  std::vector<int> tests_;
};

// Tensors of 2, 3, 4 and 1 floats; buckets of at least 16 bytes: {2, 3}, {4}, {1}.
struct Fixture {
  explicit Fixture(sync::Overlap overlap)
      : sync(comm,
             {gradients.data(), gradients.size(), device::DataType::kFloat32},
             sync::make_buckets(std::vector<std::size_t>{8, 12, 16, 4}, 16.0, 16.0),
             overlap) {}

  void step() {
    sync.begin();
    for (const std::size_t ready : {2U, 5U, 9U, 10U}) {
      sync.on_gradients_ready(ready);
    }
    sync.finish();
  }

  std::vector<float> gradients = std::vector<float>(10);
  FakeComm comm{gradients.data()};
  sync::DdpSync sync;
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("without overlap buckets are reduced after backward, in order", "[sync]") {
  Fixture fixture(sync::Overlap::kNone);
  fixture.sync.begin();
  fixture.sync.on_gradients_ready(10);
  CHECK(fixture.comm.log.empty());

  fixture.sync.finish();

  CHECK(fixture.comm.log == Log{"reduce 0+5", "reduce 5+4", "reduce 9+1"});
}

TEST_CASE("with overlap a bucket starts once all of it is ready", "[sync]") {
  Fixture fixture(sync::Overlap::kPoll);

  fixture.sync.begin();
  fixture.sync.on_gradients_ready(2);
  CHECK(fixture.comm.log.empty());
  fixture.sync.on_gradients_ready(5);
  CHECK(fixture.comm.log == Log{"start 0 0+5"});
  fixture.sync.on_gradients_ready(9);
  CHECK(fixture.comm.log == Log{"start 0 0+5", "start 1 5+4"});
}

TEST_CASE("finish waits for what has not arrived, and starts what is left", "[sync]") {
  Fixture fixture(sync::Overlap::kPoll);

  fixture.step();

  // Bucket 0 is complete at its second test, bucket 1 too; bucket 2 is tested once.
  CHECK(fixture.comm.log == Log{"start 0 0+5", "start 1 5+4", "start 2 9+1", "wait 2"});
}

TEST_CASE("every step exchanges the same buckets", "[sync]") {
  Fixture fixture(sync::Overlap::kPoll);
  fixture.step();
  const Log first = fixture.comm.log;
  fixture.comm.log.clear();

  fixture.step();

  CHECK(fixture.comm.log == first);
}

TEST_CASE("exposed communication is part of all communication", "[sync]") {
  Fixture fixture(GENERATE(sync::Overlap::kNone, sync::Overlap::kPoll));

  fixture.step();

  const sync::CommunicationTimes times = fixture.sync.times();
  CHECK(times.exposed_s > 0.0);
  CHECK(times.in_backward_s <= times.exposed_s);
  CHECK(times.exposed_s <= times.total_s);
}
