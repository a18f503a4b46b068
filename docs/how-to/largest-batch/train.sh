#!/bin/bash
# Stands for a training program: its memory ends between batch 92 and 107, differently in each run.
batch=$1
if [ "$batch" -gt $((92 + RANDOM % 16)) ]; then
  echo "torch.cuda.OutOfMemoryError: CUDA out of memory." >&2
  exit 1
fi
for step in 1 2 3 4 5; do
  us=$((20000 + 300 * batch + RANDOM % 400))
  sleep "0.0$us"
  echo "step $step: $us us"
done
