"""``show`` takes what readers return."""

import importlib
import pkgutil
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import document as documents
from shardwidget import pipeline, read
from shardwidget.document.base import Document
from shardwidget.testing.baseline import baseline, differences
from shardwidget.widgets import _show
from tests.models import MODEL_COMPARISONS, eight

MESH = eight()


def put(spec):
    return jax.device_put(jnp.ones((8, 8)), NamedSharding(MESH, spec))


X = put(P("data", "model"))


def product(x):
    return x @ x


@jax.jit
def mapped(x):
    return jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=MESH, in_specs=P("data"), out_specs=P())(x)


DOCUMENTS = {
    "placement": lambda: read.placement(X),
    "groups of devices": lambda: read.placement(put(P(None, "model")), groups=(MESH, "data")),
    "trace": lambda: read.trace(mapped, X),
    "comparison": lambda: read.comparison(product, X),
    "program": lambda: read.program(product, X),
    "programs": lambda: read.programs({"one": (product, X), "other": (mapped, X)}),
    "memory": lambda: read.memory(product, X),
    "memory of one that returns its argument": lambda: read.memory(lambda x: x, X),
    "model": lambda: read.model({"w": X}),
    "models": MODEL_COMPARISONS["changed"],
    "namespace": lambda: read.namespace({"x": X}),
    "compiled again": lambda: read.recompiled(lambda: [jax.jit(jnp.sin)(jnp.ones(n)) for n in (2, 3)]),
    "baseline": lambda: differences("step.txt", {}, baseline(read.program(product, X))),
    "remedies": lambda: read.remedies(product, X),
    "why": lambda: read.comparison(product, X).why(1, 0),
    "plan": lambda: read.reshard_plan(X, NamedSharding(MESH, P("model"))),
    "run": lambda: read.run(product, X, n=1),
    "schedule": lambda: read.schedule(pipeline.one_f_one_b(2, 4)),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_shown_as_it_was_read(name):
    document = DOCUMENTS[name]()
    view: Any = sw.show(document)
    assert (view.memory() if isinstance(document, sw.Memory) else view.document) == document
    assert "<" in view.to_html()


def test_every_kind_of_document_that_a_reader_returns_has_a_widget():
    drawn_by_other_means = {"algorithms", "exercises", "grades"}
    # Some are loaded when they are used.
    for module in pkgutil.iter_modules(documents.__path__, f"{documents.__name__}."):
        importlib.import_module(module.name)
    kinds = {kind.kind for kind in _kinds(Document)}
    assert set(_show._OF_DOCUMENTS) == kinds - drawn_by_other_means


def test_a_document_of_words_begins_with_its_answer():
    view = sw.show(read.recompiled(lambda: None))
    assert view._state(complete=True)["_text"] == repr(view.document)
    assert "none again" in view.to_svg()


def test_where_traces_differ_is_printed_and_not_taken_for_a_tree():
    def scaled(k):
        return jax.shard_map(lambda x: x * k, mesh=MESH, in_specs=P("data"), out_specs=P("data"))

    trace, other = read.trace(scaled(2), X), read.trace(scaled(3), X)
    with pytest.raises(TypeError, match="there is no widget for a Difference: print it"):
        sw.show(trace.compare(other))


def _kinds(of: type) -> list:
    return [kind for one in of.__subclasses__() for kind in ([one] if hasattr(one, "kind") else []) + _kinds(one)]


def test_what_is_compiled_to_be_read_is_shown_as_a_program():
    assert isinstance(sw.show(read.compiled(product, X)), sw.CompiledProgram)


def test_a_memory_alone_opens_on_its_page():
    memory = read.memory(product, X)
    view: Any = sw.show(memory)
    assert (view.page, view.memory(), view.document.name) == ("memory", memory, "product")
    assert "its collectives are not known" in view.document.note
    assert view._pages["memory 0"]["kind"] == "memory"


def test_a_program_can_be_given_its_memory():
    program, memory = read.program(product, X), read.memory(product, X)
    view = sw.CompiledProgram(program, memory=memory, page="memory")
    assert view.memory() == memory
    assert view._pages["memory 0"]["kind"] == "memory"
    assert '"kind":"memory"' in view.to_html().replace(" ", "")


@pytest.mark.parametrize(
    ("of", "given", "said"),
    [
        ("program", lambda: "text", "got a str"),
        ("program", lambda: read.memory(lambda: jnp.ones(3)), "on 8 devices; got a Memory on 1"),
        ("programs", lambda: read.memory(product, X), "Several programs"),
    ],
)
def test_a_memory_of_something_else_is_refused(of, given, said):
    with pytest.raises(TypeError, match=said):
        sw.CompiledProgram(DOCUMENTS[of](), memory=given())


def test_a_program_without_its_memory_says_how_to_give_it():
    with pytest.raises(ValueError, match=r"memory=read\.memory"):
        sw.CompiledProgram(read.program(product, X)).memory()
