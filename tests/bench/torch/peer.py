"""One rank of the PyTorch peer of scalestudy-train: the same model, batch, optimizer and exchange.

Started by mpirun with the binding that the peer gets; ranks meet over gloo through --rendezvous.
Rank 0 prints the median step time in seconds over all steps but the first --warmup; a step takes as
long as its slowest rank.
"""
import argparse
import importlib
import os
import statistics
import time

# The module whose Problem(name) is the model: .network, .batch(samples) -> inputs and targets,
# .loss(output, targets).
MODULES = {
    "mlp-4096": "mlp",
    "gpt-tiny": "gpt",
    "resnet50-cifar": "resnet",
    "resnet50": "resnet",
    "lstm-332k": "recurrent",
    "gru-250k": "recurrent",
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODULES, required=True)
    parser.add_argument("--batch", type=int, required=True, help="samples of a step on each rank")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--rendezvous", help="a file that does not exist yet")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    # Read when the libraries are loaded, so before the import.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(arguments.threads)
    import torch
    import torch.distributed as distributed

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
    ranks = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
    problem = importlib.import_module(MODULES[arguments.model]).Problem(arguments.model)
    network = problem.network
    if ranks > 1:
        distributed.init_process_group(
            "gloo", init_method=f"file://{arguments.rendezvous}", rank=rank, world_size=ranks
        )
        network = torch.nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    inputs, targets = problem.batch(arguments.batch)

    times_s = []
    for _ in range(arguments.warmup + arguments.steps):
        begin_s = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        problem.loss(network(inputs), targets).backward()
        optimizer.step()
        times_s.append(time.perf_counter() - begin_s)
    slowest = torch.tensor(times_s[arguments.warmup:], dtype=torch.float64)
    if ranks > 1:
        distributed.all_reduce(slowest, op=distributed.ReduceOp.MAX)
    if rank == 0:
        print(statistics.median(slowest.tolist()))


if __name__ == "__main__":
    main()
