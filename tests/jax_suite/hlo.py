"""What a compiled program's text says, found without the code under test; and programs that several tests compile."""

import collections
import itertools
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget.document import Source

NAMED = "all-reduce|all-gather|reduce-scatter|all-to-all|ragged-all-to-all|collective-permute|collective-broadcast"


def opcodes(compiled) -> collections.Counter:
    """How many instructions of each kind of collective are in the text, each pair of halves once."""
    return collections.Counter(re.findall(rf"^ .* = .* ({NAMED})(?:-start)?\(", compiled.as_text(), re.MULTILINE))


def kinds(program) -> collections.Counter:
    return collections.Counter(c.kind for c in program.collectives)


def over(program) -> set[tuple[str, tuple[str, ...]]]:
    return {(c.kind, c.axes) for c in program.collectives}


def groups_of(mesh, axes) -> set[frozenset[int]]:
    """Device ids that agree in all coordinates but those of some axes."""
    found = collections.defaultdict(set)
    for at, device in np.ndenumerate(mesh.devices):
        found[tuple(c for c, name in zip(at, mesh.axis_names, strict=True) if name not in axes)].add(device.id)
    return set(map(frozenset, found.values()))


def line(c) -> Source:
    """The user's line of a collective, which it must have."""
    assert c.source is not None, c
    return c.source


def check_groups(program, mesh) -> None:
    """The groups of every collective are those of its axes, none of them of size 1, and its positions name them."""
    ids = [device.id for device in mesh.devices.flat]
    for c in program.collectives:
        assert set(map(frozenset, c.groups)) == groups_of(mesh, c.axes) or c.irregular, c
        assert all(mesh.shape[name] > 1 for name in c.axes)
        assert list(c.axes) == [name for name in mesh.axis_names if name in c.axes]
        positions = [p for p in c.positions.array() if p >= 0]
        assert [ids[p] for p in positions] == list(itertools.chain(*c.groups))
        assert c.group_size == max(map(len, c.groups))


def shape(mesh, dims, *spec, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(dims, dtype, sharding=NamedSharding(mesh, P(*spec)))


def mlp(w_in, w_out, x):
    h = jax.nn.relu(x @ w_in)
    return h @ w_out


def loss(w_in, w_out, x, y):
    return ((mlp(w_in, w_out, x) - y) ** 2).mean()


def train_step(w_in, w_out, x, y):
    """One step of gradient descent on a two-layer network."""
    value, gradients = jax.value_and_grad(loss, argnums=(0, 1))(w_in, w_out, x, y)
    new = [w - 0.1 * g.astype(w.dtype) for w, g in zip((w_in, w_out), gradients, strict=True)]
    return value, *new
