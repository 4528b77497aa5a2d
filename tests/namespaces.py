"""Names and arrays that tests share: what a session may hold, before and after a cell."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget.document import Namespace
from shardwidget.read._namespace.look import Looks
from tests.models import eight


def put(shape: tuple[int, ...], *spec: Any) -> jax.Array:
    """Ones on a mesh of 4 × 2 devices."""
    return jax.device_put(np.ones(shape, np.float32), NamedSharding(eight(), P(*spec)))


def session() -> dict[str, Any]:
    """The names of a session: a tree with a copied leaf, single arrays, an alias, one that is on one device."""
    x = put((256, 64), "data")
    params = {"embed": put((256, 64)), "up": put((64, 128), None, "model"), "down": put((128, 64), "model")}
    names = {"params": params, "x": x, "h": put((256, 128), "data", "model"), "table": jnp.ones((64, 64)), "same": x}
    return names | {"key": jax.random.key(0), "numbers": list(range(10)), "text": "no array"}


def cell(names: dict[str, Any]) -> None:
    """A cell: it reshards a leaf, deletes an array, adds one and unbinds a name."""
    names["params"]["up"] = jax.device_put(names["params"]["up"], NamedSharding(eight(), P("data", "model")))
    names["h"].delete()
    names["out"] = put((256, 64), "data")
    del names["table"]


def at_first() -> Namespace:
    return Looks(live=list).look(session())


def after_a_cell() -> Namespace:
    """With two arrays that no name holds; those of other tests do not count."""
    kept = [put((32, 64)), put((32, 64))]
    looks, names = Looks(live=lambda: kept), session()
    looks.look(names)
    cell(names)
    return looks.look(names, 6)


NAMESPACES = {
    "empty": lambda: Looks(live=list).look({"x": 1}),
    "session": at_first,
    "after": after_a_cell,
}
"""Documents by name."""
