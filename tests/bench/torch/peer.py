"""One rank of the PyTorch peer of scalestudy-train: the same model, batch, optimizer and exchange.

Started by mpirun with the binding that the peer gets; ranks meet over gloo, on GPUs over NCCL, through
--rendezvous. Rank 0 prints the median step time in seconds over all steps but the first --warmup, or
writes all to SCALESTUDY_OUTPUT as a trial's record; a step takes as long as its slowest rank. 16-bit
types are autocast's: parameters and their gradients stay fp32.
"""
import argparse
import importlib
import os
import pathlib
import statistics
import sys
import time

# The module whose Problem(name) is the model: .network, .batch(samples) -> inputs and targets,
# .loss(output, targets).
MODULES = {
    "mlp-4096": "mlp",
    "gpt-tiny": "gpt",
    "gpt2-124m": "gpt",
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
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--precision", choices=("fp32", "tf32", "bf16", "fp16"), default="fp32")
    parser.add_argument("--optimizer", choices=("sgd", "adamw"), default="sgd")
    return parser.parse_args()


class Clock:
    """Ends of steps; on a GPU those of its stream, so that the host need not wait for each."""

    def __init__(self, torch, is_cuda):
        self.torch, self.is_cuda, self.marks = torch, is_cuda, []

    def mark(self):
        if self.is_cuda:
            self.marks.append(self.torch.cuda.Event(enable_timing=True))
            self.marks[-1].record()
        else:
            self.marks.append(time.perf_counter())

    def times_s(self):
        pairs = list(zip(self.marks, self.marks[1:]))
        if not self.is_cuda:
            return [end - begin for begin, end in pairs]
        self.torch.cuda.synchronize()
        return [1e-3 * begin.elapsed_time(end) for begin, end in pairs]


def report(times_s, window_s, arguments, ranks, parameter_count):
    if "SCALESTUDY_OUTPUT" not in os.environ:
        print(statistics.median(times_s[arguments.warmup:]))
        return
    sys.path.append(str(pathlib.Path(__file__).parents[3] / "workloads" / "protocol"))
    from scalestudy_trial import Trial

    trial = Trial("pytorch", ranks=ranks, parameter_count=parameter_count)
    trial.samples("step_time_s", "s", times_s, warmup=arguments.warmup)
    trial.samples("window_time_s", "s", [window_s])
    trial.end()


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
    is_cuda = arguments.backend == "cuda"
    device = torch.device("cpu")
    if is_cuda:
        device = torch.device("cuda", int(os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
        is_tf32 = arguments.precision != "fp32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_tf32
        torch.backends.cudnn.benchmark = True
    elif arguments.precision != "fp32":
        sys.exit("peer.py: a CPU computes fp32 here; give --backend=cuda")
    problem = importlib.import_module(MODULES[arguments.model]).Problem(arguments.model)
    network = problem.network.to(device)
    parameter_count = sum(parameter.numel() for parameter in network.parameters())
    if ranks > 1:
        distributed.init_process_group(
            "nccl" if is_cuda else "gloo",
            init_method=f"file://{arguments.rendezvous}",
            rank=rank,
            world_size=ranks,
        )
        network = torch.nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True)
    if arguments.optimizer == "sgd":
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    else:
        fused = {"fused": True} if is_cuda else {}
        optimizer = torch.optim.AdamW(network.parameters(), lr=0.001, weight_decay=0.0, **fused)
    inputs, targets = (part.to(device) for part in problem.batch(arguments.batch))
    half = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(arguments.precision)
    autocast = torch.autocast(arguments.backend, dtype=half, enabled=half is not None)
    scaler = torch.cuda.amp.GradScaler(enabled=half == torch.float16)

    clock = Clock(torch, is_cuda)
    clock.mark()
    for _ in range(arguments.warmup + arguments.steps):
        optimizer.zero_grad(set_to_none=True)
        with autocast:
            loss = problem.loss(network(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        clock.mark()
    own_s = clock.times_s()
    window_s = sum(own_s[arguments.warmup:])
    slowest = torch.tensor([*own_s, window_s], dtype=torch.float64, device=device)
    if ranks > 1:
        distributed.all_reduce(slowest, op=distributed.ReduceOp.MAX)
    if rank == 0:
        *times_s, window_s = slowest.tolist()
        report(times_s, window_s, arguments, ranks, parameter_count)


if __name__ == "__main__":
    main()
