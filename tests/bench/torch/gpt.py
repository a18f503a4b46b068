"""GPT as the zoo has it: pre-LayerNorm, GELU (tanh), learned positions, tied output weights."""
import math

import torch
from torch import nn
from torch.nn import functional

# layers, width, heads, vocabulary, tokens
SHAPES = {"gpt-tiny": (4, 192, 6, 1024, 128), "gpt2-124m": (12, 768, 12, 50257, 1024)}


class Attention(nn.Module):
    def __init__(self, width, heads, tokens):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        # Not a buffer: DDP would send it, and gloo sends no booleans. On a GPU nothing reads it.
        self.later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (
            part.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(x).split(width, dim=2)
        )
        return self.output(self.attend(q, k, v).transpose(1, 2).reshape(batch, tokens, width))

    def attend(self, q, k, v):
        if hasattr(functional, "scaled_dot_product_attention"):  # from PyTorch 2
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        return scores.masked_fill(self.later, -math.inf).softmax(dim=3) @ v


class Block(nn.Module):
    def __init__(self, width, heads, tokens):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads, tokens)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(x)


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, vocabulary, tokens):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(Block(width, heads, tokens) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.register_buffer("places", torch.arange(tokens))

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions(self.places)
        return functional.linear(self.norm(self.blocks(x)), self.embedding.weight)


class Problem:
    def __init__(self, name, layers=None):
        own_layers, *shape = SHAPES[name]
        self.network = Gpt(layers or own_layers, *shape)
        self.vocabulary, self.tokens = shape[2:]
        self.input_width, self.target_shape = self.tokens, (self.tokens,)

    def batch(self, samples):
        sequences = torch.randint(self.vocabulary, (samples, self.tokens + 1))
        return sequences[:, :-1].contiguous(), sequences[:, 1:].contiguous()

    def loss(self, output, targets):
        return functional.cross_entropy(output.flatten(0, 1), targets.flatten())
