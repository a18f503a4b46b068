"""ResNet-50 as torchvision builds it, with the stem the zoo gives small images."""
import torch
from torch import nn

# large stem, classes, pixels of a side
SHAPES = {"resnet50-cifar": (False, 10, 32), "resnet50": (True, 1000, 224)}


class Bottleneck(nn.Module):
    def __init__(self, channels, inner, stride):
        super().__init__()
        outer = 4 * inner
        self.path = nn.Sequential(
            nn.Conv2d(channels, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(inplace=True),
            nn.Conv2d(inner, inner, 3, stride, 1, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(inplace=True),
            nn.Conv2d(inner, outer, 1, bias=False),
            nn.BatchNorm2d(outer),
        )
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != outer:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, outer, 1, stride, bias=False), nn.BatchNorm2d(outer)
            )

    def forward(self, x):
        return torch.relu_(self.path(x) + self.shortcut(x))


def resnet50(large_stem, classes):
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False)] if large_stem else [nn.Conv2d(3, 64, 3, 1, 1, bias=False)]
    stem += [nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    if large_stem:
        stem.append(nn.MaxPool2d(3, 2, 1))
    blocks = []
    channels = 64
    for stage, count in enumerate([3, 4, 6, 3]):
        for block in range(count):
            blocks.append(Bottleneck(channels, 64 << stage, 2 if stage > 0 and block == 0 else 1))
            channels = 4 * (64 << stage)
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]
    return nn.Sequential(*stem, *blocks, *head)


class Problem:
    def __init__(self, name):
        large_stem, self.classes, self.side = SHAPES[name]
        # Channels last is the faster layout of the two here, and the one the zoo has.
        self.network = resnet50(large_stem, self.classes).to(memory_format=torch.channels_last)

    def batch(self, samples):
        images = torch.randn(samples, 3, self.side, self.side)
        return images.to(memory_format=torch.channels_last), torch.randint(self.classes, (samples,))

    def loss(self, output, targets):
        return nn.functional.cross_entropy(output, targets)
