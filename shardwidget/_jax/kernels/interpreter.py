"""JAX's interpreter of TPU kernels, and the kernels that it can interpret."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax

from shardwidget._jax.control import every_equation
from shardwidget._jax.sources import function_name

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

PRIMITIVE = "jax._src.pallas.pallas_call"
_PRIMITIVES = (
    (PRIMITIVE, "pallas_call_p"),
    ("jax._src.pallas.mpmd", "mpmd_map_p"),
    ("jax._src.pallas.core", "core_map_p"),
)
_NEEDED = ("callback", "interpret_pallas_call", "dma_start", "dma_wait", "semaphore_signal", "semaphore_wait", "get")


class NotForTpusError(Exception):
    """A kernel that JAX's interpreter of TPU kernels cannot run."""


def interpreter() -> Any:
    import jax.experimental.pallas.tpu  # noqa: F401  What it needs.
    from jax._src.pallas.mosaic.interpret import interpret_pallas_call

    return interpret_pallas_call


def interprets_kernels() -> str:
    """Why this JAX's kernels cannot be recorded; empty where they can."""
    try:
        module = interpreter()
    except ImportError as error:
        return f"JAX {jax.__version__} has no interpreter of TPU kernels here ({error})"
    missing = [name for name in _NEEDED if not hasattr(module, name)]
    return f"the interpreter of JAX {jax.__version__} has no {', '.join(missing)}" if missing else ""


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Lets JAX interpret the TPU kernels that are traced in the block, where the default backend is the CPU.

    Kernels that are given ``interpret`` keep it. Without Pallas, which takes long to import, nothing changes.
    """
    if PRIMITIVE not in sys.modules or jax.default_backend() != "cpu" or interprets_kernels():
        yield
        return
    from jax.experimental.pallas import tpu as pltpu

    def change(params: dict[str, Any]) -> None:
        if not params["interpret"] and not is_for_gpu(params):
            params["interpret"] = pltpu.InterpretParams(dma_execution_mode="eager")

    with changing(change):
        yield


@contextlib.contextmanager
def changing(change: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    """Changes the parameters of kernels that are called in the block: what a kernel does is fixed when it is called.

    JAX 0.9 – 0.12: primitives of kernels are private. From 0.10 on ``pl.kernel`` has one of its own; before, it is
    ``pl.core_map``, which becomes a ``pallas_call`` when it is lowered.
    """
    primitives = [
        getattr(sys.modules[module], name) for module, name in _PRIMITIVES if hasattr(sys.modules.get(module), name)
    ]
    for primitive in primitives:
        primitive.bind = _changed(primitive.bind, change)
    try:
        yield
    finally:
        for primitive in primitives:
            del primitive.bind


def _changed(bind: Callable[..., Any], change: Callable[[dict[str, Any]], None]) -> Callable[..., Any]:
    def bound(*args: Any, **params: Any) -> Any:
        change(params)
        return bind(*args, **params)

    return bound


def kernel_sends(eqn: JaxprEqn) -> bool | None:
    """Whether the kernel of a ``pallas_call`` copies to other devices; None where that is not known.

    JAX 0.9 – 0.12: the primitives of kernels are private. ``pl.kernel`` may have several kernels.
    """
    bodies = _bodies(eqn)
    if is_for_gpu(eqn.params) or not bodies:
        return None
    copies = [e for body in bodies for e in every_equation(body) if e.primitive.name == "dma_start"]
    # The last is the device that it goes to.
    return any(jax.tree.unflatten(e.params["tree"], e.invars)[-1] is not None for e in copies)


def kernel_name(eqn: JaxprEqn) -> str:
    """The function of a ``pallas_call``, or what a ``core_map`` is named after; empty where JAX does not know it."""
    own = function_name(next(iter(_bodies(eqn)), None))
    return (eqn.params.get("name") or "") if own in ("", "_") else own


def _bodies(eqn: JaxprEqn) -> Sequence[Any]:
    return [eqn.params["jaxpr"]] if "jaxpr" in eqn.params else eqn.params.get("jaxprs", ())


def is_for_gpu(params: Mapping[str, Any]) -> bool:
    """Whether a kernel is one of Mosaic GPU or Triton, by its parameters or by the mesh that it runs on.

    JAX 0.9 has parameters for each platform.
    """
    given = params.get("compiler_params")
    said = [*given.values()] if isinstance(given, Mapping) else [given]
    modules = [type(one).__module__ for one in (*said, params.get("mesh"), *params.get("meshes", ()))]
    return any("mosaic_gpu" in module or "triton" in module for module in modules)
