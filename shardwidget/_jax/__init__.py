"""What JAX does not promise: private names, undocumented attributes, texts of messages, differences between versions.

Nothing else in the package touches these; a test looks for what does. Each shim names the JAX versions that it was run
on. A text that a version cannot give is an empty string, never an error: HLO and Shardy texts explain a sharding,
nothing is computed from them.

- ``types``, ``shardings``: what values and specs say.
- ``jaxprs``, ``control``, ``primitives``: equations, the jaxprs that they enter, what they are by name.
- ``sources``: the user's lines and names.
- ``failures``, ``messages``: how far tracing came, and what JAX's message means.
- ``continuing``: going on with a fix where a type stops a program.
- ``inspection``: where the compiler puts a value.
"""

from shardwidget._jax import messages
from shardwidget._jax.continuing import Fixer, Mark, fixing, mark_of, marked
from shardwidget._jax.control import (
    Cond,
    Control,
    FunctionCall,
    Scan,
    ShardMap,
    While,
    control_of,
    every_equation,
    is_open,
    own_params,
    with_bodies,
)
from shardwidget._jax.failures import Mapped, Unfinished, unfiltered, unfinished
from shardwidget._jax.inspection import inspection
from shardwidget._jax.jaxprs import (
    OpenJaxpr,
    bind,
    bind_here,
    closed,
    context_key,
    context_mesh,
    is_dropped,
    open_jaxpr,
    with_equations,
)
from shardwidget._jax.primitives import (
    ACCUMULATES,
    CALLS,
    ELEMENTWISE,
    MOVES,
    PLACES,
    PPERMUTE_IN_MESH_ORDER,
    RELAYOUTS,
    SHAPE_ONLY,
    WRITES,
    print_text,
)
from shardwidget._jax.shardings import (
    device_assignment,
    hlo_text,
    is_silent,
    logical_device_ids,
    on_mesh,
    partitions,
    shardy_text,
    spec_on,
    unreduced_kind,
)
from shardwidget._jax.sources import (
    OURS,
    argument_names,
    calls_reshard,
    from_user,
    function_name,
    function_place,
    is_differentiated,
    is_forward,
    is_user_file,
    named,
    named_scopes,
    place_now,
    raised_at,
    stack_within,
    static_parameters,
    user_frames,
)
from shardwidget._jax.types import kept, manual_types, of_type, plain_text, type_text, with_sharding

__all__ = [
    "ACCUMULATES",
    "CALLS",
    "ELEMENTWISE",
    "MOVES",
    "OURS",
    "PLACES",
    "PPERMUTE_IN_MESH_ORDER",
    "RELAYOUTS",
    "SHAPE_ONLY",
    "WRITES",
    "Cond",
    "Control",
    "Fixer",
    "FunctionCall",
    "Mapped",
    "Mark",
    "OpenJaxpr",
    "Scan",
    "ShardMap",
    "Unfinished",
    "While",
    "argument_names",
    "bind",
    "bind_here",
    "calls_reshard",
    "closed",
    "context_key",
    "context_mesh",
    "control_of",
    "device_assignment",
    "every_equation",
    "fixing",
    "from_user",
    "function_name",
    "function_place",
    "hlo_text",
    "inspection",
    "is_differentiated",
    "is_dropped",
    "is_forward",
    "is_open",
    "is_silent",
    "is_user_file",
    "kept",
    "logical_device_ids",
    "manual_types",
    "mark_of",
    "marked",
    "messages",
    "named",
    "named_scopes",
    "of_type",
    "on_mesh",
    "open_jaxpr",
    "own_params",
    "partitions",
    "place_now",
    "plain_text",
    "print_text",
    "raised_at",
    "shardy_text",
    "spec_on",
    "stack_within",
    "static_parameters",
    "type_text",
    "unfiltered",
    "unfinished",
    "unreduced_kind",
    "user_frames",
    "with_bodies",
    "with_equations",
    "with_sharding",
]
