// The largest gradients by a sort of all sizes, which is stable: of equal ones the first.
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>

#include "workloads/ops/cuda/cuda_launch.cuh"
#include "workloads/ops/cuda/cuda_prepared.h"

namespace scalestudy::ops {
namespace {

// What a part consists of: places of 16-bit values are aligned to them alone.
template <typename T>
using Word = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;

template <typename T>
__device__ void put_place(Word<T>* places, std::size_t i, std::uint32_t place) {
  if constexpr (sizeof(T) == 2) {
    places[2 * i] = static_cast<std::uint16_t>(place);
    places[2 * i + 1] = static_cast<std::uint16_t>(place >> 16U);
  } else {
    places[i] = place;
  }
}

template <typename T>
__device__ std::uint32_t get_place(const Word<T>* places, std::size_t i) {
  if constexpr (sizeof(T) == 2) {
    return places[2 * i] | static_cast<std::uint32_t>(places[2 * i + 1]) << 16U;
  } else {
    return places[i];
  }
}

template <typename T>
class CudaTopK final : public TopK<T> {
 public:
  CudaTopK(std::size_t most, const Launch& launch, device::Arena& arena)
      : launch_(launch),
        places_(arena.take<std::uint32_t>(most).data()),
        keys_(arena.take<std::uint32_t>(most).data()),
        sorted_places_(arena.take<std::uint32_t>(most).data()),
        sorted_keys_(arena.take<std::uint32_t>(most).data()) {
    number_places(most);
    std::size_t bytes = 0;
    CUDA_CHECK(sort(nullptr, bytes, most));
    sort_space_ = arena.take<std::byte>(bytes);
  }

  // nvcc takes no device lambda inside a constructor, nor in a private function.
  void number_places(std::size_t most) {
    std::uint32_t* const places = places_;
    for_each(
        most,
        [=] __device__(std::size_t i) { places[i] = static_cast<std::uint32_t>(i); },
        launch_.stream);
  }

  void pack(std::span<const T> gradients,
            std::span<float> residuals,
            std::size_t sent,
            std::byte* part) override {
    const T* const gradient = gradients.data();
    float* const residual = residuals.data();
    std::uint32_t* const keys = keys_;
    for_each(
        gradients.size(),
        [=] __device__(std::size_t i) {
          residual[i] += static_cast<float>(gradient[i]);
          keys[i] = ~(device::float_bits(residual[i]) & 0x7FFFFFFFU);  // the largest comes first
        },
        launch_.stream);
    std::size_t bytes = sort_space_.size();
    CUDA_CHECK(sort(sort_space_.data(), bytes, gradients.size()));
    const std::uint32_t* const sorted = sorted_places_;
    T* const values = values_of(part);
    Word<T>* const places = places_of(part, sent);
    for_each(
        sent,
        [=] __device__(std::size_t i) {
          float& left = residual[sorted[i]];
          const T value(left);
          values[i] = value;
          put_place<T>(places, i, sorted[i]);
          left -= static_cast<float>(value);
        },
        launch_.stream);
  }

  void unpack(const std::byte* parts,
              std::size_t ranks,
              std::size_t sent,
              std::span<T> gradients) override {
    T* const gradient = gradients.data();
    const std::size_t count = gradients.size();
    CUDA_CHECK(cudaMemsetAsync(gradient, 0, gradients.size_bytes(), launch_.stream));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::byte* const part = parts + rank * top_k_part_bytes(sent, sizeof(T));
      const T* const values = values_of(part);
      const Word<T>* const places = places_of(part, sent);
      for_each(
          sent,
          [=] __device__(std::size_t i) {
            const std::uint32_t place = get_place<T>(places, i);
            // A part that never came is all zeros: its places are one place, for one thread.
            const bool is_again = i > 0 && get_place<T>(places, i - 1) == place;
            if (place < count && !is_again) {
              gradient[place] =
                  T(static_cast<float>(gradient[place]) + static_cast<float>(values[i]));
            }
          },
          launch_.stream);
    }
  }

 private:
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): a part is of both
  template <typename Byte>
  static auto values_of(Byte* part) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<Byte>, const T, T>*>(part);
  }
  template <typename Byte>
  static auto places_of(Byte* part, std::size_t sent) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<Byte>, const Word<T>, Word<T>>*>(
        part + sent * sizeof(T));
  }
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)

  // Without `space` it only sets how many bytes it needs.
  cudaError_t sort(void* space, std::size_t& bytes, std::size_t count) {
    return cub::DeviceRadixSort::SortPairs(space,
                                           bytes,
                                           keys_,
                                           sorted_keys_,
                                           places_,
                                           sorted_places_,
                                           count,
                                           0,
                                           8 * static_cast<int>(sizeof(std::uint32_t)),
                                           launch_.stream);
  }

  Launch launch_;
  std::uint32_t* places_;         // 0, 1, 2 ...
  std::uint32_t* keys_;           // of each gradient
  std::uint32_t* sorted_places_;  // those of the largest gradients first
  std::uint32_t* sorted_keys_;
  std::span<std::byte> sort_space_;
};

}  // namespace

template <typename T>
std::unique_ptr<TopK<T>> make_cuda_top_k(std::size_t most,
                                         const Launch& launch,
                                         device::Arena& arena) {
  return std::make_unique<CudaTopK<T>>(most, launch, arena);
}

template decltype(make_cuda_top_k<float>) make_cuda_top_k<float>;
template decltype(make_cuda_top_k<device::Bf16>) make_cuda_top_k<device::Bf16>;
template decltype(make_cuda_top_k<device::Half>) make_cuda_top_k<device::Half>;

}  // namespace scalestudy::ops
