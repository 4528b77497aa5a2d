"""Which dimensions of a program's values must be split alike: its operations tie them together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from shardwidget import _jax

Dim = tuple[Any, int]
"""A dimension of a variable."""

_REDUCTIONS = frozenset(
    {"reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or", "argmax", "argmin", "reduce"}
)


class Dims:
    """Groups of tied dimensions of a flat program (``_jax.flattened``), by union-find. Size 1 is tied to nothing.

    Args:
        jaxpr: the program. Each of its variables stands for one value.
    """

    def __init__(self, jaxpr: Any) -> None:
        self._parent: dict[Dim, Dim] = {}
        self.scanned: set[Dim] = set()
        """Groups that are never split: a loop takes them apart, one index in each iteration, or a kernel moves along
        them. (Roots: see ``of``.)"""
        self.batched: list[tuple[Any, Any, tuple[Dim, ...]]] = []
        """Of each product: its operands, and the dimensions that it has in both."""
        self._slices: list[tuple[Dim, Dim]] = []
        self._apart = _taken_apart(jaxpr)
        self._walk(jaxpr)
        self.scanned = {self._find(d) for d in self.scanned}
        self.sliced: dict[Dim, list[Dim]] = {}
        """Of a group, those of slices of it: of tokens, those that are read, and those that follow them."""
        for whole, part in self._slices:
            self.sliced.setdefault(self._find(whole), []).append(self._find(part))

    def of(self, v: Any) -> tuple[Dim | None, ...]:
        """The group of each dimension of a variable; None for those of size 1."""
        shape = getattr(getattr(v, "aval", None), "shape", ())
        return tuple(self._find((v, d)) if size != 1 else None for d, size in enumerate(shape))

    def group(self, dim: Dim) -> Dim:
        """The group of a dimension."""
        return self._find(dim)

    def sizes(self) -> dict[Dim, int]:
        """The greatest common divisor of the sizes in each group: heads, where a reshape joins them with their size."""
        found: dict[Dim, int] = {}
        for v, d in self._parent:
            root = self._find((v, d))
            size: int = root[0].aval.shape[root[1]]
            found[root] = math.gcd(found.get(root, size), v.aval.shape[d])
        return found

    def _find(self, dim: Dim) -> Dim:
        parent = self._parent
        root = dim
        while (above := parent.get(root, root)) != root:
            root = above
        while dim != root:
            parent[dim], dim = root, parent.get(dim, dim)
        return root

    def _tie(self, a: Any, d: int, b: Any, e: int) -> None:
        if not _is_value(a) or not _is_value(b) or a.aval.shape[d] == 1 or b.aval.shape[e] == 1:
            return
        first, second = self._find((a, d)), self._find((b, e))
        if first != second:
            self._parent[second] = first

    def _same(self, a: Any, b: Any) -> None:
        """Ties dimensions of the same size at the same place."""
        left, right = _shape(a), _shape(b)
        if len(left) == len(right):
            for d, (m, n) in enumerate(zip(left, right, strict=True)):
                if m == n:
                    self._tie(a, d, b, d)

    def _walk(self, jaxpr: Any) -> None:
        for eqn in jaxpr.eqns:
            control = _jax.control_of(eqn)
            if control is not None:
                self._control(eqn, control)
            else:
                self._rules.get(_jax.name_of(eqn), self._rules["add"])(self, eqn)

    def _control(self, eqn: Any, control: Any) -> None:
        bodies = [_jax.open_jaxpr(body)[0] for body in control.bodies]
        match control:
            case _jax.Scan(consts=consts, carries=carries):
                body, held = bodies[0], consts + carries
                for k, (v, inner) in enumerate(zip(eqn.invars, body.invars, strict=True)):
                    self._under(v, inner) if k >= held else self._same(v, inner)
                for k, (v, inner) in enumerate(zip(eqn.outvars, body.outvars, strict=True)):
                    self._under(v, inner) if k >= carries else self._same(v, inner)
                for v, after in zip(body.invars[consts:held], body.outvars[:carries], strict=True):
                    self._same(v, after)
            case _jax.While(tests=tests, consts=consts):
                carries = eqn.invars[tests + consts :]
                for values in (bodies[0].invars[tests:], bodies[1].invars[consts:], bodies[1].outvars, eqn.outvars):
                    for v, inner in zip(carries, values, strict=True):
                        self._same(v, inner)
                for v, inner in zip(eqn.invars[:tests], bodies[0].invars[:tests], strict=True):
                    self._same(v, inner)
                for v, inner in zip(eqn.invars[tests : tests + consts], bodies[1].invars[:consts], strict=True):
                    self._same(v, inner)
            case _:
                skipped = len(eqn.invars) - len(bodies[0].invars)
                for body in bodies:
                    for v, inner in zip(eqn.invars[skipped:], body.invars, strict=True):
                        self._same(v, inner)
                    for v, inner in zip(eqn.outvars, body.outvars, strict=True):
                        self._same(v, inner)
        for body in bodies:
            self._walk(body)

    def _under(self, stacked: Any, slice_: Any) -> None:
        """A value that a loop takes apart, and what an iteration has of it."""
        if _is_value(stacked):
            self.scanned.add((stacked, 0))
            for d in range(1, len(_shape(stacked))):
                self._tie(stacked, d, slice_, d - 1)

    def _elementwise(self, eqn: Any) -> None:
        for v in eqn.invars:
            for out in eqn.outvars:
                self._same(v, out)

    def _dot(self, eqn: Any) -> None:
        (left, right), (out,) = eqn.invars, eqn.outvars
        (over, over_right), (both, both_right) = eqn.params["dimension_numbers"]
        for d, e in zip(over, over_right, strict=True):
            self._tie(left, d, right, e)
        place = 0
        for d, e in zip(both, both_right, strict=True):
            self._tie(left, d, right, e)
            self._tie(left, d, out, place)
            place += 1
        if both:
            self.batched.append((left, right, tuple((left, d) for d in both)))
        for v, without in ((left, {*over, *both}), (right, {*over_right, *both_right})):
            for d in range(len(_shape(v))):
                if d not in without:
                    self._tie(v, d, out, place)
                    place += 1

    def _convolution(self, eqn: Any) -> None:
        (image, kernel), (out,) = eqn.invars[:2], eqn.outvars
        of_image, of_kernel, of_out = eqn.params["dimension_numbers"]
        if _is_value(kernel):
            self.scanned.update((kernel, d) for d in of_kernel[2:])
        self._tie(image, of_image[0], out, of_out[0])
        if eqn.params["feature_group_count"] == eqn.params["batch_group_count"] == 1:
            self._tie(image, of_image[1], kernel, of_kernel[1])
            self._tie(kernel, of_kernel[0], out, of_out[1])

    def _broadcast(self, eqn: Any) -> None:
        v, out = eqn.invars[0], eqn.outvars[0]
        for d, e in enumerate(eqn.params["broadcast_dimensions"]):
            if _shape(v)[d] == _shape(out)[e]:
                self._tie(v, d, out, e)

    def _transpose(self, eqn: Any) -> None:
        for e, d in enumerate(eqn.params["permutation"]):
            self._tie(eqn.invars[0], d, eqn.outvars[0], e)

    def _reduce(self, eqn: Any) -> None:
        axes = eqn.params.get("axes", eqn.params.get("dimensions", ()))
        for v in eqn.invars:
            left = [d for d in range(len(_shape(v))) if d not in axes]
            for out in eqn.outvars:
                if len(left) == len(_shape(out)):
                    for e, d in enumerate(left):
                        self._tie(v, d, out, e)

    def _slice(self, eqn: Any) -> None:
        self._elementwise(eqn)
        (v,), (out,) = eqn.invars, eqn.outvars
        if _is_value(v):
            shapes = enumerate(zip(_shape(v), _shape(out), strict=True))
            self._slices += [((v, d), (out, d)) for d, (whole, part) in shapes if 1 < part < whole]

    def _squeeze(self, eqn: Any) -> None:
        self._major(eqn.invars[0], eqn.outvars[0])

    def _major(self, v: Any, out: Any) -> None:
        """Ties a dimension that a reshape splits or joins with the major part."""
        before, after, d, e = _shape(v), _shape(out), 0, 0
        while d < len(before) and e < len(after):
            first, second, m, n = d, e, before[d], after[e]
            while m != n and (d < len(before) - 1 or e < len(after) - 1):
                if m < n and d < len(before) - 1:
                    d += 1
                    m *= before[d]
                elif n < m and e < len(after) - 1:
                    e += 1
                    n *= after[e]
                else:
                    return
            heads = (
                [k for k in range(first, d + 1) if before[k] != 1],
                [k for k in range(second, e + 1) if after[k] != 1],
            )
            # Microbatches of which a loop takes one after another are no part of the batch that is split: the rest is.
            for part, several, places in ((v, d > first, heads[0]), (out, e > second, heads[1])):
                if several and part in self._apart and places[:1] == [0]:
                    self.scanned.add((part, 0))
                    del places[0]
            if heads[0] and heads[1]:
                self._tie(v, heads[0][0], out, heads[1][0])
            d, e = d + 1, e + 1

    def _gather(self, eqn: Any) -> None:
        (v, indices), (out,) = eqn.invars[:2], eqn.outvars
        numbers, sizes = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
        self._indexed(v, indices, out, numbers, sizes, numbers.offset_dims, numbers.collapsed_slice_dims)

    def _scatter(self, eqn: Any) -> None:
        v, indices, updates = eqn.invars[:3]
        numbers = eqn.params["dimension_numbers"]
        self._same(v, eqn.outvars[0])
        offsets, inserted = numbers.update_window_dims, numbers.inserted_window_dims
        batching = {*inserted, *numbers.operand_batching_dims}
        kept = [d for d in range(len(_shape(v))) if d not in batching]
        sizes = [1] * len(_shape(v))
        for d, e in zip(kept, offsets, strict=True):
            sizes[d] = _shape(updates)[e]
        batch = numbers.operand_batching_dims, numbers.scatter_indices_batching_dims
        self._tied(v, indices, updates, sizes, offsets, inserted, batch)

    def _indexed(self, v: Any, indices: Any, out: Any, numbers: Any, sizes: Any, offsets: Any, gone: Any) -> None:
        batch = numbers.operand_batching_dims, numbers.start_indices_batching_dims
        self._tied(v, indices, out, sizes, offsets, gone, batch)

    def _tied(self, v: Any, indices: Any, out: Any, sizes: Any, offsets: Any, gone: Any, batch: Any) -> None:
        kept = [d for d in range(len(_shape(v))) if d not in {*gone, *batch[0]}]
        for d, e in zip(kept, offsets, strict=True):
            if sizes[d] == _shape(v)[d]:
                self._tie(v, d, out, e)
        places = [e for e in range(len(_shape(out))) if e not in offsets]
        for d, e in enumerate(places):
            self._tie(indices, d, out, e)
        for d, k in zip(*batch, strict=True):
            self._tie(v, d, out, places[k])

    def _nothing(self, eqn: Any) -> None:
        """Ties nothing: each element of the result may be any of the operands."""

    _rules: ClassVar[dict[str, Callable[[Dims, Any], None]]] = {
        "add": _elementwise,  # What is not listed is taken like it.
        "dot_general": _dot,
        "conv_general_dilated": _convolution,
        "broadcast_in_dim": _broadcast,
        "transpose": _transpose,
        "slice": _slice,
        "reshape": _squeeze,
        "squeeze": _squeeze,
        "expand_dims": _squeeze,
        "gather": _gather,
        "iota": _nothing,
        **dict.fromkeys(_REDUCTIONS, _reduce),
        **dict.fromkeys(("scatter", "scatter-add", "scatter_add", "scatter-mul", "scatter_mul"), _scatter),
    }


def _taken_apart(jaxpr: Any) -> set[Any]:
    """Values of which a loop has one index in each iteration."""
    found: set[Any] = set()
    for eqn in jaxpr.eqns:
        control = _jax.control_of(eqn)
        if isinstance(control, _jax.Scan):
            stacked = [*eqn.invars[control.consts + control.carries :], *eqn.outvars[control.carries :]]
            found.update(v for v in stacked if _is_value(v))
        for body in control.bodies if control is not None else ():
            found |= _taken_apart(_jax.open_jaxpr(body)[0])
    return found


def _is_value(v: Any) -> bool:
    return hasattr(v, "aval") and not hasattr(v, "val")


def _shape(v: Any) -> tuple[int, ...]:
    return tuple(getattr(v.aval, "shape", ()))
