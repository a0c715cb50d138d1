"""Office documents and PDF, as far as they can be written by hand."""

from __future__ import annotations

import importlib
import io
import sys
import zipfile
from collections.abc import Callable, Mapping

import pytest

from rubricator.adapters.text import formats
from rubricator.memory.document import Extraction

Read = Callable[..., Extraction]

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def zipped(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def docx(body: str) -> bytes:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>'
    )
    return zipped(
        {"[Content_Types].xml": types, "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>"}
    )


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>")
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for number, text in enumerate(pages):
        show = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET" if text else ""
        page = f"/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents {5 + 2 * number} 0 R"
        objects += [f"<</Type/Page/Parent 2 0 R{page}>>", f"<</Length {len(show)}>>stream\n{show}\nendstream"]
    out, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    tail = f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return f"{out}xref\n0 {size}\n0000000000 65535 f \n{table}{tail}".encode()


def pptx(*slides: str) -> bytes:
    ids = "".join(f'<p:sldId r:id="r{number}"/>' for number in range(len(slides)))
    relations = "".join(f'<Relationship Id="r{n}" Target="slides/slide{n + 1}.xml"/>' for n in range(len(slides)))
    files = {
        "ppt/presentation.xml": f'<p:presentation {P} xmlns:r="{R}">{ids}</p:presentation>',
        "ppt/_rels/presentation.xml.rels": f"<Relationships>{relations}</Relationships>",
    }
    files |= {f"ppt/slides/slide{n}.xml": f"<p:sld {P} {A}>{slide}</p:sld>" for n, slide in enumerate(slides, start=1)}
    return zipped(files)


def shape(text: str, role: str = "body") -> str:
    return f'<p:sp><p:nvPr><p:ph type="{role}"/></p:nvPr><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sp>'


@pytest.fixture
def with_extra() -> None:
    pytest.importorskip("kreuzberg", reason='needs the extra "documents"')


@pytest.mark.usefixtures("with_extra")
def test_a_pdf_is_read_page_by_page(read: Read) -> None:
    (document,) = read(pdf("The limit is 40.", "", "It was 25."), "a.pdf").documents
    assert [(block.place.page, document.text[block.start : block.end]) for block in document.blocks] == [
        (1, "The limit is 40."),
        (3, "It was 25."),
    ]


@pytest.mark.usefixtures("with_extra")
def test_a_pdf_without_text_is_a_scan(reason: Callable[..., str]) -> None:
    assert "run OCR" in reason(pdf("", ""), "a.pdf")


@pytest.mark.usefixtures("with_extra")
def test_a_document_whose_suffix_lies_is_read_for_what_it_is(read: Read) -> None:
    body = "<w:p><w:r><w:t>One rule.</w:t></w:r></w:p><w:p><w:r><w:t>Another.</w:t></w:r></w:p>"
    for name in ("a.docx", "a.pdf", "a.txt", "a"):
        (document,) = read(docx(body), name).documents
        assert document.text == "One rule.\n\nAnother."


@pytest.mark.usefixtures("with_extra")
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.4 and then nothing", "a.pdf"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "a.pdf"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"W\0o\0r\0k\0b\0o\0o\0k\0" * 100, "a.xls"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__substg1.0".encode("utf-16-le") * 100, "a.msg"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "a.doc"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.docx"),
        (b"PK\x03\x04 and then nothing", "a.docx"),
        (docx("")[:200], "a.docx"),
        (zipped({"word/document.xml": "no xml"}), "a.docx"),
        (b"", "a.docx"),
        (b"\0\1\2", "a.xlsx"),
    ],
)
def test_damaged_and_foreign_documents_are_skipped_with_a_reason(
    reason: Callable[..., str], data: bytes, name: str
) -> None:
    assert reason(data, name)


def test_slides_are_read_in_order_with_their_numbers(read: Read) -> None:
    table = "<a:tr><a:tc><a:p><a:r><a:t>a</a:t></a:r></a:p></a:tc><a:tc/></a:tr>"
    (document,) = read(
        pptx(shape("Limits", "title") + shape("Ask &amp; tell"), shape("7", "sldNum") + table), "a.pptx"
    ).documents
    assert [(b.kind, b.place.page, document.text[b.start : b.end]) for b in document.blocks] == [
        ("heading", 1, "Limits"),
        ("paragraph", 1, "Ask & tell"),
        ("table", 2, "a |"),
    ]
    assert document.title == "Limits"


def test_damaged_slides_are_skipped_with_a_reason(reason: Callable[..., str]) -> None:
    assert "damaged" in reason(zipped({"ppt/presentation.xml": "<broken"}), "a.pptx")


def test_what_the_extra_is_for_is_said_where_it_is_missing(
    reason: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "kreuzberg", None)
    importlib.invalidate_caches()
    assert 'pip install "rubricator[documents]"' in reason(b"%PDF-1.4", "a.pdf")


def test_every_format_says_what_it_needs() -> None:
    assert {each.extra for each in formats()} == {"", "documents"}
    assert all(each.suffixes for each in formats())
    assert all(each.available for each in formats() if not each.extra)
