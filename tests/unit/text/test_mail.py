"""Mail: new words, history and attachments apart."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from email.message import EmailMessage

import pytest

from rubricator.adapters.text import Limits
from rubricator.adapters.text.quotes import regions
from rubricator.memory.document import Extraction, Place

Read = Callable[..., Extraction]

HEAD = "From: Ann <ann@x.example>\nTo: Bo <bo@x.example>\nDate: Wed, 15 Oct 2025 09:03:27 -0400\nSubject: Limit\n"


def message(**parts: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ann <ann@x.example>", "Limit"
    mail.set_content(parts.get("text", "Hello"))
    return mail


def test_the_headers_come_first_and_every_block_has_its_place(read: Read) -> None:
    (document,) = read(f"{HEAD}\nGood morning.\n\nThe limit is $40.\n", "a.eml").documents
    place = Place(message=1, author="Ann <ann@x.example>", sent_at="2025-10-15T09:03:27-04:00")
    assert [(block.kind, block.place) for block in document.blocks] == [
        ("message", place),
        ("paragraph", place),
        ("paragraph", place),
    ]
    assert document.text.startswith("From: Ann <ann@x.example>\nTo: Bo")
    assert document.title == "Limit"


HISTORIES = {
    "marked": "On Mon, Apr 2, 2012 at 6:26 PM, Bo <bo@x.example> wrote:\n\n> old",
    "wrapped": "On Mon, Apr 2, 2012 at 6:26 PM, Bo Someone-Long\n<bo@x.example> wrote:\n> old",
    "unmarked": "On Mon, Apr 2, 2012 at 6:26 PM, Bo wrote:\n\nold",
    "French": "Le lun. 2 avr. 2012 à 18:26, Bo <bo@x.example> a écrit :\n> old",
    "German": "Am 02.04.2012 um 18:26 schrieb Bo:\n> old",
    "Russian": "02.04.2012 14:20 пользователь Bo <bo@x.example> написал:\n\n> old",
    "Polish": "Dnia 2 kwietnia 2012 18:26 Bo <bo@x.example> napisał(a):\n> old",
    "by address": '26.06.2014, 14:41, "Bo" <bo@x.example>:\n> old',
    "original": "-----Original Message-----\nFrom: Bo\nSent: Monday\n\nold",
    "Outlook": "From: Bo [mailto:bo@x.example]\nSent: Monday 4:22 PM\nTo: Ann\nSubject: Limit\n\nold",
    "German Outlook": "Von: Bo\nGesendet: Montag\nAn: Ann\nBetreff: Limit\n\nold",
    "ruled": "________________________________\nFrom: Bo\nSent: Monday\nTo: Ann\n\nold",
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_history_is_kept_apart(history: str) -> None:
    first, *rest = regions(f"Hello\n\n{history}\n")
    assert (first.kind, first.text.strip()) == ("new", "Hello")
    assert {region.kind for region in rest} == {"quoted"}
    assert "old" in rest[-1].text


def test_an_answer_between_the_quoted_lines_is_new() -> None:
    body = "On 2 Apr 2012, at 6:26 PM, Bo wrote:\n> May I?\n\nYes.\n\n> And then?\nNo."
    assert [(region.kind, region.text.strip()) for region in regions(body)][1::2] == [("new", "Yes."), ("new", "No.")]


@pytest.mark.parametrize(
    "prose",
    [
        "In May 2024 Bo wrote:\n\nthat the limit holds.",
        "Date: Monday\nWe meet.",
        "To: be decided\nSubject: none\nCc: nobody",
        "The three rules are:\nfirst\nsecond",
    ],
)
def test_prose_is_not_taken_for_history(prose: str) -> None:
    assert {region.kind for region in regions(prose)} == {"new"}


def test_what_is_passed_on_is_given_under_its_authors_name() -> None:
    body = "Look.\n\n---------- Forwarded message ---------\nFrom: Cy <cy@x.example>\nDate: May 4\n\nPay me."
    assert [(region.kind, region.author) for region in regions(body)] == [
        ("new", None),
        ("forwarded", "Cy <cy@x.example>"),
    ]
    outlook = "Look.\n\nFrom: Cy\nSent: Monday\nTo: Ann\nSubject: Pay\n\nPay me."
    assert [region.kind for region in regions(outlook, is_forward=True)] == ["new", "forwarded"]


def test_plain_text_is_preferred_and_html_read_where_there_is_none(read: Read) -> None:
    both = message()
    both.add_alternative("<p>Other words</p>", subtype="html")
    assert "Other" not in read(both.as_bytes(), "a.eml").documents[0].text
    html = f"{HEAD}Content-Type: text/html\n\n<p>New</p><blockquote type=cite><p>old</p></blockquote>"
    (document,) = read(html, "a.eml").documents
    assert [block.kind for block in document.blocks] == ["message", "paragraph", "quote"]


def test_attachments_are_documents_of_their_own(read: Read) -> None:
    mail = message()
    mail.add_attachment("a,b\n1,2\n", subtype="csv", filename="../figures/ü.csv")
    mail.add_attachment("more", subtype="plain", filename="note.txt")
    mail.add_attachment("again", subtype="plain", filename="note.txt")
    mail.add_attachment(b"\x89PNG\0\0", maintype="image", subtype="png", filename="logo.png")
    inner = message(text="Inner words")
    inner.add_attachment("deepest", subtype="plain", filename="deep.txt")
    mail.add_attachment(inner)
    extraction = read(mail.as_bytes(), "a.eml")
    assert [document.part for document in extraction.documents] == [
        "",
        "-figures-ü.csv",
        "note.txt",
        "note (2).txt",
        "Limit.eml",
        "Limit.eml/deep.txt",
    ]
    assert [(skip.part, skip.reason) for skip in extraction.skipped] == [
        ("logo.png", "not a text format this version reads (.png)")
    ]


def test_attachments_are_read_no_deeper_and_no_more_than_the_limits_say(read: Read) -> None:
    mail = message(text="innermost")
    for _ in range(4):
        outer = message()
        outer.add_attachment(mail)
        mail = outer
    extraction = read(mail.as_bytes(), "a.eml", Limits(max_depth=2))
    assert [document.part.count("/") for document in extraction.documents] == [0, 0, 1]
    assert "2 levels" in extraction.skipped[0].reason
    assert "more than 1 parts" in read(mail.as_bytes(), "a.eml", Limits(max_parts=1)).skipped[0].reason


def test_a_mailbox_is_one_document_with_numbered_messages(read: Read) -> None:
    one = f"From ann@x.example Mon Jul  6 17:52:40 2026\n{HEAD}\nFirst\n\n>From here on\n"
    (document,) = read(f"{one}\n{one.replace('First', 'Second')}", "a.mbox").documents
    assert sorted({block.place.message for block in document.blocks}) == [1, 2]
    assert document.text.count("\nFrom here on") == 2


ODD = {
    "unknown charset": b"Content-Type: text/plain; charset=x-nothing\n\nHello",
    "wrong charset": b"Content-Type: text/plain; charset=us-ascii\n\nHello \xe9t\xe9, la premi\xe8re r\xe8gle",
    "no headers": b"\n\nHello",
    "broken base64": b"Content-Transfer-Encoding: base64\n\n" + base64.b64encode(b"Hello, everybody") + b"!",
    "broken boundary": b"Content-Type: multipart/mixed; boundary=x\n\nHello\n--x\n\nHello",
    "bad date": b"Date: sometime\nSubject: x\n\nHello",
    "encoded words": b"Subject: =?x-nothing?q?a?= =?utf-8?b?broken?=\nFrom: =?utf-8?q?J=C3=BCrgen?= <j@x>\n\nHello",
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_odd_mail_is_read_all_the_same(read: Read, data: bytes) -> None:
    assert "Hello" in read(data, "a.eml").documents[0].text


def test_mail_is_told_by_its_headers_where_it_has_no_suffix(read: Read) -> None:
    assert read(f"{HEAD}\nHello", "102682_R_S").documents[0].media_type == "message/rfc822"
    assert read("From: Ann\n\nHello", "note").documents[0].media_type == "text/plain"


@pytest.mark.parametrize(
    "line", ["-" * 2_000_000, "_" * 2_000_000 + "x", " " * 2_000_000 + "x", "From: " * 300_000, "1:00 " * 400_000 + ":"]
)
def test_one_endless_line_takes_little_time(line: str) -> None:
    started = time.monotonic()
    assert list(regions(f"Hello\n{line}\n{line}\n"))
    assert time.monotonic() - started < 5


def test_many_lines_take_little_time() -> None:
    started = time.monotonic()
    assert list(regions("On 1 May 2026 at 10:00 nobody\nFrom: a\nTo: b\n" * 50_000))
    assert time.monotonic() - started < 10
