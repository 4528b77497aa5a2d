"""What Python finds by name is what type checkers see; every document has its words, every view its front end."""

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import jax
import pytest
from jax.sharding import PartitionSpec as P

import shardwidget as sw
from shardwidget import document
from shardwidget.document import base
from shardwidget.document.columns import COLLECTIVES
from shardwidget.document.exercise import QuestionKind
from shardwidget.document.order import GeneratorName
from shardwidget.export import bundle
from shardwidget.pipeline import generators
from shardwidget.pipeline.generators import one_f_one_b
from shardwidget.testing.baseline import baseline, differences
from shardwidget.widgets._base import DocumentWidget
from shardwidget.widgets.compiled import Sort
from tests.diffs import halos
from tests.kernels import KERNELS
from tests.links import LINKS
from tests.mpmd import large
from tests.programs import PROGRAMS
from tests.reshards import example
from tests.searches import search

PACKAGE = Path(sw.__file__).parent


def for_type_checkers(package: str) -> dict[str, str]:
    """Names that an ``__init__`` imports only for type checkers, and from where."""
    tree = ast.parse((PACKAGE / package / "__init__.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: node.module or "" for node in imports for alias in node.names}


def test_type_checkers_see_the_public_names_from_where_they_are():
    found = for_type_checkers("")
    modules = {name: "shardwidget" for name, module in sw._PUBLIC.items() if module == f"shardwidget.{name}"}
    assert found == sw._PUBLIC | modules
    assert for_type_checkers("read") == sw.read._READERS


def test_names_are_listed_and_found():
    assert dir(sw) == sorted(sw._PUBLIC)
    assert dir(sw.read) == sorted(sw.read._READERS)
    for name in dir(sw):
        assert getattr(getattr(sw, name), "__name__", "shardwidget.config").rpartition(".")[2] == name
    with pytest.raises(AttributeError, match="module 'shardwidget' has no attribute 'ArayView'"):
        sw.ArayView  # noqa: B018 # pyright: ignore


def test_every_document_has_words():
    kinds = {name for name in document.__all__ if issubclass_of_document(getattr(document, name))}
    elsewhere = {"Overlap", "Why"}  # Made, and printed, in test_overlap and test_why.
    assert kinds - {"Document"} == set(DOCUMENTS) | elsewhere
    for name in (*DOCUMENTS, *elsewhere):
        module = getattr(document, name).__module__.rpartition(".")[2]
        words = importlib.import_module(f"shardwidget.export.{module}")
        assert {"headline", "picture", "table"} <= set(dir(words))


def issubclass_of_document(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, document.Document)


def test_every_widget_has_its_front_end():
    views = {f"{card.parent.name}.js" for card in (PACKAGE.parent / "js" / "src").glob("*/Card.tsx")}
    widgets = [getattr(sw, name) for name in dir(sw)]
    fronts = {w.bundle for w in widgets if isinstance(w, type) and issubclass(w, DocumentWidget)}
    fronts.add("mpmd.js")  # That of ArrayView for arrays on groups.
    assert fronts == views <= set(json.loads(bundle.read("bundles.json")))


MESH = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
X = jax.ShapeDtypeStruct((64, 64), "float32", sharding=jax.sharding.NamedSharding(MESH, P("x", "y")))


def long(a):
    for _ in range(60):
        a = jax.lax.psum(a, "x") * 2.0
    return a


DOCUMENTS = {
    "Placement": lambda: sw.read.placement(X),
    "Trace": lambda: sw.read.trace(jax.shard_map(long, mesh=MESH, in_specs=P("x", "y"), out_specs=P(None, "y")), X),
    "Comparison": lambda: sw.read.comparison(lambda a: sum(a * k for k in range(50)), X),
    "ComparisonDiff": lambda: sw.read.comparison(lambda a: a * 2, X).diff(
        sw.read.comparison(lambda a: sum(a * k for k in range(50)), X)
    ),
    "Program": lambda: sw.read.program(lambda a: a * 2, 1.0),
    "Programs": lambda: sw.read.programs({"<b>": (lambda a: a * 2, 1.0)}),
    "Exercises": lambda: sw.Exercise.write_spec((8, 8), MESH, gives=P("x")).document,
    "Memory": lambda: sw.read.memory(lambda a: a * 2, 1.0),
    "MemoryDiff": lambda: sw.read.memory(lambda a: a * 2, 1.0).diff(
        sw.read.memory(lambda a: a.sum(), jax.numpy.ones((8, 4)))
    ),
    "Model": lambda: sw.read.model({"<b>": [X] * 50}),
    "ModelComparison": lambda: sw.read.model({"<b>": [X] * 50}).diff(sw.read.model({"<i>": [X] * 50})),
    "MpmdPlacement": large,
    "Namespace": lambda: sw.read.namespace({f"<b>{k}": jax.numpy.ones((k,)) for k in range(50)}),
    "ProgramDiff": lambda: (program := sw.read.program(lambda a: a * 2, 1.0)).diff(program),
    "Recompiled": lambda: sw.read.recompiled(lambda: jax.jit(lambda a: a * 2)(1.0)),
    "BaselineDiff": lambda: differences("step.txt", {}, baseline(PROGRAMS["training"]())),
    "Remedies": lambda: sw.read.remedies(lambda a: (a * 2, a.sum()), jax.numpy.ones(1024)),
    "ReshardPlan": example,
    "Kernel": KERNELS["race"],
    "Links": LINKS["orders"],
    "Search": search,
    "SearchDiff": lambda: search(compiled=3).diff(search(compiled=4)),
    "TraceDiff": halos,
    "Schedule": lambda: one_f_one_b(64, 64),
    "Schedules": lambda: document.Schedules((one_f_one_b(4, 8), one_f_one_b(4, 16))),
    "Run": lambda: sw.read.run(lambda a: a * 2, 1.0, n=1, name="<b>"),
    "Runs": lambda: document.Runs((run := sw.read.run(lambda a: a * 2, 1.0, n=1, name="<b>")).mesh, (run,)),
    "Algorithms": lambda: sw.AlgorithmView("psum", 8).document,
    "Playground": lambda: sw.SpecPlayground((8, 8), MESH, spec=P(("x", "y"), P.UNCONSTRAINED)).document,
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_documents_print_and_display_themselves(kind):
    made = DOCUMENTS[kind]()
    assert type(made).__name__ == kind
    lines = repr(made).splitlines()
    assert 1 <= len(lines) <= 60
    assert kind not in lines[0]
    assert "<script" not in made._repr_html_()
    assert "<b>" not in made._repr_html_().replace("<p><b>", "").replace('<p style="margin:4px 0"><b>', "")


def test_a_long_text_says_what_is_left_out(monkeypatch):
    monkeypatch.setattr(base, "MOST_LINES", 5)
    *_, last = repr(DOCUMENTS["Trace"]()).splitlines()
    assert re.fullmatch(r"… \d+ more lines: to_json\(\) has all", last)


def test_every_function_that_documents_are_provided_with_is_there():
    for name, module in sw._PROVIDED.items():
        assert callable(getattr(importlib.import_module(module), name))


def test_packages_alone_import_by_name():
    """What a text names, import-linter does not see: a circle could hide in it."""
    files = (
        path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if "import_module" in path.read_text()
    )
    assert set(files) == {"_late.py", "document/__init__.py", "export/__init__.py", "teach/travel.py"}


def test_showing_an_array_imports_only_its_own_documents():
    program = (
        "import sys; from shardwidget import ArrayView\n"
        "print(*(n.rpartition('.')[2] for n in sys.modules if n.startswith('shardwidget.document.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600)
    loaded = done.stdout.split()
    assert set(loaded) <= {"wire", "base", "mesh", "collective", "placement", "mpmd", "fix"}


def test_every_name_that_documents_list_has_its_code():
    """A generator its rule and its name, an exercise its question, a column of collectives a way to sort."""
    for rules in (generators.NAMES, generators._RULES):
        assert list(rules) == list(get_args(GeneratorName))
    asked = re.findall(r'^    task = "(\w+)"$', "".join(map(Path.read_text, PACKAGE.glob("teach/*.py"))), re.MULTILINE)
    assert sorted(asked) == sorted(get_args(QuestionKind))
    assert [kind for kind in get_args(QuestionKind) if not hasattr(sw.Exercise, kind)] == []
    assert set(get_args(Sort)) == {"order", *(column.key for column in COLLECTIVES)}
