"""Random shard_map bodies: collectives and arithmetic on whatever values there are."""

import functools
import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

NAMES = "xyz"


@dataclass(frozen=True)
class Program:
    """A body as numbers: what each instruction does depends on the values that exist by then."""

    sizes: tuple[int, ...]
    specs: tuple[tuple[int, ...], ...]
    """For each argument and each mesh axis the dimension that it cuts, or -1."""
    shapes: tuple[tuple[int, ...], ...]
    """Of the blocks."""
    instructions: tuple[tuple[int, ...], ...]
    check_vma: bool
    dtype: str

    @property
    def names(self):
        return tuple(NAMES[: len(self.sizes)])

    def mesh(self, kind=AxisType.Auto):
        devices = np.array(jax.devices()[: math.prod(self.sizes)]).reshape(self.sizes)
        return jax.sharding.Mesh(devices, self.names, axis_types=(kind,) * len(self.sizes))

    def in_specs(self):
        found = []
        for cuts, shape in zip(self.specs, self.shapes, strict=True):
            dims = [tuple(n for n, d in zip(self.names, cuts, strict=True) if d == k) for k in range(len(shape))]
            found.append(P(*(d or None for d in dims)))
        return tuple(found)

    def arguments(self):
        found = []
        for k, (cuts, shape) in enumerate(zip(self.specs, self.shapes, strict=True)):
            whole = [
                size * math.prod(n for n, d in zip(self.sizes, cuts, strict=True) if d == dim)
                for dim, size in enumerate(shape)
            ]
            numbers = np.random.default_rng(k).integers(-3, 4, whole)
            found.append(jnp.asarray(numbers, self.dtype))
        return found

    def body(self, *blocks):
        """All values, each with a leading dimension for the devices."""
        values = list(blocks)
        for code, *numbers in self.instructions:
            made = INSTRUCTIONS[code % len(INSTRUCTIONS)](self, values, iter(numbers))
            if made is not None and made.size <= 512:
                values.append(made)
        self.types.append([jax.typeof(v).str_short(short_dtypes=True) for v in (w[None] for w in values)])
        return tuple(v[None] for v in values)

    @functools.cached_property
    def types(self):
        """The types that JAX gave the results, recorded each time that the body is traced."""
        return []

    def f(self, mesh):
        out_specs = P(self.names)
        return jax.shard_map(
            self.body, mesh=mesh, in_specs=self.in_specs(), out_specs=out_specs, check_vma=self.check_vma
        )

    def pick(self, values, numbers):
        return values[next(numbers) % len(values)]

    def axes(self, numbers):
        """One axis, or all of them in mesh order."""
        number = next(numbers) % (len(self.names) + 1)
        return self.names if number == len(self.names) else (self.names[number],)

    def ranks(self, axes):
        return math.prod(self.sizes[self.names.index(a)] for a in axes)

    def varying(self, x, axes):
        """Typed as varying over the axes, as most collectives want it."""
        if not self.check_vma:
            return x
        held = jax.typeof(x)
        held = held.vma if hasattr(held, "vma") else held.manual_axis_type.varying
        missing = tuple(a for a in axes if a not in held)
        return jax.lax.pcast(x, missing, to="varying") if missing else x


def _dim(x, numbers):
    return next(numbers) % x.ndim if x.ndim else None


def add(p, values, numbers):
    x, y = p.pick(values, numbers), p.pick(values, numbers)
    return x + y if x.shape == y.shape else x + y.sum()


def multiply(p, values, numbers):
    return p.pick(values, numbers) * (next(numbers) % 5 - 2)


def total(p, values, numbers):
    x = p.pick(values, numbers)
    d = _dim(x, numbers)
    return None if d is None else x.sum(d)


def turn(p, values, numbers):
    return p.pick(values, numbers).T


def flat(p, values, numbers):
    return p.pick(values, numbers).reshape(-1)


def reduce(p, values, numbers):
    x, axes = p.pick(values, numbers), p.axes(numbers)
    how = (jax.lax.psum, jax.lax.pmax, jax.lax.pmin)[next(numbers) % 3]
    return how(x, axes if len(axes) > 1 else axes[0])


def gather(p, values, numbers):
    x, axes = p.pick(values, numbers), p.axes(numbers)
    d, tiled = _dim(x, numbers), bool(next(numbers) % 2)
    if d is None:
        d, tiled = 0, False
    return jax.lax.all_gather(p.varying(x, axes), axes, axis=d, tiled=tiled)


def scatter(p, values, numbers):
    x, axes = p.pick(values, numbers), p.axes(numbers)
    d, n = _dim(x, numbers), p.ranks(axes)
    if d is None or x.shape[d] % n:
        return None
    x = p.varying(x, axes)
    return jax.lax.psum_scatter(x, axes, scatter_dimension=d, tiled=x.shape[d] != n or bool(next(numbers) % 2))


def permute(p, values, numbers):
    x, axis = p.pick(values, numbers), p.axes(numbers)[0]
    n = p.ranks((axis,))
    targets = np.random.default_rng(next(numbers)).permutation(n)
    pairs = [(s, int(t)) for s, t in enumerate(targets) if next(numbers, 1) % 4 or s]
    return jax.lax.ppermute(p.varying(x, (axis,)), axis, pairs)


def exchange(p, values, numbers):
    x, axes = p.pick(values, numbers), p.axes(numbers)
    d, n = _dim(x, numbers), p.ranks(axes)
    if d is None or x.shape[d] % n:
        return None
    return jax.lax.all_to_all(p.varying(x, axes), axes, d, _dim(x, numbers), tiled=True)


def index(p, values, numbers):
    axis = p.axes(numbers)[0]
    return p.pick(values, numbers) + jax.lax.axis_index(axis).astype(p.dtype)


def branch(p, values, numbers):
    x, axis = p.pick(values, numbers), p.axes(numbers)[0]
    x = p.varying(x, (axis,))
    return jax.lax.cond(jax.lax.axis_index(axis) % 2 == 0, lambda x: x * 2, lambda x: (x + 1) * 3, x)


def loop(p, values, numbers):
    x, axis = p.pick(values, numbers), p.axes(numbers)[0]
    n = p.ranks((axis,))
    x = p.varying(x, (axis,))

    def step(carry, k):
        carry = jax.lax.ppermute(carry, axis, [(i, (i + 1) % n) for i in range(n)])
        return carry + k, carry.sum()

    last, sums = jax.lax.scan(step, x, jnp.arange(1 + next(numbers) % 12).astype(p.dtype))
    return last + sums[-1]


def repeat(p, values, numbers):
    x, axis = p.pick(values, numbers), p.axes(numbers)[0]
    count = jax.lax.axis_index(axis) + next(numbers) % 3
    x = p.varying(x, (axis,))
    return jax.lax.while_loop(lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] + s[0].astype(p.dtype)), (count, x))[1]


INSTRUCTIONS = (
    add, multiply, total, turn, flat, reduce, gather, scatter, permute, exchange, index, branch, loop, repeat,
    add, reduce, gather, scatter, permute, exchange,
)  # fmt: skip


@st.composite
def programs(draw, dtype="int32", longest=7):
    sizes = []
    for _ in range(draw(st.integers(1, 3))):
        sizes.append(draw(st.integers(1, 8 // math.prod(sizes))))
    shapes, specs = [], []
    for _ in range(draw(st.integers(1, 2))):
        shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
        shapes.append(shape)
        specs.append(tuple(draw(st.integers(-1, len(shape) - 1)) for _ in sizes))
    instruction = st.lists(st.integers(0, 60), min_size=8, max_size=8).map(tuple)
    code = draw(st.lists(instruction, min_size=2, max_size=longest))
    return Program(tuple(sizes), tuple(specs), tuple(shapes), tuple(code), draw(st.booleans()), dtype)
