#!/bin/sh
# One trial of studies/pytorch-peer.yaml: run_peer.sh PROGRAM DEVICES [flags of scalestudy-train, which peer.py takes too]
set -eu
program=$1 devices=$2
shift 2
unset SCALESTUDY_PARAMETERS # its names are the study's, not scalestudy-train's
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # as in containers
export OMPI_MCA_plm_rsh_agent=true # nothing starts elsewhere: no ssh is needed
export GLOO_SOCKET_IFNAME="${GLOO_SOCKET_IFNAME-lo}" # the host's name may lead nowhere
bind=core
case " $* " in *" --backend=cuda "*) bind=none ;; esac
on_ranks() { mpirun -n "$devices" --bind-to "$bind" "$@"; }
case $program in
  scalestudy)
    on_ranks scalestudy-train --vary-seed=true --timing=light "$@"
    ;;
  pytorch)
    if ! python3 -c 'import sys, importlib.util as u; sys.exit(u.find_spec("torch") is None)'; then
      echo "run_peer.sh: $(command -v python3) has no torch; pip install torch, or python3-torch of Debian" >&2
      exit 77 # the trial is unsupported
    fi
    # What the other begins with: the same seed in the same block (SCALESTUDY_BLOCK).
    start=$(mktemp -d)
    trap 'rm -rf "$start"' EXIT
    env -u SCALESTUDY_OUTPUT scalestudy-train --write-start "$start" --vary-seed=true --devices="$devices" "$@"
    on_ranks python3 tests/bench/torch/peer.py --start="$start" --rendezvous="$start/rendezvous" "$@"
    ;;
  *)
    echo "run_peer.sh: there is no program \"$program\": pytorch or scalestudy" >&2
    exit 2
    ;;
esac
