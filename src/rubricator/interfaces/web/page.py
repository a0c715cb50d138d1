"""A page from its template."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE: Final = Path(__file__).parent


def page(name: str, **values: Any) -> str:
    """The template `name` filled with `values`, which are escaped; a value that it lacks is an error."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    return Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined)
