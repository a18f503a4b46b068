"""An ordinary training script: PyTorch's DistributedDataParallel over gloo, one line a step.

torchrun --nproc_per_node=2 train_ddp.py --batch 256 --steps 30
"""
import argparse
import time

import torch
from torch import distributed, nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=256, help="samples of a step over all ranks")
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--width", type=int, default=512)
arguments = parser.parse_args()

distributed.init_process_group("gloo")
torch.manual_seed(0)
width = arguments.width
layers = [nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)]
model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(arguments.batch // distributed.get_world_size(), width)
for step in range(arguments.steps):
    begin = time.perf_counter()
    optimizer.zero_grad()
    loss = (model(data) - data.mean(dim=1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    if distributed.get_rank() == 0:
        taken_ms = 1e3 * (time.perf_counter() - begin)
        print(f"step {step}: loss {loss.item():.5f}, {taken_ms:.3f} ms", flush=True)
distributed.destroy_process_group()
