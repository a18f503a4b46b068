#include "workloads/train/step/evaluator.h"

#include <vector>

namespace scalestudy::train {

template <typename T>
Evaluator<T>::Evaluator(const Options& options,
                        const rank::World& world,
                        model::Model<T>& model,
                        device::Arena& arena)
    : device_(arena.device()),
      batches_(Dataset<T>::batch_count(held_out_options(options))),
      micro_steps_(options.accumulation_steps),
      classes_(model::sample_shape(options.model).output_width),
      data_(held_out_options(options), world, model, arena) {}

template <typename T>
Evaluation Evaluator<T>::evaluate(const Predict& predict,
                                  const std::function<void()>& on_batch) const {
  Evaluation evaluation;
  for (std::size_t i = 0; i < batch_count(); ++i) {
    const Batch<T> batch = data_.batch(i / micro_steps_, i % micro_steps_);
    const ops::Matrix<T> logits = predict(batch, i);
    if (logits.rows > 0) {
      add(logits, batch.labels, evaluation);
    }
    on_batch();
  }
  return evaluation;
}

template <typename T>
void Evaluator<T>::add(const ops::Matrix<T>& logits,
                       const std::int32_t* labels,
                       Evaluation& evaluation) const {
  std::vector<T> values(logits.rows * logits.columns);
  std::vector<std::int32_t> of_rows(logits.rows);
  device_.copy_to_host(values.data(), logits.data, values.size() * sizeof(T));
  device_.copy_to_host(of_rows.data(), labels, of_rows.size() * sizeof(std::int32_t));
  std::vector<double> row(classes_);
  for (std::size_t i = 0; i < logits.rows; ++i) {
    for (std::size_t j = 0; j < classes_; ++j) {
      row[j] = static_cast<double>(values[i * logits.columns + j]);
    }
    add_prediction(row, static_cast<std::size_t>(of_rows[i]), evaluation);
  }
}

template class Evaluator<float>;
template class Evaluator<double>;
template class Evaluator<device::Bf16>;
template class Evaluator<device::Half>;

}  // namespace scalestudy::train
