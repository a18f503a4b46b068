#include "workloads/sync/ddp.h"

#include <numeric>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/fake_device.h"

using namespace scalestudy;
using test::FakeDevice;

namespace {

// Writes down what it is asked; an operation is complete at its second test, or when waited for.
class FakeComm final : public comm::Comm {
 public:
  FakeComm(device::Device& device, float* first) : origin(first), device_(device) {}

  void run(const comm::Exchange& exchange, comm::Timing timing) override {
    note("reduce ", exchange);
    if (timing) {
      device_.mark(timing->begin);
      device_.mark(timing->end);
    }
  }
  void start(std::size_t slot, const comm::Exchange& exchange, comm::Timing timing) override {
    note("start " + std::to_string(slot) + " ", exchange);
    slots_.resize(slot + 1);
    slots_[slot] = {0, timing};
    if (timing) {
      device_.mark(timing->begin);
    }
  }
  bool test(std::size_t slot) override {
    const bool is_complete = ++slots_.at(slot).tests >= 2;
    if (is_complete) {
      end(slot);
    }
    return is_complete;
  }
  void wait(std::size_t slot) override {
    log.push_back("wait " + std::to_string(slot));
    end(slot);
  }

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): tests read them
  std::vector<std::string> log;
  float* origin;  // of the buffers
                  // NOLINTEND(misc-non-private-member-variables-in-classes)

 private:
  struct Slot {
    int tests = 0;
    comm::Timing timing;
  };

  void end(std::size_t slot) {
    if (slots_[slot].timing) {
      device_.mark(slots_[slot].timing->end);
    }
  }

  void note(const std::string& what, const comm::Exchange& exchange) {
    const auto place = [&](const comm::Buffer& buffer) {
      return std::to_string(static_cast<float*>(buffer.data) - origin);
    };
    const std::string whole = place(exchange.whole) + "+" + std::to_string(exchange.whole.count);
    if (exchange.operation == comm::Operation::kAllReduce) {
      log.push_back(what + whole);
      return;
    }
    const bool is_gather = exchange.operation == comm::Operation::kAllGather;
    log.push_back(what + (is_gather ? "gather " : "scatter ") + whole + " to " +
                  place(exchange.part));
  }

  device::Device& device_;
  std::vector<Slot> slots_;
};

// Tensors of 2, 3, 4 and 1 floats; buckets of at least 16 bytes: {2, 3}, {4}, {1}.
struct Fixture {
  explicit Fixture(sync::Overlap overlap, sync::Payload payload = sync::Payload::kBuckets)
      : sync({.comm = comm, .overlap = overlap, .payload = payload, .ranks = 2},
             {gradients.data(), gradients.size(), device::DataType::kFloat32},
             sync::make_buckets(std::vector<std::size_t>{8, 12, 16, 4}, 16.0, 16.0),
             4),
        marks(device, 1, sync.collective_count(), sync.wait_limit()) {
    device.reserve_marks(1 + sync::CommunicationMarks::mark_count(3, 5));
    device.mark(0);
  }

  void step(sync::CommunicationMarks* where = nullptr) {
    sync.begin(where);
    for (const std::size_t ready : {2U, 5U, 9U, 10U}) {
      sync.on_gradients_ready(ready);
    }
    sync.finish();
  }

  std::vector<float> gradients = std::vector<float>(10);
  FakeDevice device;
  FakeComm comm{device, gradients.data()};
  sync::DdpSync sync;
  sync::CommunicationMarks marks;  // mark 0 is the step's beginning
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("without overlap, and in poll's control, calls are made after backward, in order",
          "[sync]") {
  const auto [overlap, calls] = GENERATE(table<sync::Overlap, Log>({
      {sync::Overlap::kNone, {"reduce 0+5", "reduce 5+4", "reduce 9+1"}},
      {sync::Overlap::kStartWait,
       {"start 0 0+5", "wait 0", "start 1 5+4", "wait 1", "start 2 9+1", "wait 2"}},
  }));
  Fixture fixture(overlap);
  fixture.sync.begin(nullptr);
  fixture.sync.on_gradients_ready(10);
  CHECK(fixture.comm.log.empty());

  fixture.sync.finish();

  CHECK(fixture.comm.log == calls);
}

TEST_CASE("the control that only waits sends an element a rank where a bucket would go", "[sync]") {
  Fixture none(sync::Overlap::kNone, sync::Payload::kElement);
  Fixture background(sync::Overlap::kBackground, sync::Payload::kElement);

  none.step();
  background.step();

  CHECK(none.comm.log == Log{"reduce 0+2", "reduce 5+2", "reduce 9+1"});
  CHECK(background.comm.log ==
        Log{"start 0 0+2", "start 1 5+2", "start 2 9+1", "wait 0", "wait 1", "wait 2"});
}

TEST_CASE("with overlap a bucket starts once all of it is ready", "[sync]") {
  Fixture fixture(sync::Overlap::kPoll);

  fixture.sync.begin(nullptr);
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

TEST_CASE("communication in the background is never asked how far it is", "[sync]") {
  Fixture fixture(sync::Overlap::kBackground);

  fixture.step();

  CHECK(fixture.comm.log ==
        Log{"start 0 0+5", "start 1 5+4", "start 2 9+1", "wait 0", "wait 1", "wait 2"});
}

// On rank 1 of 2, buckets of 8 and 4 floats: shares begin at 4 and 10.
TEST_CASE("zero1 scatters the sums of buckets, updates its shares and gathers what all updated",
          "[sync]") {
  std::vector<float> gradients(12);
  std::vector<float> parameters(12);
  FakeDevice device;
  FakeComm comm(device, gradients.data());
  const comm::Buffer buffer{parameters.data(), 12, device::DataType::kFloat32};
  sync::DdpSync sync({.comm = comm, .overlap = sync::Overlap::kBackground, .rank = 1, .ranks = 2},
                     {gradients.data(), 12, device::DataType::kFloat32},
                     sync::make_buckets(std::vector<std::size_t>{32, 16}, 1.0, 1.0),
                     2,
                     nullptr,
                     &buffer);

  REQUIRE(sync.parts().size() == 2);
  CHECK(sync.parts()[0].count == 4);
  CHECK(sync.parts()[0].parameters == 4);
  CHECK(sync.parts()[0].gradients == 4);
  CHECK(sync.parts()[0].state == 0);
  CHECK(sync.parts()[1].parameters == 10);
  CHECK(sync.parts()[1].state == 4);
  CHECK(sync.collective_count() == 4);
  sync.begin(nullptr);
  sync.on_gradients_ready(8);
  sync.on_gradients_ready(12);
  sync.finish();
  CHECK(comm.log ==
        Log{"start 0 scatter 0+8 to 4", "start 1 scatter 8+4 to 10", "wait 0", "wait 1"});

  comm.log.clear();
  comm.origin = parameters.data();
  sync.on_updated(0);
  sync.on_updated(1);
  sync.end();
  CHECK(comm.log == Log{"start 2 gather 0+8 to 4", "start 3 gather 8+4 to 10", "wait 2", "wait 3"});
}

// Without overlap, marks in order: wait begins 1, three collectives 2-3, 4-5, 6-7, wait ends 8.
TEST_CASE("without overlap all communication is exposed", "[sync]") {
  Fixture fixture(sync::Overlap::kNone);
  std::vector<double> durations_s(3);

  fixture.step(&fixture.marks);

  const sync::CommunicationTimes times = fixture.marks.read(0, durations_s);
  CHECK(times.exposed_s == 7.0);
  CHECK(times.in_backward_s == 0.0);
  CHECK(times.total_s == 3.0);
  CHECK(durations_s == std::vector<double>{1.0, 1.0, 1.0});
}

// Polling, by hand. 2 ready: a wait begins at 1 and does not count, nothing is in flight. 5 ready:
// wait 2, bucket 0 starts 3, tested once, wait ends 4. 9 ready: wait 5, bucket 1 starts 6, bucket 0
// is complete 7, bucket 1 tested once, wait ends 8. 10 ready: wait 9, bucket 2 starts 10, bucket 1
// is complete 11, wait ends 12. finish: wait 13, bucket 2 is complete 14, wait ends 15.
TEST_CASE("polling is exposed where computing stands still, and total while any is in flight",
          "[sync]") {
  Fixture fixture(sync::Overlap::kPoll);
  std::vector<double> durations_s(3);

  fixture.step(&fixture.marks);

  const sync::CommunicationTimes times = fixture.marks.read(0, durations_s);
  CHECK(times.in_backward_s == (4.0 - 2.0) + (8.0 - 5.0) + (12.0 - 9.0));
  CHECK(times.exposed_s == times.in_backward_s + (15.0 - 13.0));
  CHECK(durations_s == std::vector<double>{7.0 - 3.0, 11.0 - 6.0, 14.0 - 10.0});
  CHECK(times.total_s == 14.0 - 3.0);
}

// Collectives 10-12 and 20-23: a gap between them is no communication.
TEST_CASE("total communication leaves out gaps between collectives", "[sync]") {
  FakeDevice device;
  device.reserve_marks(1 + sync::CommunicationMarks::mark_count(2, 1));
  const sync::CommunicationMarks marks(device, 1, 2, 1);
  const auto mark_at = [&](device::Mark mark, double at_s) {
    device.now_s = at_s;
    device.mark(mark);
  };
  mark_at(0, 5.0);
  mark_at(marks.collective(0).begin, 10.0);
  mark_at(marks.collective(0).end, 12.0);
  mark_at(marks.collective(1).begin, 20.0);
  mark_at(marks.collective(1).end, 23.0);
  std::vector<double> durations_s(2);

  CHECK(marks.read(0, durations_s).total_s == 5.0);
}

// Marks of an earlier step are still there.
TEST_CASE("a step without its collectives has no time in them", "[sync]") {
  FakeDevice device;
  device.reserve_marks(1 + sync::CommunicationMarks::mark_count(1, 1));
  sync::CommunicationMarks marks(device, 1, 1, 1);
  device.mark(0);
  device.mark(marks.collective(0).begin);
  device.mark(marks.collective(0).end);
  std::vector<double> durations_s(1);
  REQUIRE(marks.read(0, durations_s).total_s == 1.0);

  marks.clear();
  marks.leave_out_collectives();

  CHECK(marks.read(0, durations_s).total_s == 0.0);
  CHECK(durations_s == std::vector<double>{0.0});
  marks.clear();
  CHECK(marks.read(0, durations_s).total_s == 1.0);
}

TEST_CASE("nothing is marked where no one wants to know", "[sync]") {
  Fixture fixture(GENERATE(sync::Overlap::kNone, sync::Overlap::kPoll, sync::Overlap::kBackground));
  const double before_s = fixture.device.now_s;

  fixture.step();

  CHECK(fixture.device.now_s == before_s);
}
