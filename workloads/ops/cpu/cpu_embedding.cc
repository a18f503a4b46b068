// Embedding on the CPU: each thread owns columns, so that gradients of one token are added in
// order.
#include <algorithm>
#include <compare>
#include <span>
#include <type_traits>

#include "workloads/device/data_type.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/cpu/cpu_transformer.h"

namespace scalestudy::ops {
namespace {

template <typename To, typename From>
SCALESTUDY_VECTORISED void add_to(To* sums, const From* values, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = device::rounded<To>(sums[i] + values[i]);
  }
}

template <typename T>
class CpuEmbedding final : public Embedding<T> {
  using Real = device::Real<T>;
  static constexpr bool kIsRounded = !std::is_same_v<T, Real>;

 public:
  CpuEmbedding(const EmbeddingShape& shape, int threads, device::Arena& arena)
      : shape_(shape), threads_(threads), arena_(arena) {
    if constexpr (kIsRounded) {
      arena.reserve_scratch(row_count() * sizeof(Row));
    }
  }

  void forward(const std::int32_t* tokens, const T* table, const T* positions, T* y) override {
    const std::size_t width = shape_.width;
    for_parts(threads_, shape_.batch * shape_.tokens, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        std::copy_n(table + static_cast<std::size_t>(tokens[row]) * width, width, y + row * width);
        if (shape_.has_positions) {
          add_to(y + row * width, positions + row % shape_.tokens * width, width);
        }
      }
    });
  }

  void backward(const std::int32_t* tokens, const T* dy, T* dtable, T* dpositions) override {
    const std::span<const Row> rows = kIsRounded ? sort_rows(tokens) : std::span<const Row>();
    for_parts(threads_, shape_.width, [&](std::size_t begin, std::size_t end) {
      if (!shape_.is_tied) {
        clear(dtable, begin, end);
      }
      if constexpr (kIsRounded) {
        sum_tokens(rows, dy, dtable, begin, end);
      } else {
        for (std::size_t row = 0; row < row_count(); ++row) {
          const auto token = static_cast<std::size_t>(tokens[row]);
          add_to(
              dtable + token * shape_.width + begin, dy + row * shape_.width + begin, end - begin);
        }
      }
      if (shape_.has_positions) {
        sum_positions(dy, dpositions, begin, end);
      }
    });
  }

 private:
  struct Row {
    std::int32_t token;
    std::size_t row;

    // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the comparison with 0 for a pointer's
    auto operator<=>(const Row&) const = default;
  };

  std::size_t row_count() const { return shape_.batch * shape_.tokens; }

  // All rows in the order of tokens, in memory that operations share.
  std::span<const Row> sort_rows(const std::int32_t* tokens) const {
    const std::span<Row> rows(static_cast<Row*>(arena_.scratch()), row_count());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row] = {tokens[row], row};
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  // Columns [begin, end) of the table become zero.
  void clear(T* table, std::size_t begin, std::size_t end) const {
    for (std::size_t row = 0; row < shape_.vocabulary; ++row) {
      std::fill(table + row * shape_.width + begin, table + row * shape_.width + end, T{});
    }
  }

  // Adds the gradients of each token's rows, and rounds their sum once.
  // - rows: in the order of tokens
  void sum_tokens(
      std::span<const Row> rows, const T* dy, T* dtable, std::size_t begin, std::size_t end) const {
    for (auto row = rows.begin(); row != rows.end();) {
      const auto next = std::find_if(
          row, rows.end(), [&](const Row& other) { return other.token != row->token; });
      T* const sums = dtable + static_cast<std::size_t>(row->token) * shape_.width;
      sum_columns_of(sums, begin, end, [&](std::size_t first, std::size_t last, Real* totals) {
        add_to(totals, sums + first, last - first);
        for (auto i = row; i != next; ++i) {
          add_to(totals, dy + i->row * shape_.width + first, last - first);
        }
      });
      row = next;
    }
  }

  void sum_positions(const T* dy, T* dpositions, std::size_t begin, std::size_t end) const {
    for (std::size_t token = 0; token < shape_.tokens; ++token) {
      T* const sums = dpositions + token * shape_.width;
      sum_columns_of(sums, begin, end, [&](std::size_t first, std::size_t last, Real* totals) {
        for (std::size_t sample = 0; sample < shape_.batch; ++sample) {
          const std::size_t row = sample * shape_.tokens + token;
          add_to(totals, dy + row * shape_.width + first, last - first);
        }
      });
    }
  }

  EmbeddingShape shape_;
  int threads_;
  device::Arena& arena_;
};

}  // namespace

template <typename T>
std::unique_ptr<Embedding<T>> make_cpu_embedding(const EmbeddingShape& shape,
                                                 int threads,
                                                 device::Arena& arena) {
  return std::make_unique<CpuEmbedding<T>>(shape, threads, arena);
}

template decltype(make_cpu_embedding<float>) make_cpu_embedding<float>;
template decltype(make_cpu_embedding<double>) make_cpu_embedding<double>;
template decltype(make_cpu_embedding<device::Bf16>) make_cpu_embedding<device::Bf16>;
template decltype(make_cpu_embedding<device::Half>) make_cpu_embedding<device::Half>;

}  // namespace scalestudy::ops
