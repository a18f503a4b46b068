#include "workloads/train/device/host_copies.h"

#include "workloads/rank/clock.h"

namespace scalestudy::train {

std::span<std::byte> HostCopies::copy(std::span<std::byte> block) {
  if (device_.is_host_memory() || block.empty()) {
    return block;
  }
  std::vector<std::byte>& bytes = copies_[block.data()];
  bytes.resize(block.size());
  device_.wait();
  const double begin_s = rank::now_s();
  device_.copy_to_host(bytes.data(), block.data(), block.size());
  time_s_ += rank::now_s() - begin_s;
  return bytes;
}

void HostCopies::put() {
  for (const auto& [to, bytes] : copies_) {
    device_.copy_to_device(to, bytes.data(), bytes.size());
  }
}

}  // namespace scalestudy::train
