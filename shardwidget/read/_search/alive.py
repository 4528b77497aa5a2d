"""Memory of a divided program: what is alive, operation by operation."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from shardwidget import _jax
from shardwidget.read._search.gathers import same_gathers, turned
from shardwidget.read._search.tables import lookups

_FUSED = frozenset(
    {
        "abs", "add", "and", "broadcast_in_dim", "cbrt", "ceil", "clamp", "compare", "concatenate", "constant",
        "convert", "cosine", "divide", "erf", "exponential", "exponential_minus_one", "floor", "iota", "is_finite",
        "log", "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "optimization_barrier",
        "or", "pad", "power", "remainder", "reshape", "round_nearest_even", "rsqrt", "select", "sign", "sine",
        "slice", "sqrt", "square", "subtract", "tanh", "transpose", "xor",
    }
)  # fmt: skip
"""Operations that XLA fuses into what uses their result."""

_IN_PLACE = frozenset({"stablehlo.dynamic_update_slice", "stablehlo.scatter"})
_CHEAP = frozenset({"constant", "iota", "broadcast_in_dim", "compare"})
"""Operations that XLA computes again wherever their result is used."""


LANES = 128
"""What a TPU fills the last dimension of an array up to."""


def peak_of(program: _jax.Block, donated: Sequence[bool], *, lanes: int = 1) -> int:
    """The most bytes that are alive at once on a device, arguments and results included.

    Args:
        program: the program, as Shardy divides it.
        donated: whether each result may take the place of a donated argument.
        lanes: what the last dimension of an array is filled up to.

    An elementwise operation that one other uses takes none: it is fused, and what it reads lives until then. A sum
    over devices and an update in place take none, and a loop's carry has the place of its first value. What is donated
    is reused: a result that is computed element by element from an argument takes its place.
    """
    donated_to = {id(v) for v, d in zip(program.results, donated, strict=True) if d}
    return arguments_of(program, lanes=lanes) + _peak(program, donated_to, lanes)


def arguments_of(program: _jax.Block, *, lanes: int = 1) -> int:
    """Bytes of the arguments on a device: of each, the dimension lies last that is filled up by least."""
    return sum(min((_filled(v, n, lanes) for n in v.local[-3:]), default=v.bytes) for v in program.arguments)


def _peak(block: _jax.Block, replacing: Collection[int], lanes: int) -> int:
    """The most bytes that a block's own values take."""
    uses: dict[int, int] = {}
    for op in block.ops:
        for v in op.operands:
            uses[id(v)] = uses.get(id(v), 0) + 1
    returned = {id(v) for v in block.results}
    # What each value is made of: buffers with their sizes, or those of what is fused into it.
    made_of: dict[int, frozenset[int]] = {id(v): frozenset() for v in block.arguments}
    size: dict[int, int] = {}
    born: dict[int, int] = {}
    dies: dict[int, int] = {}
    inner: dict[int, int] = {}
    made = {id(v): op for op in block.ops for v in op.results}
    # XLA gathers weights again long before their use in the backward pass: they take as much as if they were kept.
    looked_up = lookups(block)
    same = same_gathers(block, made, looked_up, {id(v) for v in block.arguments})
    again: list[int] = []
    gathered: set[int] = set()
    for at, op in enumerate(block.ops):
        name = op.name.partition(".")[2]
        sources = frozenset().union(*(made_of.get(id(v), frozenset()) for v in op.operands))
        for buffer in sources:
            dies[buffer] = at
        if op.bodies:
            inner[at] = max(_peak(body, {id(v) for v in body.results}, lanes) for body in op.bodies)
        for k, v in enumerate(op.results):
            key = id(v)
            if op.name == "stablehlo.while":
                # A carry has the place of its first value; a new one where that is an argument or fused.
                operand = op.operands[k]
                of = made_of.get(id(operand), frozenset())
                alone = len(of) == 1 and uses.get(id(operand)) == 1
                made_of[key] = (
                    of if alone or operand.bytes == 0 or _passed(op, k) else _new(key, v.bytes, at, size, born)
                )
            elif name in _CHEAP or (
                name in _FUSED
                and key not in returned
                and (uses.get(key, 0) <= 1 or _is_made_again(v, [size[each] for each in sources]))
            ):
                made_of[key] = frozenset() if name in _CHEAP else sources
            elif op.name == "sdy.all_gather":
                if earlier := same.get(id(op)):
                    made_of[key] = made_of[id(earlier.results[0])]
                elif rows := looked_up.get(id(op)):
                    made_of[key] = _new(key, rows.bytes, at, size, born)
                else:
                    made_of[key] = _new(key, _filled(v, v.local[-1], lanes), at, size, born)
                    if (of := id(turned(op.operands[0], made))) in gathered:
                        again.append(key)
                    gathered.add(of)
            elif op.name == "stablehlo.scatter" and not made_of.get(id(op.operands[0])):
                made_of[key] = _new(key, _padded(v, lanes), at, size, born)
            elif op.name == "sdy.all_reduce" and uses[id(op.operands[0])] == 1 and id(op.operands[0]) in size:
                made_of[key] = made_of[id(op.operands[0])]
            elif op.name in _IN_PLACE and uses.get(id(op.operands[0]), 0) == 1:
                made_of[key] = made_of.get(id(op.operands[0]), frozenset()) or _new(key, v.bytes, at, size, born)
            elif key in replacing and name in _FUSED and any(v.bytes == a.bytes for a in op.operands) and not op.bodies:
                made_of[key] = frozenset()
            elif op.name == "func.call" and _one_update(op):
                made_of[key] = made_of.get(id(op.operands[0]), frozenset())
            else:
                made_of[key] = _new(key, v.bytes, at, size, born)
    for v in block.results:
        for buffer in made_of.get(id(v), ()):
            dies[buffer] = len(block.ops)
    _begin(again, _taken(len(block.ops), born, dies, size, inner), born)
    return max(_taken(len(block.ops), born, dies, size, inner))


FREE = 0.7
"""How much of the most memory is alive when XLA begins to gather again what it has gathered before the peak."""


def _begin(again: Sequence[int], taken: Sequence[int], born: dict[int, int]) -> None:
    """Activations are gathered again for the uses behind the peak, all of them as soon as much memory is free again."""
    peak = taken.index(max(taken))
    free = next((at for at in range(peak, len(taken)) if taken[at] <= FREE * taken[peak]), len(taken))
    for key in again:
        if born[key] > peak:
            born[key] = min(born[key], free)


def _taken(
    count: int, born: Mapping[int, int], dies: Mapping[int, int], size: Mapping[int, int], inner: Mapping[int, int]
) -> list[int]:
    """Bytes that are alive at each operation."""
    change = [0] * (count + 2)
    for buffer, start in born.items():
        change[start] += size[buffer]
        change[dies.get(buffer, start) + 1] -= size[buffer]
    return [alive + inner.get(at, 0) for at, alive in enumerate(itertools.accumulate(change[: count + 1]))]


AGAIN = 1.25
"""How much larger than a value the buffers may be that it is computed of again."""


def _is_made_again(v: _jax.Value, sources: Sequence[int]) -> bool:
    """Whether what several use is computed again for each: a normalised value from the value; a sum of two is kept."""
    return 0 < sum(sources) <= AGAIN * v.bytes


def _padded(v: _jax.Value, lanes: int) -> int:
    """Bytes of what rows are scattered into: where they are split, they are scattered as they lie, and padded."""
    return v.bytes if len(v.shape) != 2 or v.local[0] == v.shape[0] else _filled(v, v.local[-1], lanes)


def _filled(v: _jax.Value, last: int, lanes: int) -> int:
    """Bytes of an array of which a dimension of this size lies last, and is filled up."""
    return v.bytes if len(v.shape) < 2 or last < 2 else v.bytes * -(-last // lanes) * lanes // last


def _new(key: int, bytes_: int, at: int, size: dict[int, int], born: dict[int, int]) -> frozenset[int]:
    size[key], born[key] = bytes_, at
    return frozenset({key})


def _passed(op: _jax.Op, k: int) -> bool:
    """Whether a loop returns a carry as it was."""
    (body,) = op.bodies
    return body.results[k] is body.arguments[k]


def _one_update(op: _jax.Op) -> bool:
    """Whether a called function only updates its first operand in place: a scan stacks its results by such calls."""
    ops = op.bodies[0].ops
    return any(each.name in _IN_PLACE and each.operands[0] is op.bodies[0].arguments[0] for each in ops)
