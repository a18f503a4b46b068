#!/bin/sh
# One trial of studies/pytorch-peer.yaml: run_peer.sh PROGRAM DEVICES BATCH_PER_DEVICE [flags that both take]
set -eu
program=$1 devices=$2 batch=$3
shift 3
unset SCALESTUDY_PARAMETERS # its names are the study's, not scalestudy-train's
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # as in containers
export OMPI_MCA_plm_rsh_agent=true # nothing starts elsewhere: no ssh is needed
bind=core
case " $* " in *" --backend=cuda "*) bind=none ;; esac
case $program in
  scalestudy)
    mpirun -n "$devices" --bind-to $bind scalestudy-train --timing=light \
      --batch-per-device="$batch" --warmup-steps=5 --measured-steps=20 "$@"
    ;;
  pytorch)
    rendezvous=$(mktemp -u)
    mpirun -n "$devices" --bind-to $bind python3 tests/bench/torch/peer.py --rendezvous="$rendezvous" \
      --batch="$batch" --warmup=5 --steps=20 "$@"
    rm -f "$rendezvous"
    ;;
  *)
    echo "run_peer.sh: there is no program \"$program\": pytorch or scalestudy" >&2
    exit 2
    ;;
esac
