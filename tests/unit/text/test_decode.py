"""Bytes to text: no guess is better than a wrong one."""

from __future__ import annotations

import codecs
import time

import pytest

from rubricator.adapters.text.decode import decode, decode_as

POLISH = "Zażółć gęślą jaźń. Źle się dzieje w państwie duńskim, proszę państwa."
RUSSIAN = "Привет, как дела? Это письмо о возврате денег клиенту."


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Größe – “quoted” – 東京"),
        ("cp1252", "Größe über Straße"),
        ("cp1252", "## können\n\näöüß\n\nkönnen\n"),
        ("cp1252", "It’s the customer’s choice – “really”…"),
        ("cp1252", "The price is €40, not £35"),
        ("cp932", "名前,年齢\r\n佐藤太郎,30\r\n"),
        ("cp932", "返金の規則は次の通りです。"),
        ("euc_jp", "こんにちは、返金の規則は次の通りです。"),
        ("gb18030", "退款规定如下：每位客户最多四十美元。"),
        ("big5", "退款規定如下：每位客戶最多四十美元。"),
        ("cp1250", POLISH),
        ("cp1251", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("iso2022_jp", "こんにちは"),
        ("utf-16-le", "hello world"),
        ("utf-16-be", "hello world"),
        ("utf-32-le", "hello world"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(encoding: str, text: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        bytes(range(256)) * 4,
        b"\x01\x02\x03\x04 few letters",
        "ÄÖÜ".encode("cp1252"),
        "שלום לכולם זה מכתב על החזר כספי".encode("cp1255"),
        codecs.BOM_UTF16_LE + b"a",
        codecs.BOM_UTF8 + b"\xff\xfe\xfd",
    ],
)
def test_what_is_binary_or_undecidable_is_no_text(data: bytes) -> None:
    assert decode(data) is None


def test_the_mark_is_left_out_and_line_ends_are_kept() -> None:
    decoded = decode(codecs.BOM_UTF8 + b"a\r\nb\rc\n")
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == ("a\r\nb\rc\n", "utf-8")


def test_a_declaration_settles_what_could_not_be_told() -> None:
    hebrew = "שלום"
    decoded = decode_as(hebrew.encode("cp1255"), "iso-8859-8-i")
    assert decoded is not None
    assert decoded.text == hebrew


@pytest.mark.parametrize("charset", ["x-unknown", "base64", "utf-16", "", "idna", "\0"])
def test_a_declaration_that_means_nothing_is_passed_over(charset: str) -> None:
    decoded = decode_as(b"plain", charset)
    assert decoded is not None
    assert decoded.text == "plain"


def test_bytes_that_are_utf_8_are_so_whatever_they_declare() -> None:
    decoded = decode_as("Größe".encode(), "iso-8859-1")
    assert decoded is not None
    assert decoded.text == "Größe"


def test_an_endless_word_takes_little_time() -> None:
    started = time.monotonic()
    decode(b"a" * 2_000_000 + "é".encode("cp1252"))
    assert time.monotonic() - started < 5
