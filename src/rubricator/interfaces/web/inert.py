"""Artifacts as HTML that can do nothing: Markdown without raw HTML, links as words, images as their description."""

from __future__ import annotations

from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup, escape


def render(text: str) -> Markup:
    """The text of an artifact as inert HTML. Headings are moved down, so that the page keeps its own outline."""
    return Markup(_markdown().render(text))  # noqa: S704 - raw HTML is escaped by the renderer, links and images are words


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    rules: dict[str, Any] = reader.renderer.rules  # type: ignore[attr-defined]
    rules["link_open"] = _nothing
    rules["link_close"] = _nothing
    rules["image"] = _image
    rules["html_block"] = _escaped
    rules["html_inline"] = _escaped
    rules["heading_open"] = _heading
    rules["heading_close"] = _heading
    return reader


def _nothing(*_: Any) -> str:
    return ""


def _image(tokens: Any, index: int, *_: Any) -> str:
    return str(escape(f"[image: {tokens[index].content}]"))


def _escaped(tokens: Any, index: int, *_: Any) -> str:
    return str(escape(tokens[index].content))


def _heading(tokens: Any, index: int, *_: Any) -> str:
    token = tokens[index]
    level = min(6, int(token.tag[1]) + 3)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
