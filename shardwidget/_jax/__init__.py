"""What JAX does not promise: private names, undocumented attributes, texts of messages, differences between versions.

Nothing else in the package touches these; a test looks for what does. Each shim names the JAX versions that it was run
on. A text that a version cannot give is an empty string, never an error: HLO and Shardy texts explain a sharding,
nothing is computed from them.

Traps: ``import jax.extend`` takes as long as all of this package, because it imports Pallas. Here it is imported where
it is used.

- ``types``, ``shardings``: what values and specs say.
- ``arrays``: nodes of trees, arrays that share memory.
- ``jaxprs``, ``control``, ``primitives``: equations, the jaxprs that they enter, what they are by name.
- ``sources``: the user's lines and names.
- ``failures``, ``messages``: how far tracing got, and what JAX's message means.
- ``continuing``: continuing with a fix where a type error stops a program.
- ``retracing``: tracing a program with other code, other options, or a mesh of one device.
- ``compiling``: what is compiled while code runs; tracing again what was traced before.
- ``exporting``: a traced function as data.
- ``inspection``: where the compiler puts a value.
- ``propagation``: how a program's operations are divided before it is compiled; ``origins``: why;
  ``inlining``: a module without functions, which that reads.
- ``flattened``: a program without calls, and the same with constraints.
- ``partitioning``: how a program is divided and what collectives that takes, before it is compiled.
- ``processes``: what the processes of a program tell one another.
- ``assignment``, ``dumping``: where the compiler puts buffers; programs that need too much memory.
- ``kernels``: what a Pallas kernel does on each device, under JAX's interpreter.
- ``profiling``: JAX's profiler, without its files.
"""

from shardwidget._jax import messages
from shardwidget._jax.arrays import base_array, children, held_array, is_ready, memory_at
from shardwidget._jax.assignment import (
    buffer_assignment,
    results_are_allocated_first,
    serialized_executable,
    text_of_proto,
)
from shardwidget._jax.compiling import (
    compilations,
    compiled,
    compiled_calls,
    is_running,
    module_text,
    own_context,
    own_lines,
    shares_lines,
    traced_under,
    without_trace_cache,
)
from shardwidget._jax.continuing import Fixer, Mark, fixing, mark_of, marked
from shardwidget._jax.control import (
    Cond,
    Control,
    FunctionCall,
    Scan,
    ShardMap,
    While,
    control_of,
    equations_in,
    every_equation,
    is_open,
    own_params,
    with_bodies,
)
from shardwidget._jax.dumping import Compilation, Dump, compilation, lowered_shardings
from shardwidget._jax.exporting import Exported, call_exported, exported
from shardwidget._jax.failures import Mapped, PartialTrace, partial_trace, unfiltered, variable_of
from shardwidget._jax.flattened import as_function, computed_once, constrained, constraint_of, flattened
from shardwidget._jax.inspection import inspection
from shardwidget._jax.jaxpp import MpmdFields, mpmd_fields
from shardwidget._jax.jaxprs import (
    FUSES_QUICKLY,
    UNFUSED,
    AnyJaxpr,
    OpenJaxpr,
    bind,
    bind_here,
    closed,
    context_key,
    context_mesh,
    is_dropped,
    lowered_as,
    open_jaxpr,
    quick_options,
    with_equations,
)
from shardwidget._jax.kernels import (
    Action,
    Buffer,
    NotForTpusError,
    Place,
    RecordedKernel,
    interpreted,
    interprets_kernels,
    kernel_name,
    kernel_sends,
    recorded_kernels,
)
from shardwidget._jax.origins import Operation, Record, Recorded, recorded
from shardwidget._jax.partitioning import ENTERS_FUNCTIONS, Axes, Block, Op, PartitionError, Value, partitioned
from shardwidget._jax.primitives import (
    ACCUMULATES,
    ARITHMETIC,
    CALLS,
    CONTRACTIONS,
    ELEMENTWISE,
    GATHERS_INVARYING,
    INDEXING,
    JOINING,
    LAYOUTS,
    LINEAR,
    MOVES,
    ONE_SIDED,
    OPAQUE,
    PLACES,
    POSITIONAL,
    PPERMUTE_IN_MESH_ORDER,
    RELAYOUTS,
    RESHAPES,
    SAME_ELEMENTS,
    SHAPE_ONLY,
    WRITES,
    known_name,
    name_of,
    print_text,
)
from shardwidget._jax.processes import Board
from shardwidget._jax.profiling import ProfilerSession, is_profiling
from shardwidget._jax.propagation import Split, propagated
from shardwidget._jax.retracing import (
    TURNS,
    Regions,
    holders,
    live_functions,
    options_of,
    retracing,
    runnable,
    without_mesh,
)
from shardwidget._jax.shardings import (
    AnyMesh,
    boundary_shardings,
    device_assignment,
    entered_mesh,
    forbidden_axes,
    forbidding,
    hlo_text,
    is_silent,
    logical_device_ids,
    moved_to,
    of_kind,
    on_mesh,
    partitions,
    shardy_text,
    spec_on,
    unreduced_kind,
)
from shardwidget._jax.sources import (
    OURS,
    SHIMS,
    Frame,
    argument_names,
    call_stack,
    calls_reshard,
    current_location,
    from_user,
    function_name,
    function_place,
    gradient_of,
    is_differentiated,
    is_forward,
    is_library_file,
    is_ours,
    is_user_file,
    named,
    named_scopes,
    raise_location,
    stack_within,
    static_parameters,
    user_frames,
)
from shardwidget._jax.spec_messages import RefusedSpec, refused_spec
from shardwidget._jax.types import (
    is_changed_by_vmap,
    is_future,
    is_ref,
    kept,
    manual_types,
    of_type,
    partial_kind,
    plain_text,
    type_text,
    typed_as,
    with_sharding,
    without_layout,
)
from shardwidget._jax.wrappers import (
    donating,
    donation_of,
    lowered_by_library,
    parameters_of_library,
    traced_by_jax,
    traces_arrays_alone,
    writes_arguments,
)
