"""The document of a trace, from the steps that were drafted and what the run wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax.extend.core import JaxprEqn

from shardwidget import _jax
from shardwidget.document import Collective, Dim, Ints, Listing, Mesh, Origin, Region, Step, Variable, Window
from shardwidget.read._cuts import dims_of_spec
from shardwidget.read._entries import spec_text
from shardwidget.read._jaxpr.names import placeholders
from shardwidget.read._jaxpr.sources import listing_at
from shardwidget.read._jaxpr.syntax import words_at
from shardwidget.read._trace.draft import Draft, TracedValue
from shardwidget.read._trace.global_values import global_layout, global_window
from shardwidget.read._trace.kept import KeptValues
from shardwidget.read._trace.nodes import RegionNode
from shardwidget.read._trace.positions import position, seats
from shardwidget.read._trace.steps import Writer
from shardwidget.read._trace.words import sentence
from shardwidget.read._trace.written import WrittenTensors, everywhere

GATHERED = 2**20
"""The most bytes of a global array whose parts on other processes are fetched to be drawn."""
OTHER_MESH = "{name} runs on the mesh {mesh}, not on the one that is drawn, {drawn}: its blocks are not drawn"
Fetch = Callable[[int], np.ndarray]
_HIDDEN = {"sharding", "out_sharding", "name", "in_tree", "has_placeholders", "const_lengths"}


class Builder:
    """Turns drafts into a document's parts.

    Args:
        writer: the drafts.
        written: what the run returned; None where nothing ran.
        mesh: of the program, on which global values are placed.
        corner: the most rows and columns of a corner.
        keep: the most bytes of values that a view of the trace keeps.
    """

    def __init__(
        self, writer: Writer, written: WrittenTensors | None, mesh: Mesh, corner: tuple[int, int], keep: int
    ) -> None:
        self.writer = writer
        self.written = written
        self.kept = KeptValues(written, keep)
        self.mesh = mesh
        self.corner = corner
        self.regions = {region: number for number, region in enumerate(writer.meshes)}
        self._types: dict[Any, tuple] = {}
        self._orders = {region: seats(m, mesh) for region, m in writer.meshes.items()}

    def name_values(self) -> None:
        """Names the values that have neither a name from the user nor a short expression."""
        for step in self.writer.steps:
            if step.kind == "out_specs":  # A result has the name that it has in the body.
                for value, returned in zip(step.outputs, step.inputs, strict=False):
                    value.alias = returned
            elif step.primitive == "convert_element_type" and step.inputs:
                step.outputs[0].alias = step.inputs[0]
        for value, text in self.writer.texts:
            value.name = value.name or text
        used = words_at(self.writer.frames) | {value.name for value in self.writer.values}
        fresh = placeholders(used)
        for value in self.writer.values:
            if not value.name:
                value.name = value.alias.name if value.alias is not None else next(fresh)

    def variables(self) -> tuple[Variable, ...]:
        """The variables."""
        return tuple(self.variable(value) for value in self.writer.values)

    def variable(self, value: TracedValue) -> Variable:
        """One variable."""
        text, shape, dtype, bits, varying, unreduced, reduced = self._type(value)
        region = value.region
        window: Window | None = None
        fetch: Fetch | None = None
        dims: tuple[Dim, ...] = ()
        order = self._seats(region)
        drawn = order is not None
        if region is None:
            dims, window, fetch, drawn = self._global(value)
        elif self.written is not None and value.site is not None and value.site.written:
            over = varying + unreduced if region.check_vma else region.manual
            window = self.written.window(value.site, over, value.slots) if order is not None else None
            if window is not None and not _as_it_is(order):
                window = replace(window, block=Ints.pack(window.block.array()[order]))
            fetch = self._only_where_made(value, self.written.fetcher(value.site, value.slots))
        return Variable(
            id=value.id,
            name=value.name,
            type=text,
            shape=shape,
            dtype=dtype,
            bits=bits,
            region=-1 if region is None else self.regions[region],
            varying=varying if region is None or region.check_vma else region.manual,
            unreduced=unreduced,
            reduced=reduced,
            dims=dims,
            window=window,
            origin=self._origin(value),
            drawn=drawn,
            fetch=fetch,
        )

    def _origin(self, value: TracedValue) -> Origin | None:
        """Whose blocks a value has, where they are another's."""
        found, order = value.moved, None if value.region is None else self._seats(value.region)
        if found is None or order is None:
            return None
        back = np.append(np.argsort(order), [-2, -1])  # What is not a position is the same on every mesh.
        return Origin(found.root.id, Ints.pack(back[found.pieces[order]]), found.axis)

    def _seats(self, region: RegionNode | None) -> np.ndarray | None:
        """The position in a region's mesh of each device of the mesh that is drawn."""
        return np.arange(self.mesh.size) if region is None else self._orders[region]

    def undrawn(self) -> list[str]:
        """Notes on the regions that are not drawn."""
        others = [(r, m) for r, m in self.writer.meshes.items() if self._seats(r) is None]
        texts = (
            OTHER_MESH.format(
                name=_jax.function_name(region.body.jaxpr) or "shard_map",
                mesh=" ".join(f"{axis.name}={axis.size}" for axis in mesh.axes),
                drawn=" ".join(f"{axis.name}={axis.size}" for axis in self.mesh.axes),
            )
            for region, mesh in others
        )
        return list(dict.fromkeys(texts))

    def _only_where_made(self, value: TracedValue, fetch: Fetch | None) -> Fetch | None:
        """Refuses devices that a branch or a loop leaves out."""
        if fetch is None or value.active is None or value.region is None:
            return fetch
        made, mesh = value.active, self.writer.meshes[value.region]

        def checked(device_id: int) -> np.ndarray:
            if not made[position(mesh, device_id)]:
                raise ValueError(f"device {device_id} does not execute the step that makes {value.name}")
            return fetch(device_id)

        return checked

    def _type(self, value: TracedValue) -> tuple:
        aval, region = value.aval, value.region
        if (aval, region) not in self._types:
            names = [axis.name for axis in (self.mesh if region is None else self.writer.meshes[region]).axes]
            sets = [tuple(n for n in names if n in axes) for axes in _jax.manual_types(aval)]
            self._types[aval, region] = (
                _jax.type_text(aval), tuple(aval.shape), str(aval.dtype), 8 * aval.dtype.itemsize, *sets,
            )  # fmt: skip
        return self._types[aval, region]

    def _global(self, value: TracedValue) -> tuple[tuple[Dim, ...], Window | None, Fetch | None, bool]:
        """How a global value is sharded, its corner, what reads it, and whether it can be drawn."""
        array = value.array
        if array is None and self.written is not None and value.site is not None:
            array = self.written.whole(value.site, value.slots)
        mesh = self.mesh
        shape = tuple(value.aval.shape)
        plain = tuple(Dim(size) for size in shape)
        dims = global_layout(array, mesh) if array is not None else plain
        if dims is not None and value.spec is not None and not any(dim.axes for dim in dims):
            dims = dims_of_spec(shape, value.spec)
            if any(dim.axes for dim in dims) and not _as_it_is(self._seats(value.origin)):
                dims = None
        if array is None or array.dtype == jax.dtypes.float0:  # The tangent of an integer has no elements.
            return dims or plain, None, None, dims is not None
        if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
            array = jax.random.key_data(array)
        if dims is None:
            return plain, None, self.kept.whole(array, mesh), False
        if isinstance(array, jax.Array) and not array.is_fully_addressable:
            if array.nbytes > GATHERED:
                return dims, None, None, True
            (array,) = everywhere([array])
        dims += tuple(Dim(size) for size in np.shape(array)[len(dims) :])
        window = global_window(array, dims, mesh, self.corner, self._type(value)[5])
        return dims, window, self.kept.whole(array, mesh), True

    def steps(self, variables: Sequence[Variable]) -> tuple[Step, ...]:
        """The steps."""
        self._set_apart()
        received = {value.id for draft in self.writer.steps for value in draft.inputs}
        for draft in self.writer.steps:
            futures = [value for value in draft.outputs if _jax.is_future(value.aval)]
            if futures and self.writer.stopped is None and not any(value.id in received for value in futures):
                draft.about["thrown away"] = True
        return tuple(self.step(draft, variables) for draft in self.writer.steps)

    def _set_apart(self) -> None:
        """A collective and its ``done`` are expressions of their own; so are a user's ``pvary`` and what follows it."""
        apart = False
        for draft in self.writer.steps:
            before, typed = (
                apart,
                draft.implicit and bool(draft.inputs) and not draft.library and draft.source is not None,
            )
            receives = any(_jax.is_future(value.aval) for value in draft.inputs)
            apart = draft.collective is not None or typed or receives
            if apart or before:
                draft.begins = draft.begins or "expression"

    def step(self, draft: Draft, variables: Sequence[Variable]) -> Step:
        """One step."""
        mesh = None if draft.region is None else self.writer.meshes[draft.region]
        order = self._seats(draft.region)
        return Step(
            primitive=draft.primitive,
            inputs=tuple(variables[value.id] for value in draft.inputs),
            outputs=tuple(variables[value.id] for value in draft.outputs),
            sentence=sentence(draft, mesh),
            source=draft.source,
            begins=draft.begins,
            expression=draft.expression,
            params=_params(draft.eqn) if draft.eqn is not None and draft.kind == "equation" else (),
            literals=draft.literals,
            region=-1 if draft.region is None else self.regions[draft.region],
            scope=draft.scope,
            collective=draft.collective and _seated(draft.collective, order),
            implicit=draft.implicit,
            shape_only=draft.primitive in _jax.SHAPE_ONLY,
            elementwise=draft.primitive in _jax.ELEMENTWISE,
            active=None if draft.active is None or order is None else Ints.pack(np.flatnonzero(draft.active[order])),
            printed=draft.printed,
        )

    def region_documents(self) -> tuple[Region, ...]:
        """The regions."""
        return tuple(
            Region(
                name=_jax.function_name(region.body.jaxpr) or "shard_map",
                mesh=mesh,
                manual=region.axes,
                in_specs=tuple(spec_text(s) for s in region.control.in_specs),
                out_specs=tuple(spec_text(s) for s in region.control.out_specs),
                check_vma=region.check_vma,
                parent=-1 if region.parent is None else self.regions[region.parent],
            )
            for region, mesh in self.writer.meshes.items()
        )

    def listings(self) -> tuple[Listing, ...]:
        """The functions that steps come from, in the order in which they are met."""
        found: dict[Listing, None] = {}
        for file, line in dict.fromkeys(self.writer.frames):
            listing = listing_at(file, line)
            if listing is not None:
                found[listing] = None
        return tuple(found)


def _as_it_is(order: np.ndarray | None) -> bool:
    return order is not None and bool((order[1:] > order[:-1]).all())


def _seated(collective: Collective, order: np.ndarray | None) -> Collective:
    """A collective at the positions of the mesh that is drawn; one that cannot be drawn has no groups or plans."""
    if order is None:
        return replace(collective, positions=Ints.pack([]), plans=())
    if _as_it_is(order):
        return collective
    places = np.append(np.argsort(order), -1)  # A shorter group is padded with -1.
    return replace(collective, positions=Ints.pack(places[collective.positions.array()]))


def _params(eqn: JaxprEqn) -> tuple[tuple[str, str], ...]:
    """Informative parameters, as short texts."""
    shown = []
    for key, value in _jax.own_params(eqn).items():
        empty = value is None or value is False or (isinstance(value, tuple) and not value)
        if key in _HIDDEN or empty or callable(value):
            continue
        text = value.name if isinstance(value, np.dtype) else str(value)
        if len(text) <= 120:
            shown.append((key, text))
    return tuple(shown)
