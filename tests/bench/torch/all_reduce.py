"""One rank of the all-reduce bench's PyTorch peer: gloo, started by mpirun with the same binding.

Rank 0 prints "BYTES SECONDS" a size: the median over rounds of the slowest rank's time of one
operation, in batches as large as those of all_reduce_ranks.cc.
"""
import argparse
import os
import statistics
import time

WARMUP = 2
ROUNDS = 11


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="+", metavar="BYTES")
    parser.add_argument("--rendezvous", required=True, help="a file that does not exist yet")
    arguments = parser.parse_args()
    import torch
    import torch.distributed as distributed

    torch.set_num_threads(1)
    rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
    ranks = int(os.environ["OMPI_COMM_WORLD_SIZE"])
    distributed.init_process_group(
        "gloo", init_method=f"file://{arguments.rendezvous}", rank=rank, world_size=ranks
    )
    for size in arguments.sizes:
        operations = min(max((1 << 20) // size, 1), 100)
        buffer = torch.zeros(size // 4)
        times_s = []
        for _ in range(WARMUP + ROUNDS):
            distributed.barrier()
            begin_s = time.perf_counter()
            for _ in range(operations):
                distributed.all_reduce(buffer)
            slowest = torch.tensor([(time.perf_counter() - begin_s) / operations],
                                   dtype=torch.float64)
            distributed.all_reduce(slowest, op=distributed.ReduceOp.MAX)
            times_s.append(slowest.item())
        if rank == 0:
            print(size, statistics.median(times_s[WARMUP:]))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
