"""Web pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rubricator.memory.document import Extraction

Blocks = Callable[..., list[tuple[str, str]]]

PAGE = """<!DOCTYPE html><html><head><title>Rules &amp; more</title><style>p {}</style></head><body>
<nav><a>Home</a></nav><script>var x = 1;</script><div role="navigation">Menu</div>
<h1>The <em>rule</em></h1><p>One &amp; only<br>second line</p><p hidden>unseen</p><p style="display: none">unseen</p>
<ul><li>first<ul><li>inner</li></ul></li><li><p>second</p></li></ul>
<table><caption>Limits</caption><tr><th>Who</th><th>Limit</th></tr><tr><td><p>agent</p></td><td>40</td></tr></table>
<pre>  code
  more</pre><img src="data:image/png;base64,AAAA" alt="x"><!-- comment --></body></html>"""


def test_a_page_becomes_what_its_reader_sees(blocks: Blocks) -> None:
    assert blocks(PAGE, "a.html") == [
        ("heading", "The rule"),
        ("paragraph", "One & only\nsecond line"),
        ("list", "- first"),
        ("list", "  - inner"),
        ("list", "- second"),
        ("paragraph", "Limits"),
        ("table", "Who | Limit"),
        ("table", "agent | 40"),
        ("code", "  code\n  more"),
    ]


def test_the_title_is_the_pages_own(read: Callable[..., Extraction]) -> None:
    assert read(PAGE, "a.html").documents[0].title == "Rules & more"


def test_tables_that_only_place_things_make_no_rows(blocks: Blocks) -> None:
    page = "<table><tr><td><p>One</p><p>Two</p></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>"
    assert blocks(page, "a.html") == [("paragraph", "One"), ("paragraph", "Two"), ("table", "a | b")]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("<meta charset=iso-8859-1><p>café".encode("latin-1"), "cp1252"),
        ("<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><p>café".encode("utf-16"), "utf-16-le"),
        ("<meta charset=windows-1255><p>café שלום".encode("cp1255", "ignore"), "cp1255"),
        ("<p>café".encode(), "utf-8"),
    ],
)
def test_a_declared_charset_holds_unless_the_bytes_say_otherwise(
    read: Callable[..., Extraction], data: bytes, encoding: str
) -> None:
    (document,) = read(data, "a.html").documents
    assert document.text.startswith("caf")
    assert document.encoding == encoding


@pytest.mark.parametrize("tag", ["<div>", "<b>", "<table><tr><td>", "<ul><li>", "<blockquote>"])
def test_deep_nesting_is_survived(read: Callable[..., Extraction], tag: str) -> None:
    assert "core" in read(tag * 3000 + "core", "a.html").documents[0].text


def test_an_empty_page_is_no_text(reason: Callable[..., str]) -> None:
    assert reason("<html><body><script>x</script></body></html>", "a.html") == "no text"
