"""A function and what it is called with, flat."""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
from jax.core import Tracer
from jax.sharding import AbstractMesh, Mesh

from shardwidget import _jax
from shardwidget.read import _errors
from shardwidget.read._devices import places

TRACED_ARGUMENT = (
    "the argument {name} is a tracer of type {type}: inside jit, grad, vmap or shard_map a value has a type but no "
    "sharding yet, so the program would be a different one. Call this outside the traced function, with arrays or with "
    "jax.ShapeDtypeStruct(shape, dtype, sharding=...)."
)

NO_FUNCTION = (
    "there is no function to trace: got a {type}. Give a function and then its arguments, each as you would call it: "
    "(f, x, w)."
)

CALLED_WITH = (
    "{function}{takes} was not given these arguments. Give the function and then its arguments, each as you would "
    "call it; keyword arguments as kwargs={{...}}."
)

STATIC_VALUES = (
    "jax.jit traces Python's numbers and booleans like arrays: {words}. To use such a value in Python, make it static, "
    "jax.jit({function}, static_argnames={static!r}), or give functools.partial({function}, ...) of it."
)

NO_KEYWORDS = "kwargs must be a dict of the function's keyword arguments by name, kwargs={{'scale': 0.5}}; got {got}."

LOST_WRITES = (
    "{function} writes into its arguments ({names}), and jax.jit keeps only what a function returns: what is computed "
    "for those writes alone is not in this program. Return them, or, with flax, give nnx.jit({function})."
)

PASSED_ON = "Arguments that are not arrays are passed to the function as they are: {words}."

MIXED_MESHES = "{words}. A program runs on one set of devices, in one order: " + _errors.ONE_MESH + "."

NOT_ON_REGION = (
    "{words}. A comparison is on one mesh: put the arguments on that of the shard_map, "
    "jax.device_put(x, jax.NamedSharding(mesh, spec))."
)


class Call(NamedTuple):
    """A function and what it is called with, as they were given."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class FlatCall:
    """A call of a function, its arguments flattened.

    Args:
        f: the function.
        args: its positional arguments, pytrees.
        kwargs: its keyword arguments, pytrees.
        is_leaf: which nodes of an argument count as leaves.
        returns_written: whether what a function of ``nnx.jit`` writes into its arguments is part of its result.

    Raises:
        TypeError: there is no function; or an argument is a tracer: inside a traced function it has no sharding yet.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any] | None = None,
        is_leaf: Callable[[Any], bool] | None = None,
        *,
        returns_written: bool = False,
    ) -> None:
        # A mesh is callable, as a decorator; what is compiled is no longer traced.
        if not callable(f) or isinstance(f, Mesh | AbstractMesh | jax.stages.Compiled):
            raise TypeError(NO_FUNCTION.format(type=_errors.type_of(f)))
        self.f = f
        self.function = function_name(f)
        keeps_written = _jax.writes_arguments(f)
        self._returns_written = returns_written and keeps_written
        self._watches = not keeps_written
        self._is_leaf = is_leaf
        self.lost = ""
        """What to say of writes into the arguments, which ``jax.jit`` does not keep; empty where the last call made
        none."""
        kwargs = keywords(kwargs)
        positions, names = _jax.static_parameters(f)
        arrays_alone = _jax.traces_arrays_alone(f)
        static = [k in positions or k - len(args) in positions for k in range(len(args))] + [k in names for k in kwargs]
        self.leaves: list[Any] = []
        self.names: list[str] = []
        """The parameter of each leaf, and the path in it."""
        self.static: list[bool] = []
        """Whether each leaf is not traced: a static argument of a jitted function, which is whole, or a number that
        equinox takes as it is."""
        self.arguments: list[tuple[str, list[str]]] = []
        """Name of each argument, and those of its leaves."""
        self._trees: list[Any] = []
        self._keywords = tuple(kwargs)
        called = [*parameter_names(f, len(args)), *kwargs]
        for name, value, is_static in zip(called, [*args, *kwargs.values()], static, strict=True):
            paths, tree = [((), value)], _LEAF
            if not is_static:
                paths, tree = jax.tree.flatten_with_path(value, is_leaf=is_leaf)
            self._trees.append(tree)
            self.leaves += [leaf for _, leaf in paths]
            self.arguments.append((name, [name + jax.tree_util.keystr(path) for path, _ in paths]))
            self.names += self.arguments[-1][1]
            self.static += [is_static or (arrays_alone and _is_plain(leaf)) for _, leaf in paths]
        for name, leaf in zip(self.names, self.leaves, strict=True):
            if isinstance(leaf, Tracer):
                raise TypeError(TRACED_ARGUMENT.format(name=name, type=jax.typeof(leaf)))
        self._strange = [
            k
            for k, (leaf, static) in enumerate(zip(self.leaves, self.static, strict=True))
            if not static and not _is_numeric(leaf) and not (is_leaf and is_leaf(leaf))
        ]

    def with_leaves(self, leaves: Sequence[Any]) -> FlatCall:
        """The same call with other leaves."""
        new = copy.copy(self)
        new.leaves = list(leaves)
        return new

    def __call__(self, leaves: Sequence[Any]) -> Any:
        """Calls the function with other leaves."""
        rest = iter(leaves)
        values = [tree.unflatten([next(rest) for _ in range(tree.num_leaves)]) for tree in self._trees]
        count = len(values) - len(self._keywords)
        try:
            result = self.f(*values[:count], **dict(zip(self._keywords, values[count:], strict=True)))
        except (TypeError, AttributeError, ValueError) as error:
            raise self.explained(error)  # noqa: B904  the same exception
        self.lost = self._lost(leaves, values, result) if self._watches else ""
        if self._returns_written:
            result = result, values
        # A module of equinox that is passed in with its functions is returned with them.
        return jax.tree.map(lambda x: x if _is_numeric(x) else None, result) if self._strange else result

    def jaxpr(self, numbers: Sequence[int], arrays: Sequence[Any]) -> tuple[Any, Any]:
        """The function as a jaxpr of some of its leaves, and the shapes of what it returns.

        Args:
            numbers: which leaves are arguments of the jaxpr.
            arrays: arrays or shapes in their place.

        Raises:
            Exception: what the function or JAX raises. JAX's message names the user's function and arguments.
        """

        # A new function each time, or JAX returns what it traced before, whatever f has closed over since.
        def call(*arrays: Any) -> Any:
            leaves = list(self.leaves)
            for k, array in zip(numbers, arrays, strict=True):
                leaves[k] = array
            return self(leaves)

        try:
            with _jax.own_lines():
                return jax.make_jaxpr(call, return_shape=True)(*arrays)
        except Exception as error:
            _jax.messages.rename(error, call, self.f, self.function, [self.names[k] for k in numbers])
            raise

    def _lost(self, before: Sequence[Any], values: Sequence[Any], result: Any) -> str:
        """What to say of the leaves that the function replaced in its arguments and does not return."""
        known = {id(leaf) for leaf in (*before, *jax.tree.leaves(result))}
        written = [
            name + jax.tree_util.keystr(path)
            for (name, _), tree, value in zip(self.arguments, self._trees, values, strict=True)
            if tree is not _LEAF
            for path, leaf in jax.tree.leaves_with_path(value, is_leaf=self._is_leaf)
            if id(leaf) not in known
        ]
        if not written:
            return ""
        more = f" and {len(written) - 3} more" if len(written) > 3 else ""
        return LOST_WRITES.format(function=self.function, names=", ".join(written[:3]) + more)

    def explained(self, error: Exception) -> Exception:
        """An exception of the call, with notes on how the arguments may have caused it."""
        for note in self._notes(error):
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
        return error

    def _notes(self, error: Exception) -> Iterator[str]:
        if isinstance(error, TypeError) and (takes := self._refused()):
            yield CALLED_WITH.format(function=self.function, takes=takes)
        if isinstance(error, jax.errors.ConcretizationTypeError) and (plain := self._plain_numbers()):
            words = "; ".join(f"{name} is a {kind}" for name, kind in plain)
            static = plain[0][0] if len(plain) == 1 else tuple(name for name, _ in plain)
            yield STATIC_VALUES.format(words=words, function=self.function, static=static)
        elif self.others and isinstance(error, TypeError | AttributeError):
            yield PASSED_ON.format(words=self.others)
        if _jax.messages.is_of_other_devices(error):
            yield MIXED_MESHES.format(words=self.places)
        if _jax.messages.is_of_another_mesh(error) and self.places:
            yield NOT_ON_REGION.format(words=self.places)

    @property
    def others(self) -> str:
        """The first arguments that are not arrays, in words."""
        return "; ".join(f"{self.names[k]} is a {type(self.leaves[k]).__name__}" for k in self._strange[:3])

    @property
    def places(self) -> str:
        """Where the arguments are, in words."""
        return places(zip(self.names, self.leaves, strict=True))

    def _refused(self) -> str:
        """The parameters of the function, where the arguments do not fit them."""
        try:
            signature = inspect.signature(self.f)
        except (TypeError, ValueError):
            return ""
        try:
            count = len(self._trees) - len(self._keywords)
            signature.bind(*[None] * count, **dict.fromkeys(self._keywords))
        except TypeError:
            return str(signature)
        return ""

    def _plain_numbers(self) -> list[tuple[str, str]]:
        """The parameters that are given a Python number, and its type."""
        each = zip(self.names, self.leaves, self.static, strict=True)
        parameters = {name for name, _ in self.arguments}
        return [
            (n, type(x).__name__) for n, x, s in each if n in parameters and not s and isinstance(x, bool | int | float)
        ]

    def gradient_names(self) -> list[str]:
        """Names of the flat results of ``jax.grad`` or ``jax.value_and_grad`` of a function; none for other functions.

        The gradient of ``loss`` by ``params["w"]`` is called ``d loss/d params['w']``.
        """
        if (gradient := _jax.gradient_of(self.f)) is None:
            return []
        name, positions, with_value = gradient
        starts = [0, *itertools.accumulate(tree.num_leaves for tree in self._trees)]
        leaves = [k for p in positions if p < len(self._trees) for k in range(starts[p], starts[p + 1])]
        return [name] * with_value + [f"d {name}/d {self.names[k]}" for k in leaves]


def keywords(kwargs: Mapping[str, Any] | None) -> dict[str, Any]:
    """The keyword arguments of a call.

    Raises:
        TypeError: they are not a mapping from names.
    """
    if kwargs is None:
        return {}
    if not isinstance(kwargs, Mapping):
        raise TypeError(NO_KEYWORDS.format(got=f"a {_errors.type_of(kwargs)}"))
    if wrong := [name for name in kwargs if not isinstance(name, str)]:
        raise TypeError(NO_KEYWORDS.format(got=f"the name {wrong[0]!r}"))
    return dict(kwargs)


_LEAF = jax.tree.structure(0)


def _is_numeric(x: Any) -> bool:
    return hasattr(x, "dtype") or _is_plain(x)


def _is_plain(x: Any) -> bool:
    return isinstance(x, bool | int | float | complex)


def function_name(f: Callable[..., Any]) -> str:
    """A function's name, through ``functools.partial`` and wrappers."""
    while isinstance(f, functools.partial):
        f = f.func
    return getattr(f, "__name__", type(f).__name__)


def parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Names of the positional parameters; of a variadic one with the index."""
    names = [f"args[{k}]" for k in range(count)]
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return names
    for k, parameter in enumerate(parameters):
        if k >= count or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            break
        if parameter.kind == parameter.VAR_POSITIONAL:
            names[k:] = [f"{parameter.name}[{j}]" for j in range(count - k)]
            break
        names[k] = parameter.name
    return names
