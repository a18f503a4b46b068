"""What scalestudy-train --write-start wrote, as tensors of PyTorch (workloads/train/saves/start_files.h)."""
import torch
from torch import nn


def read(path, dtype):
    """All of the file, in memory."""
    count = path.stat().st_size // torch.empty(0, dtype=dtype).element_size()
    return torch.from_file(str(path), size=count, dtype=dtype).clone()


def tensors(network):
    """In the order of the file, which is that in which gradients become ready; weights as (inputs, outputs)."""
    for module in reversed(list(network.modules())):
        if isinstance(module, nn.Linear):
            yield from (module.bias, module.weight.t())
        elif isinstance(module, nn.LayerNorm):
            yield from (module.weight, module.bias)
        elif isinstance(module, nn.Embedding):
            yield module.weight


@torch.no_grad()
def load_parameters(folder, network):
    values = read(folder / "parameters.f32", torch.float32)
    wanted = sum(parameter.numel() for parameter in network.parameters())
    if sum(tensor.numel() for tensor in tensors(network)) != wanted:
        raise SystemExit("peer.py: --start is for MLPs and GPT models: the others' tensors are laid out otherwise")
    if values.numel() != wanted:
        raise SystemExit(f"peer.py: {folder} has {values.numel()} parameters, the network {wanted}")
    for tensor in tensors(network):
        tensor.copy_(values[: tensor.numel()].view(tensor.shape))
        values = values[tensor.numel() :]


def load_batches(folder, problem, batch, rank, ranks):
    """This rank's inputs and targets, a pair a batch; steps take them in turn."""
    is_tokens = (folder / "inputs.i32").exists()
    inputs = read(folder / "inputs.i32", torch.int32).long() if is_tokens else read(folder / "inputs.f32", torch.float32)
    targets = read(folder / "labels.i32", torch.int32).long()
    batch_global = int((folder / "batch_global").read_text())
    if batch_global != ranks * batch:
        raise SystemExit(f"peer.py: {folder} is of batches of {batch_global} samples, not of {ranks} times {batch}")
    inputs = inputs.view(-1, ranks, batch, problem.input_width)
    targets = targets.view(-1, ranks, batch, *problem.target_shape)
    return [(inputs[i, rank], targets[i, rank]) for i in range(len(inputs))]
