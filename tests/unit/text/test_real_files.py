"""Files that other people found awkward: each is read, or passed over with a reason."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rubricator.adapters.text import Extractor
from rubricator.memory.document import Extraction

from .conftest import check_invariants, kinds

EXPECTED = {
    "markitdown/test_mskanji.csv": "名前: 佐藤太郎; 年齢: 30; 住所: 東京",
    "markitdown/test_rss.xml": "The Official Microsoft Blog",
    "markitdown/test_wikipedia.html": "Microsoft entered the operating system (OS) business in 1980",
    "markitdown/test_notebook.ipynb": 'print("markitdown")',
    "markitdown/test.pptx": "AutoGen: Enabling Next-Gen LLM Applications",
    "unstructured/umlauts-non-utf8.md": "äöüß",
    "unstructured/fake-html-cp1252.html": "Das war köstlich!",
    "unstructured/example-steelJIS-datasheet-utf-16.html": "日本語",
    "unstructured/fake-text-utf-16.txt": "This is a test document",
    "unstructured/fake-text-utf-32.txt": "This is a test document",
    "unstructured/stanley-cups-utf-16.csv": "Team: Maple Leafs; Location: TOR; Stanley Cups: 13",
    "unstructured/hebrew-text-base64-iso88598i.txt": "8uPr5e8gVGVzbGEg",
    "talon/signature/emails/P/unicode_msg": "Сергей Обухов",
    "webvtt-py/youtube_dl.vtt": "this will happen is I'm telling",
    "slack-export-viewer/tests/testarchive.zip": "Harry Potter: what should setup.py do?",
}
WITH_EXTRA = {
    "markitdown/test.pdf": "Large language models (LLMs) are becoming a crucial building block",
    "markitdown/REPAIR-2022-INV-001_multipage.pdf": "Insured name Gabriel Diaz",
    "markitdown/test.docx": "Here is a random table",
    "markitdown/test.epub": "Chapter 2: More Content",
    "markitdown/test.xls": "Alpha: 89; Beta: 82; Gamma: 100; Delta: 12",
    "markitdown/test_outlook_msg.msg": "Kurtuluş",
    "unstructured/fake.odt": "Lorem ipsum dolor sit amet.",
    "unstructured/fake-doc.rtf": "Column 1: Row 1, Cell 1",
}
SKIPPED = {
    "markitdown/random.bin": "not a text format",
    "markitdown/test_files.zip": "unpack it",
    "unstructured/empty.txt": "empty",
    "unstructured/fake-text-all-whitespace.txt": "no text",
    "webvtt-py/invalid_format2.srt": "no captions",
}
SKIPPED_WITH_EXTRA = {
    "markitdown/MEDRPT-2024-PAT-3847_medical_report_scan.pdf": "run OCR",
    "unstructured/password_protected.xlsx": "encrypted",
    "unstructured/empty.xlsx": "no text",
}


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor() as extractor:
        yield extractor


@pytest.fixture
def extract(extractor: Extractor, shared_data: Path) -> Callable[[str], Extraction]:
    return lambda name: extractor.extract(shared_data / "files" / name, Path(name).name)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_read(extract: Callable[[str], Extraction], name: str) -> None:
    assert EXPECTED[name] in "\n".join(document.text for document in extract(name).documents)


@pytest.mark.parametrize("name", WITH_EXTRA)
def test_what_is_read_with_the_extra(extract: Callable[[str], Extraction], name: str) -> None:
    pytest.importorskip("kreuzberg", reason='needs the extra "documents"')
    assert WITH_EXTRA[name] in extract(name).documents[0].text


@pytest.mark.parametrize("name", SKIPPED)
def test_what_is_passed_over(extract: Callable[[str], Extraction], name: str) -> None:
    assert SKIPPED[name] in extract(name).skipped[0].reason


@pytest.mark.parametrize("name", SKIPPED_WITH_EXTRA)
def test_what_is_passed_over_with_the_extra(extract: Callable[[str], Extraction], name: str) -> None:
    pytest.importorskip("kreuzberg", reason='needs the extra "documents"')
    assert SKIPPED_WITH_EXTRA[name] in extract(name).skipped[0].reason


def test_every_file_is_read_or_passed_over_and_left_as_it_was(extractor: Extractor, shared_data: Path) -> None:
    files = [path for path in sorted((shared_data / "files").rglob("*")) if path.is_file()]
    before = [hashlib.sha256(path.read_bytes()).digest() for path in files]
    for path in files:
        extraction = extractor.extract(path, path.name)
        check_invariants(extraction)
        assert extraction.documents or extraction.skipped
        assert extraction == extractor.extract(path, path.name)
        for document in extraction.documents:
            assert "\ufffd" not in document.text
            assert not any("Ã¤" in text or "â€" in text for _, text in kinds(document))
    assert [hashlib.sha256(path.read_bytes()).digest() for path in files] == before


@pytest.mark.parametrize("client", "android aol apple_mail comcast gmail hotmail iphone outlook sparrow yahoo".split())
def test_replies_of_every_mail_program_are_cut_at_their_history(
    extract: Callable[[str], Extraction], client: str
) -> None:
    document = extract(f"talon/standard_replies/{client}.eml").documents[0]
    _, first, *rest = kinds(document)
    assert first == ("paragraph", "Hello")
    assert rest[-1][0] == "quote"
