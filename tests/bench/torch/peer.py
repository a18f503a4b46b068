"""One rank of PyTorch beside scalestudy-train, with its flags: the same model, batch, optimizer and strategy.

Started by mpirun with the binding that the peer gets; ranks meet over gloo, on GPUs over NCCL, through
--rendezvous. With --start it begins as that does, from a folder of scalestudy-train --write-start: the
same parameters, and in each step the same samples. Rank 0 prints the median step time in seconds over all
steps but the first --warmup-steps, or writes all to SCALESTUDY_OUTPUT as a trial's record; a step takes as
long as its slowest rank. 16-bit types are autocast's, with fsdp those of its mixed precision: parameters
stay fp32.
"""
import argparse
import importlib
import os
import pathlib
import statistics
import sys
import time

UNSUPPORTED = 77  # the exit code that makes a trial unsupported instead of failed

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
    parser.add_argument("--model-layers", type=int, help="of mlp-4096 and GPT; else the model's own")
    parser.add_argument("--strategy", choices=("ddp", "fsdp"), default="ddp")
    parser.add_argument("--batch-per-device", type=int, required=True, help="samples of a step on each rank")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--warmup-steps", type=int, default=5)
    parser.add_argument("--measured-steps", type=int, default=15)
    parser.add_argument("--rendezvous", help="a file that does not exist yet; not needed by ddp of one rank")
    parser.add_argument("--start", type=pathlib.Path, help="else random parameters, and one random batch")
    parser.add_argument("--train-samples", help="not read: --start has them")
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


def end_unsupported(message):
    print(f"peer.py: {message}", file=sys.stderr)
    sys.exit(UNSUPPORTED)


def has_bf16_cores():
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "avx512_bf16" in flags or "amx_bf16" in flags


def shard(network, half):
    """FSDP with a unit for each layer or block, and one for what lies around them."""
    import torch

    try:
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    except ImportError:
        end_unsupported(f"PyTorch {torch.__version__} has no torch.distributed.fsdp.fully_shard; 2.6 has")
    if half == torch.float16:
        end_unsupported("fsdp in fp16 wants another scaler of losses; give bf16")
    for unit in getattr(network, "blocks", network.children()):
        if any(True for _ in unit.parameters()):
            fully_shard(unit, mp_policy=MixedPrecisionPolicy(param_dtype=half))
    return fully_shard(network, mp_policy=MixedPrecisionPolicy(half, output_dtype=torch.float32))


def report(times_s, window_s, losses, arguments, ranks, facts):
    warmup = arguments.warmup_steps
    if "SCALESTUDY_OUTPUT" not in os.environ:
        print(statistics.median(times_s[warmup:]))
        return
    sys.path.append(str(pathlib.Path(__file__).parents[3] / "workloads" / "protocol"))
    from scalestudy_trial import Trial

    trial = Trial("pytorch", ranks=ranks, **facts)
    trial.samples("step_time_s", "s", times_s, warmup=warmup)
    trial.samples("window_time_s", "s", [window_s])
    trial.samples("loss", "1", losses, warmup=warmup)
    trial.end()


def main():
    arguments = parse_arguments()
    # Read when the libraries are loaded, so before the import.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(arguments.threads)
    import torch
    import torch.distributed as distributed

    import start

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
    elif arguments.precision == "bf16" and not has_bf16_cores():
        end_unsupported("these cores do not multiply bf16, and PyTorch would in fp32; give fp32")
    elif arguments.precision not in ("fp32", "bf16"):
        sys.exit("peer.py: a CPU computes fp32 or bf16 here; give --backend=cuda")
    shape = {} if arguments.model_layers is None else {"layers": arguments.model_layers}
    problem = importlib.import_module(MODULES[arguments.model]).Problem(arguments.model, **shape)
    network = problem.network
    facts = {"parameter_count": sum(parameter.numel() for parameter in network.parameters())}
    if hasattr(problem, "tokens"):
        facts["tokens_per_sample"] = problem.tokens
    if arguments.start:
        start.load_parameters(arguments.start, network)
        batches = start.load_batches(arguments.start, problem, arguments.batch_per_device, rank, ranks)
    else:
        batches = [problem.batch(arguments.batch_per_device)]
    batches = [(inputs.to(device), targets.to(device)) for inputs, targets in batches]
    network = network.to(device)
    half = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(arguments.precision)
    is_fsdp = arguments.strategy == "fsdp"
    if ranks > 1 or is_fsdp:
        distributed.init_process_group(
            "nccl" if is_cuda else "gloo",
            init_method=f"file://{arguments.rendezvous}",
            rank=rank,
            world_size=ranks,
        )
    if is_fsdp:
        network = shard(network, half)
    elif ranks > 1:
        network = torch.nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True)
    if arguments.optimizer == "sgd":
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    else:
        fused = {"fused": True} if is_cuda else {}
        optimizer = torch.optim.AdamW(network.parameters(), lr=0.001, weight_decay=0.0, **fused)
    autocast = torch.autocast(arguments.backend, dtype=half, enabled=half is not None and not is_fsdp)
    make_scaler = getattr(torch.amp, "GradScaler", torch.cuda.amp.GradScaler)  # the first from PyTorch 2.3
    scaler = make_scaler(enabled=half == torch.float16)

    losses = []
    clock = Clock(torch, is_cuda)
    clock.mark()
    for step in range(arguments.warmup_steps + arguments.measured_steps):
        inputs, targets = batches[step % len(batches)]
        optimizer.zero_grad(set_to_none=True)
        with autocast:
            loss = problem.loss(network(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach())
        clock.mark()
    own_s = clock.times_s()
    window_s = sum(own_s[arguments.warmup_steps:])
    slowest = torch.tensor([*own_s, window_s], dtype=torch.float64, device=device)
    mean_losses = torch.stack(losses).double() / ranks  # each rank's is the mean over its samples
    if ranks > 1:
        distributed.all_reduce(slowest, op=distributed.ReduceOp.MAX)
        distributed.all_reduce(mean_losses)
    if rank == 0:
        *times_s, window_s = slowest.tolist()
        report(times_s, window_s, mean_losses.tolist(), arguments, ranks, facts)
    if distributed.is_initialized():
        distributed.barrier()
        distributed.destroy_process_group()
        # Python is not taken down: of fsdp over gloo a thread that still runs then aborts one run in ten,
        # when all is done ("terminate called without an active exception").
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
