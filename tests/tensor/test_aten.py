"""Programs of torch.export: imported from the Python object, they compute what torch does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from walle.tensor import from_torch
from walle_task.tensor import load, save
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph
from walle_task.tensor.session import Session

torch = pytest.importorskip("torch", reason="torch is installed apart")
pytestmark = pytest.mark.slow
warnings.filterwarnings("ignore", category=FutureWarning)

nn = torch.nn
functional = torch.nn.functional


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(4)


class Applied(nn.Module):
    """A module of a function and of the modules that it has."""

    def __init__(self, function: Callable[..., Any], **modules: Any) -> None:
        super().__init__()
        self.function = function
        for name, each in modules.items():
            self.add_module(name, each)

    def forward(self, *xs: Any) -> Any:
        return self.function(self, *xs)


def program(module: Any, *inputs: Any, dynamic: Any = None) -> Any:
    return torch.export.export(module.eval(), inputs, dynamic_shapes=(dynamic,) if dynamic else None)


def assert_alike(graph: Graph, module: Any, *inputs: Any) -> None:
    feeds = {name: each.numpy() for name, each in zip(graph.inputs, inputs, strict=True)}
    found = Session(graph, {name: each.shape for name, each in feeds.items()}).run(feeds)
    results = module.eval()(*inputs)
    for ours, theirs in zip(found.values(), results if isinstance(results, tuple) else (results,), strict=True):
        expected = theirs.detach().numpy()
        assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


def convolutions(self: Any, x: Any) -> Any:
    y = functional.relu6(self.norm(self.first(x)))
    y = functional.hardswish(self.depthwise(y)) + y
    y = functional.max_pool2d(y, 3, 2, 1)
    left, right = torch.chunk(y, 2, dim=1)
    b, c, h, w = y.shape
    shuffled = torch.cat([right, left], 1).view(b, 2, c // 2, h, w).transpose(1, 2).reshape(b, c, h, w)
    return self.head(torch.flatten(functional.adaptive_avg_pool2d(shuffled, 1), 1)), functional.avg_pool2d(y, 2)


def attention(self: Any, ids: Any, mask: Any) -> Any:
    b, length = ids.shape
    x = self.words(ids) + self.places(torch.arange(length)[None])
    q, k, v = (part.view(b, length, 2, 4).transpose(1, 2) for part in self.parts(x).split(8, dim=-1))
    hidden = (1.0 - mask[:, None, None, :].to(torch.float32)) * -1e4
    seen = torch.softmax(q @ k.transpose(-1, -2) / 2 + hidden, -1) @ v
    x = self.norm(x + seen.transpose(1, 2).reshape(b, length, 8))
    return x, functional.gelu(x)[:, 0], x.masked_fill(mask[..., None] == 0, -1.0).amax(1)


def test_a_convolution_network_of_any_batch(tmp_path):
    module = Applied(
        convolutions, first=nn.Conv2d(3, 8, 3, 2, 1), norm=nn.BatchNorm2d(8),
        depthwise=nn.Conv2d(8, 8, 3, 1, 1, groups=8), head=nn.Linear(8, 5),
    )  # fmt: skip
    batch = torch.export.Dim("batch")
    graph = from_torch(program(module, torch.randn(2, 3, 16, 16), dynamic=({0: batch},)))
    save(graph, tmp_path / "model.walle")
    for count in (2, 5):
        assert_alike(load(tmp_path / "model.walle"), module, torch.randn(count, 3, 16, 16))


def test_an_encoder_of_any_batch_and_length():
    module = Applied(
        attention, words=nn.Embedding(20, 8), places=nn.Embedding(32, 8), parts=nn.Linear(8, 24), norm=nn.LayerNorm(8)
    )
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=32)}
    example = torch.randint(0, 20, (2, 6)), torch.ones(2, 6, dtype=torch.int64)
    graph = from_torch(program(module, *example, dynamic=(axes, axes)))
    for shape in ((2, 6), (3, 11)):
        assert_alike(graph, module, torch.randint(0, 20, shape), torch.randint(0, 2, shape))


FUNCTIONS: Sequence[Callable[[Any], Any]] = (
    lambda x: (x.exp(), x.abs().log1p(), torch.sigmoid(x), functional.silu(x), functional.elu(x, 0.5), x.sign()),
    lambda x: (x * 2 + 1, 1 - x, x / 3, x.add(x, alpha=0.5), x**2, x.abs() ** 0.5, x // 0.7, x.remainder(0.7)),
    lambda x: (x > 0, x.ne(x.round()), (x > 0) & (x < 1), ~(x > 0), x.isnan(), torch.where(x > 0, x, 0.0)),
    lambda x: (x.sum(), x.mean(1), x.amax((0, 2), keepdim=True), x.std(-1), x.argmax(1), *x.max(2), (x > 2).any(1)),
    lambda x: (x.permute(2, 0, 1), x[:, 1:, ::2], x[:, -1], x.flip(1), x.unsqueeze(1).expand(-1, 3, -1, -1)),
    lambda x: (*x.split([1, 2], 1), torch.stack([x, x], 1), x.repeat(2, 1, 1), functional.pad(x, (1, 0, 2, 1))),
    lambda x: (torch.tril(x), torch.triu(x, 1), x.cumsum(1), *x.topk(2, -1), x.to(torch.int64), torch.zeros_like(x)),
    lambda x: (torch.log_softmax(x, 1), functional.gelu(x, approximate="tanh"), x.clamp(-0.5, 0.5), x.clamp(min=0.1)),
    lambda x: (x @ x.mT, functional.layer_norm(x, (4,)), functional.leaky_relu(x, 0.2), functional.softplus(x)),
    lambda x: (functional.interpolate(x[None], scale_factor=2), functional.conv1d(x, x[:, :, :2], padding=1)),
    lambda x: functional.scaled_dot_product_attention(x, x, x, is_causal=True),
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_compute_what_torch_does(function):
    module, x = Applied(lambda self, each: function(each)), torch.randn(2, 3, 4)
    assert_alike(from_torch(program(module, x)), module, x)


def test_recurrent_layers_are_unrolled():
    module = Applied(lambda self, x: self.gru(self.lstm(x)[0])[0], lstm=nn.LSTM(4, 5), gru=nn.GRU(5, 3))
    assert_alike(from_torch(program(module, torch.randn(6, 2, 4))), module, torch.randn(6, 2, 4))


def test_operators_that_cannot_be_imported_are_named_at_once():
    module = Applied(lambda self, x: (torch.fft.fft(x).real, torch.linalg.det(x)))
    with pytest.raises(GraphMalformed) as refused:
        from_torch(program(module, torch.randn(2, 3, 3)))
    text = str(refused.value)
    assert "expected operators that can be imported, found aten._fft_r2c.default in _fft_r2c" in text
    assert "_linalg_det" in text


def test_what_is_no_program_is_refused(tmp_path):
    with pytest.raises(TypeError, match=r"expected a torch.export.ExportedProgram, found PosixPath"):
        from_torch(tmp_path / "program.pt2")
