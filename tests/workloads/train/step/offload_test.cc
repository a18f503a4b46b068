// An optimizer in another memory than the parameters: the same bits as one beside them, by what it
// copies. Two CPU devices stand for a GPU and its host.
#include <cstring>
#include <map>
#include <utility>

#include "tests/support/catch.h"
#include "workloads/train/step/updater.h"

using namespace scalestudy;

namespace {

// Counts what is copied to and from it.
class CountingDevice final : public device::Device {
 public:
  std::string description() const override { return cpu_->description(); }
  bool is_host_memory() const override { return false; }
  void* allocate(std::size_t bytes) override { return cpu_->allocate(bytes); }
  void release(void* block) noexcept override { cpu_->release(block); }
  void copy_to_device(void* to, const void* from, std::size_t bytes) override {
    up += bytes;
    cpu_->copy_to_device(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    down += bytes;
    cpu_->copy_to_host(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override { cpu_->copy(to, from, bytes); }
  void clear(void* block, std::size_t bytes) override { cpu_->clear(block, bytes); }
  void wait() override {}
  void reserve_marks(std::size_t /*count*/) override {}
  void mark(device::Mark /*at*/) override {}
  double elapsed_s(device::Mark /*from*/, device::Mark /*to*/) override { return 0.0; }

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): tests read them
  std::size_t up = 0;
  std::size_t down = 0;
  // NOLINTEND(misc-non-private-member-variables-in-classes)

 private:
  std::unique_ptr<device::Device> cpu_ = device::make_cpu_device();
};

constexpr std::size_t kCount = 1000;

// Two parts of a rank that updates neither the begin nor what lies between.
const std::vector<sync::Part> kParts = {{300, 100, 100, 0}, {200, 700, 700, 300}};
constexpr std::size_t kUpdated = 500;

template <typename T>
class Run {
 public:
  Run(train::Options options, bool is_offloaded) : options_(std::move(options)) {
    for (std::size_t i = 0; i < kCount; ++i) {
      parameters_[i] = static_cast<T>(0.01F * static_cast<float>(i % 37) - 0.2F);
    }
    if (is_offloaded) {
      host_.memory = device::make_cpu_device();
      host_.arena = std::make_unique<device::Arena>(*host_.memory);
      host_.ops = ops::make_cpu_ops<T>(1);
    }
    const std::size_t before = arena_.bytes();
    updater_.emplace(
        options_, *ops_, arena_, kParts, parameters_, gradients_, is_offloaded ? &host_ : nullptr);
    updater_->take_initial();
    device_bytes = arena_.bytes() - before;
    host_bytes = is_offloaded ? host_.arena->bytes() : 0;
  }

  void step(std::size_t index) {
    for (std::size_t i = 0; i < kCount; ++i) {
      gradients_[i] = static_cast<T>(0.003F * static_cast<float>((i + 7 * index) % 23) - 0.03F);
    }
    device.up = 0;
    device.down = 0;
    updater_->begin(index);
    for (const sync::Part& part : kParts) {
      updater_->update(part);
    }
    updater_->end();
  }

  std::vector<T> parameters() const { return {parameters_.begin(), parameters_.end()}; }
  std::size_t offload_bytes() const { return updater_->offload_bytes(); }

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): tests read them
  CountingDevice device;
  std::size_t device_bytes = 0;
  std::size_t host_bytes = 0;
  // NOLINTEND(misc-non-private-member-variables-in-classes)

 private:
  train::Options options_;
  device::Arena arena_{device};
  std::unique_ptr<ops::Ops<T>> ops_ = ops::make_cpu_ops<T>(1);
  std::span<T> parameters_ = arena_.take<T>(kCount);
  std::span<T> gradients_ = arena_.take<T>(kCount);
  train::HostSide<T> host_;
  std::optional<train::Updater<T>> updater_;
};

template <typename T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

train::Options options_of(train::Optimizer optimizer, double clip_norm) {
  train::Options options;
  options.optimizer = optimizer;
  options.learning_rate = 0.05;
  options.weight_decay = 0.01;
  options.clip_norm = clip_norm;
  options.batch_per_device = 1;
  options.batch_global = 1;
  return options;
}

}  // namespace

TEMPLATE_TEST_CASE("an offloaded update has the bits of one on the device",
                   "[train]",
                   float,
                   double,
                   device::Bf16) {
  const auto optimizer = GENERATE(train::Optimizer::kSgd, train::Optimizer::kAdamW);
  const double clip_norm = GENERATE(0.0, 0.1);
  const train::Options options = options_of(optimizer, clip_norm);
  Run<TestType> plain(options, false);
  Run<TestType> offloaded(options, true);
  const std::vector<TestType> initial = plain.parameters();

  for (std::size_t index = 0; index < 5; ++index) {
    plain.step(index);
    offloaded.step(index);
    REQUIRE(are_same_bits(offloaded.parameters(), plain.parameters()));
  }

  const std::vector<TestType> last = offloaded.parameters();
  CHECK_FALSE(are_same_bits(last, initial));
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are meant
  CHECK(std::memcmp(last.data(), initial.data(), 100 * sizeof(TestType)) == 0);  // no part of it
}

// Of 500 parameters and two moments: device and host hold 4 bytes of each in fp32, and of bf16 the
// fp32 masters too; the host values, two moments, gradients, and of bf16 rounded values.
TEST_CASE("what is offloaded is in the host's memory alone, and gradients go there", "[train]") {
  const train::Options options = options_of(train::Optimizer::kAdamW, 0.0);
  const Run<float> plain(options, false);
  Run<float> offloaded(options, true);
  Run<device::Bf16> rounded(options, true);

  CHECK(plain.device_bytes == kUpdated * 8);
  CHECK(plain.offload_bytes() == 0);
  CHECK(offloaded.device_bytes == 0);
  CHECK(offloaded.host_bytes == kUpdated * 16);
  CHECK(offloaded.host_bytes == train::host_side_bytes<float>(kUpdated, 2));
  CHECK(rounded.device_bytes == 0);
  CHECK(rounded.host_bytes == kUpdated * 16);
  CHECK(rounded.host_bytes == train::host_side_bytes<device::Bf16>(kUpdated, 2));
  for (std::size_t index = 0; index < 2; ++index) {
    offloaded.step(index);
    rounded.step(index);
    CHECK(offloaded.device.down == kUpdated * 4);
    CHECK(offloaded.device.up == kUpdated * 4);
    CHECK(offloaded.offload_bytes() == kUpdated * 8);
    CHECK(rounded.device.down + rounded.device.up == rounded.offload_bytes());
    CHECK(rounded.offload_bytes() == kUpdated * 4);
  }
}
