"""The shape of the code: what is pure, how large a module may be, which words stand where, what an import costs.

Which package may import which is checked by import-linter (the contracts are in pyproject.toml).
"""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rubricator

SOURCE = Path(rubricator.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = {"core", "memory", "calibration", "inference"}
PURE = [module for module in MODULES if module.relative_to(SOURCE).parts[0] in PACKAGES]

PURE_IMPORTS = frozenset(
    """__future__ abc array ast bisect collections dataclasses datetime decimal enum fractions functools hashlib
    heapq hmac itertools json math numpy operator pydantic re scipy statistics string textwrap types typing
    unicodedata zlib Stemmer""".split()
)
"""All that pure modules may import beside each other and the errors: nothing that reads or changes the world."""

IMPURE_NAMES = frozenset("open print input exec eval compile breakpoint globals __import__".split())
IMPURE_METHODS = frozenset("now utcnow today fromtimestamp".split())
"""Ways to read the clock through `datetime`, which is pure but for them. (`fromtimestamp` reads the time zone.)"""
UNSEEDED = frozenset("random rand randn randint choice shuffle permutation seed".split())
"""NumPy's ways to draw numbers from a state that nobody has seeded: attributes of `np.random`."""

MAX_LINES = 400
HEAVY = """tantivy biblicus click yaml sqlite3 numpy scipy starlette jinja2 kreuzberg selectolax filelock Stemmer
    pydantic openai tactus""".split()


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The modules imported anywhere in a module, inside functions too, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def impurities(source: str) -> list[str]:
    """What a pure module must not do, by line."""
    tree = ast.parse(source)
    found = []
    for line, module in imports(tree):
        root, *rest = module.split(".")
        inside = root == "rubricator" and rest and rest[0] in {*PACKAGES, "errors"}
        if not inside and root not in PURE_IMPORTS:
            found.append(f"line {line} imports {module}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in IMPURE_NAMES:
            found.append(f"line {node.lineno} uses {node.id}")
        elif isinstance(node, ast.Attribute) and node.attr in IMPURE_METHODS:
            found.append(f"line {node.lineno} uses .{node.attr}")
        elif isinstance(node, ast.Attribute) and node.attr in UNSEEDED and ast.unparse(node.value) == "np.random":
            found.append(f"line {node.lineno} uses np.random.{node.attr}, which no seed governs")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("default_rng") and not node.args:
            found.append(f"line {node.lineno} draws random numbers without a seed")
    return found


@pytest.mark.parametrize("module", PURE, ids=name_of)
def test_the_pure_packages_are_pure(module) -> None:
    assert impurities(module.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import os.path",
        "from pathlib import Path",
        "import io, re",
        "def f():\n    import time",
        "import random",
        "from urllib.request import urlopen",
        "from . import context",
        "from rubricator.adapters import tree",
        "from rubricator import Workspace",
        "import rubricator",
        "from rubricator.settings import Settings",
        "open('x')",
        "read = open",
        "print('x')",
        "import datetime as dt\ndt.datetime.now()",
        "import datetime as dt\ndt.date.today()",
        "from datetime import date\ntoday = date.today",
        "__import__('os')",
        "import numpy as np\nnp.random.shuffle([1, 2])",
        "import numpy as np\ngenerator = np.random.default_rng()",
    ],
)
def test_an_impure_module_would_be_noticed(source) -> None:
    assert impurities(source)


def test_a_pure_module_passes() -> None:
    assert not impurities(
        "import datetime as dt\nfrom collections.abc import Iterable\nfrom rubricator.core.scope import Scope\n"
        "def f(d): return dt.date.fromisoformat(d)"
    )


def test_there_is_something_to_look_at() -> None:
    assert {name_of(module).split("/")[0] for module in PURE} == PACKAGES
    assert len(PURE) > 15


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_is_too_long(module) -> None:
    lines = module.read_text(encoding="utf-8").count("\n")

    assert lines <= MAX_LINES


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_is_a_drawer_of_odds_and_ends(module) -> None:
    drawers = {"util", "utils", "helper", "helpers", "manager", "managers", "common", "misc", "shared"}
    words = {word for part in module.relative_to(SOURCE).with_suffix("").parts for word in part.strip("_").split("_")}

    assert not words & drawers


def test_only_the_storage_adapter_knows_what_storage_calls_a_rubric() -> None:
    knowing = {
        name_of(path)
        for path in SOURCE.rglob("*")
        if path.suffix in {".py", ".md", ".toml", ".json", ".html"}
        and path.relative_to(SOURCE).parts[0] != "demo"
        and re.search(r"(?i)guidelines", path.read_text(encoding="utf-8"))
    }

    assert knowing == {"adapters/plexus.py"}


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after a statement, beyond those it starts with."""
    script = f"import sys\nbefore = set(sys.modules)\n{statement}\nprint(*sorted(set(sys.modules) - before), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import rubricator")

    assert "rubricator" in loaded
    assert {module.split(".")[0] for module in loaded} & set(HEAVY) == set()
    assert {module for module in loaded if module.startswith("rubricator.")} == set()


@pytest.mark.parametrize("name", ["Settings", "InputError", "Authority"])
def test_a_light_name_loads_nothing_heavy(name) -> None:
    loaded = loaded_by(f"from rubricator import {name}")

    assert {module.split(".")[0] for module in loaded} & set(HEAVY) == set()


def test_every_public_name_resolves() -> None:
    assert rubricator.__all__
    assert len(set(rubricator.__all__)) == len(rubricator.__all__)
    for name in rubricator.__all__:
        value = getattr(rubricator, name)
        assert value.__name__ == name
        assert value.__module__.startswith("rubricator.")


def test_the_public_names_are_those_that_type_checkers_see() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        (alias.name, node.module) for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    assert {name for name, _ in seen} == set(rubricator.__all__)
    for name, module in seen:
        assert getattr(importlib.import_module(str(module)), name) is getattr(rubricator, name)


def test_the_public_names_are_listed_and_no_other_resolves() -> None:
    assert set(rubricator.__all__) <= set(dir(rubricator))
    with pytest.raises(AttributeError, match="Guidelines"):
        _ = rubricator.Guidelines


def test_there_are_about_twenty_public_names() -> None:
    assert len(rubricator.__all__) <= 30
