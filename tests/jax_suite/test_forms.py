"""What ``read.placement`` takes, and how it refuses anything else."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardwidget import read
from shardwidget.document import MeshAxis, to_wire
from shardwidget.read._values import sampled

LEGAL = r"Legal forms: a jax\.Array or a jax\.Ref; a jax\.ShapeDtypeStruct .*; a tuple .*; .*AbstractMesh"


def mesh_of(*types: AxisType) -> Mesh:
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=types or (AxisType.Explicit,) * 2)


def test_the_array_of_the_tutorial():
    x = jax.device_put(np.arange(128, dtype="float32").reshape(8, 16), NamedSharding(mesh_of(), P("x", "y")))
    p = read.placement(x, name="x")
    assert (p.name, p.shape, p.dtype, p.type, p.spec) == ("x", (8, 16), "float32", "f32[8@x,16@y]", repr(P("x", "y")))
    assert p.mesh.axes == (MeshAxis("x", 4, "Explicit"), MeshAxis("y", 2, "Explicit"))
    assert (p.mesh.platform, p.mesh.kind, p.mesh.this_process, p.memory_kind) == ("cpu", "cpu", 0, "device")
    assert p.slices(3) == (slice(2, 4), slice(8, 16))
    assert p.hlo == "{devices=[4,2]<=[8]}"
    assert p.shardy == '#sdy.sharding<mesh<["x"=4, "y"=2]>, [{"x"}, {"y"}]>'
    assert (p.agreement, p.jax_version) == ("same", jax.__version__)


def test_every_form_reads_the_same():
    sharding = NamedSharding(mesh_of(), P(("y", "x"), None))
    array = jax.device_put(np.zeros((8, 16), "float32"), sharding)
    like = to_wire(read.placement(jax.ShapeDtypeStruct((8, 16), "float32", sharding=sharding)))
    assert to_wire(read.placement(((8, 16), "float32", sharding))) == like
    assert to_wire(read.placement(([8, 16], jnp.float32, sharding))) == like
    assert to_wire(read.placement(((np.int64(8), 16), np.dtype("float32"), sharding))) == like
    assert to_wire(read.placement(array)) == {**like, "state": "live"}


@pytest.mark.parametrize("mesh", [mesh_of(), AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)])
def test_a_mesh_alone(mesh):
    p = read.placement(mesh)
    assert (p.shape, p.dims, p.type, p.spec, p.nbytes, p.wasted_bytes) == (None, (), "", None, 0, 0)
    assert p.mesh == read.placement(((8,), "int8", NamedSharding(mesh, P("x")))).mesh
    assert p.mesh.abstract == isinstance(mesh, AbstractMesh)


def test_a_mesh_without_axes():
    device = jax.devices()[5]
    mesh = Mesh(np.array(device), ())
    assert read.placement(mesh).device_ids == (5,)
    assert read.placement(((3,), "int8", NamedSharding(mesh, P()))).slices(5) == (slice(0, 3),)


def test_axis_names_need_not_be_strings():
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), (1, 2))
    p = read.placement(((4, 2), "int8", NamedSharding(mesh, P((2, 1)))))
    assert [axis.name for axis in p.mesh.axes] == ["1", "2"]
    assert p.dims[0].axes == ("2", "1")
    assert p.tiles == 4


def test_unconstrained():
    p = read.placement(((8, 16), "int8", NamedSharding(mesh_of(AxisType.Auto, AxisType.Auto), P("x", P.UNCONSTRAINED))))
    assert [dim.unconstrained for dim in p.dims] == [False, True]
    assert p.shardy.endswith('[{"x"}, {?}]>')


@pytest.mark.parametrize(
    ("types", "spec", "agreement"),
    [
        ((AxisType.Explicit, AxisType.Explicit), P("x"), "same"),
        ((AxisType.Explicit, AxisType.Explicit), P(("x",), None), "same"),
        ((AxisType.Explicit, AxisType.Explicit), P("x", unreduced=frozenset("y")), "same"),
        ((AxisType.Auto, AxisType.Auto), P("x"), "silent"),
        ((AxisType.Explicit, AxisType.Auto), P("x", "y"), "partly"),
        ((AxisType.Explicit, AxisType.Auto), P(("x", "y")), "partly"),
    ],
)
def test_agreement_of_type_and_placement(types, spec, agreement):
    assert read.placement(((8, 16), "int8", NamedSharding(mesh_of(*types), spec))).agreement == agreement


def test_a_type_that_differs_is_said_to():
    # JAX makes no such array; a version with a bug may, and the picture must not hide it.
    from shardwidget.read._placement import _agreement

    assert _agreement(P(None, "x"), NamedSharding(mesh_of(), P("x"))) == "differs"
    assert _agreement(P("x"), NamedSharding(mesh_of(), P("x", unreduced=frozenset("y")))) == "differs"
    assert _agreement(P(("y", "x")), NamedSharding(mesh_of(), P(("x", "y")))) == "differs"


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (np.ones(3), r"cannot read a numpy\.ndarray as an array\. .*jnp\.asarray\(x\)"),
        (np.float32(1), r"cannot read a numpy\.float32 as an array\. .*jnp\.asarray\(x\)"),
        (1.5, r"cannot read a builtins\.float as an array\. .*jnp\.asarray\(x\)"),
        ([1, 2], r"A list of 2 is not one of these: ModelView and read.model take pytrees of arrays"),
        ((1, 2, 3), r"A tuple of 3 is not one of these"),
        (P("x"), r"A PartitionSpec alone has no mesh: give \(shape, dtype, NamedSharding\(mesh, spec\)\)"),
        (NamedSharding(mesh_of(), P("x")), r"A sharding alone has no shape: give \(shape, dtype, sharding\)"),
        (None, r"cannot read a builtins\.NoneType as an array"),
    ],
)
def test_no_array(x, words):
    with pytest.raises(TypeError, match=rf"{words}.*{LEGAL}"):
        read.placement(x)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (((8, "a"), "int8", NamedSharding(mesh_of(), P())), r"the shape \(8, 'a'\) must hold integers, 0 or more"),
        (((8, -1), "int8", NamedSharding(mesh_of(), P())), r"the shape \(8, -1\) must hold integers, 0 or more"),
        (((8,), "int8", P("x")), r"a PartitionSpec names no devices; bind it to a mesh"),
        (((8,), "int8", None), r"None is not a jax\.sharding\.Sharding"),
        (((8,), "floaty", NamedSharding(mesh_of(), P())), r"data type 'floaty' not understood"),
        (((8,), None, NamedSharding(mesh_of(), P())), r"dtype must be specified"),
    ],
)
def test_no_triple(x, words):
    with pytest.raises(TypeError, match=rf"as \(shape, dtype, sharding\): .*{words}.* Write \(\(8, 16\), 'float32',"):
        read.placement(x)


def test_a_struct_without_sharding():
    with pytest.raises(ValueError, match=r"has no sharding.* jax\.ShapeDtypeStruct\(\(8,\), 'float32', sharding="):
        read.placement(jax.ShapeDtypeStruct((8,), "float32"))


@pytest.mark.parametrize(
    ("shape", "spec", "types"),
    [((7, 16), P("x"), ()), ((7, 16), P("x"), (AxisType.Auto,) * 2), ((8, 4), P(None, ("x", "y")), ())],
)
def test_a_size_that_does_not_divide_is_told_in_the_words_of_jax(shape, spec, types):
    sharding = NamedSharding(mesh_of(*types), spec)
    with pytest.raises(ValueError, match="should evenly divide the shape") as jax_says:
        sharding.shard_shape(shape)
    for x in [(shape, "float32", sharding), jax.ShapeDtypeStruct(shape, "float32", sharding=sharding)]:
        with pytest.raises(ValueError, match="Give a sharding that fits the shape") as said:
            read.placement(x)
        assert str(said.value).startswith(str(jax_says.value))


def test_a_spec_that_is_too_long_is_told_in_the_words_of_jax():
    sharding = NamedSharding(mesh_of(), P("x", "y"))
    with pytest.raises(ValueError, match="only valid for values of rank at least 2") as jax_says:
        sharding.check_compatible_aval((8,))
    with pytest.raises(ValueError, match="Give a sharding that fits the shape") as said:
        read.placement(((8,), "float32", sharding))
    assert str(said.value).startswith(str(jax_says.value))


def test_a_tracer_has_no_place():
    x = jax.device_put(np.zeros((8, 16), "float32"), NamedSharding(mesh_of(), P("x")))
    with pytest.raises(TypeError, match=r"tracer of type float32\[8@x,16\].*Read the array outside.*jax\.typeof\(x\)"):
        jax.jit(read.placement)(x)
    with pytest.raises(TypeError, match=r"tracer of type float32\[2,16\]\{V:x\}"):
        jax.shard_map(read.placement, mesh=mesh_of(), in_specs=P("x"), out_specs=P("x"))(x)
    with pytest.raises(TypeError, match="tracer"):
        jax.jit(lambda x: sampled(x, [0]))(x)


def test_a_size_that_is_not_known():
    (size,) = jax.export.symbolic_shape("n")
    with pytest.raises(ValueError, match=r"the shape \(n,\) is not known"):
        read.placement(jax.ShapeDtypeStruct((size,), "float32", sharding=NamedSharding(mesh_of(), P())))


@pytest.mark.parametrize("mesh", [AbstractMesh((), ()), jax.sharding.get_mesh()])
def test_an_empty_mesh(mesh):
    with pytest.raises(ValueError, match=r"The mesh is empty: .* Make one with jax\.make_mesh"):
        read.placement(mesh)
