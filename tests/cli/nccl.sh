#!/bin/sh
# A stand-in for a program that uses NCCL, in tests of the command line: it logs as NCCL does, goes by
# NCCL_ALGO (Ring is faster) and by no NCCL_PROTO, although the times differ by that too.
if [ -n "$NCCL_DEBUG_FILE" ]; then
  log=$(dirname "$NCCL_DEBUG_FILE")/nccl.here.$$.log
  algorithm=TREE
  [ "$NCCL_ALGO" = Ring ] && algorithm=RING
  for name in NCCL_ALGO NCCL_PROTO; do
    eval "value=\$$name"
    [ -z "$value" ] || echo "here:$$:$$ [0] NCCL INFO $name set by environment to $value" >>"$log"
  done
  echo "here:$$:$$ [0] NCCL INFO AllReduce: 1024 Bytes -> Algo $algorithm proto LL channel{Lo..Hi}={0..1}" >>"$log"
fi
time=0.010
[ "$NCCL_ALGO" = Ring ] && time=0.008
[ "$NCCL_PROTO" = Simple ] && time=0.005
LC_ALL=C awk -v time="$time" -v seed="$SCALESTUDY_TRIAL" 'BEGIN {
  srand(seed)
  for (i = 0; i < 6; i++) printf "step %.6f s\n", time * (1 + 0.01 * (rand() - 0.5))
}'
