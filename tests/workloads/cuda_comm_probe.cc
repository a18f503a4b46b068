// Sums over GPUs, as tests of the communicators need it.
//
//   cuda_comm_probe sums nccl|nodes|staged   exits 0 when every sum is exact, in every slot and
//                                      type; nodes: NCCL, by nodes of two ranks
//   cuda_comm_probe late               rank 1 never joins an operation; the others wait 2 s for it
//
// NCCL is asked without looking first whether ranks share a GPU.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "workloads/cuda/backend.h"
#include "workloads/cuda/rendezvous.h"
#include "workloads/rank/program.h"

namespace {

using namespace scalestudy;

constexpr std::size_t kSlots = 3;
constexpr std::size_t kElements = 100003;

std::unique_ptr<comm::Comm> connect(cuda::Backend& cuda,
                                    device::Device& device,
                                    const rank::World& world,
                                    bool has_nodes) {
  comm::NcclOptions options{.rank = world.rank(), .size = world.size(), .timeout_s = 2.0};
  if (world.rank() == 0) {
    options.id = cuda.make_nccl_id();
  }
  world.send_from_root(options.id);
  if (has_nodes) {
    options.node = world.rank() / 2;
  }
  return cuda.make_nccl_comm(device, options, kSlots);
}

enum class Calls { kStarted, kBlocking };

// Element i of slot s is (rank + 1) (s + 1) + i mod 2: sums over 8 ranks are exact in every type.
// Returns how many sums are wrong.
template <typename T>
std::size_t count_wrong(comm::Comm& comm,
                        device::Device& device,
                        const rank::World& world,
                        Calls calls) {
  constexpr std::size_t count = kElements;
  device::Arena arena(device);
  std::vector<comm::Buffer> buffers;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = T(static_cast<float>((world.rank() + 1) * static_cast<int>(slot + 1) +
                                       static_cast<int>(i % 2)));
    }
    buffers.push_back({arena.take<T>(count).data(), count, device::kDataType<T>});
    device.copy_to_device(buffers.back().data, values.data(), count * sizeof(T));
  }
  for (std::size_t slot = 0; slot + 1 < kSlots; ++slot) {
    if (calls == Calls::kBlocking) {
      comm.run({comm::Operation::kAllReduce, buffers[slot]}, device::Interval{0, 1});
    } else {
      comm.start(slot, {comm::Operation::kAllReduce, buffers[slot]}, device::Interval{0, 1});
    }
  }
  for (std::size_t slot = 0; calls == Calls::kStarted && slot + 1 < kSlots; ++slot) {
    comm.wait(slot);
  }
  comm.run({comm::Operation::kAllReduce, buffers.back()}, std::nullopt);

  const int size = world.size();
  std::size_t wrong = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    std::vector<T> sums(count);
    device.copy_to_host(sums.data(), buffers[slot].data, count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
      const int expected =
          size * (size + 1) / 2 * static_cast<int>(slot + 1) + size * static_cast<int>(i % 2);
      wrong += static_cast<float>(sums[i]) == static_cast<float>(expected) ? 0 : 1;
    }
  }
  return wrong + (device.elapsed_s(0, 1) > 0.0 ? 0 : 1);
}

// Each rank's part of a sum, in place, then all parts from all ranks: the sums again.
template <typename T>
std::size_t count_wrong_parts(comm::Comm& comm, device::Device& device, const rank::World& world) {
  const auto size = static_cast<std::size_t>(world.size());
  const std::size_t count = 1000;
  device::Arena arena(device);
  std::vector<T> values(size * count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = T(static_cast<float>(world.rank() + 1 + static_cast<int>(i / count)));
  }
  const std::span<T> memory = arena.take<T>(values.size());
  device.copy_to_device(memory.data(), values.data(), memory.size_bytes());
  const comm::Buffer whole{memory.data(), memory.size(), device::kDataType<T>};
  const comm::Buffer part{
      memory.data() + static_cast<std::size_t>(world.rank()) * count, count, whole.type};
  comm.run({comm::Operation::kReduceScatter, whole, part}, std::nullopt);
  comm.run({comm::Operation::kAllGather, whole, part}, std::nullopt);

  device.copy_to_host(values.data(), memory.data(), memory.size_bytes());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t expected = size * (size + 1) / 2 + size * (i / count);
    wrong += static_cast<float>(values[i]) == static_cast<float>(expected) ? 0 : 1;
  }
  return wrong;
}

int check_sums(comm::Comm& comm, device::Device& device, const rank::World& world, Calls calls) {
  device.reserve_marks(2);
  const std::size_t wrong = count_wrong<float>(comm, device, world, calls) +
                            count_wrong<device::Bf16>(comm, device, world, calls) +
                            count_wrong<device::Half>(comm, device, world, calls) +
                            count_wrong_parts<float>(comm, device, world) +
                            count_wrong_parts<device::Bf16>(comm, device, world) +
                            count_wrong_parts<device::Half>(comm, device, world);
  std::printf("rank %d: %zu wrong\n", world.rank(), wrong);
  return wrong == 0 ? 0 : 1;
}

int wait_for_nobody(comm::Comm& comm, device::Device& device, const rank::World& world) {
  device::Arena arena(device);
  const comm::Buffer buffer{arena.take<float>(1000).data(), 1000, device::DataType::kFloat32};
  const comm::Exchange exchange{comm::Operation::kAllReduce, buffer};
  comm.run(exchange, std::nullopt);
  device.wait();
  if (world.rank() == 1) {
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return 0;
  }
  comm.run(exchange, std::nullopt);
  device.wait();
  comm.run(exchange, std::nullopt);  // says what the watchdog found
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer*) {
    const std::string mode = argv[1];
    cuda::Backend& cuda = cuda::load_backend();
    const auto device = cuda.make_device(cuda::own_device(cuda, world));
    if (mode == "sums" && std::string(argv[2]) == "staged") {
      const auto cpu = device::make_cpu_device();
      const auto host = comm::make_mpi_comm(*cpu, kSlots);
      const auto staged = cuda.make_staged_comm(*device, *host, kElements * sizeof(float));
      return check_sums(*staged, *device, world, Calls::kBlocking);
    }
    const auto nccl =
        connect(cuda, *device, world, mode == "sums" && std::string(argv[2]) == "nodes");
    return mode == "sums" ? check_sums(*nccl, *device, world, Calls::kStarted)
                          : wait_for_nobody(*nccl, *device, world);
  });
}
