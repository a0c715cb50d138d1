"""Properties of passages, terms and ranking that hold for any document, word, number and order."""

from __future__ import annotations

import datetime as dt
import itertools
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rubricator.memory.document import Block, Document, Place
from rubricator.memory.passages import MAX_CHARS, Passage, passages
from rubricator.memory.ranking import Candidate, clear_floor, rank
from rubricator.memory.similarity import are_copies, sketch
from rubricator.memory.terms import MAX_TERM, content_terms, terms
from rubricator.memory.tokens import count_tokens

PATH = "Fees.knowledge-base/2026-02-03/a.md"

words = st.sampled_from(
    ["word ", "Sentence. ", "\n", "\r\n", "\r", "\n\n", "\t", "政策。", "é", "🙂", "\u2028", "\x85", " " * 50]
) | st.text(max_size=12)
blank = st.text(" \t\r\n", max_size=6)
block_texts = st.lists(
    words | st.sampled_from(["x" * 700, "y " * 600, "z.\n" * 900, "\r\n" * 1300, "政" * 3000]), min_size=1, max_size=6
).map("".join)
kinds = st.sampled_from(["paragraph", "list", "table", "code", "message", "cue", "quote", "heading"])
somewhere = st.builds(Place, page=st.none() | st.integers(1, 3), message=st.none() | st.integers(1, 3)) | st.just(
    Place()
)


@st.composite
def documents(draw: st.DrawFn, texts: st.SearchStrategy[str] = block_texts) -> Document:
    """Documents of blocks in order, each with a word, and with white space before, between and after them."""
    text = draw(blank)
    blocks = []
    for _ in range(draw(st.integers(0, 8))):
        words, kind = draw(texts.filter(str.strip)), draw(kinds)
        level = draw(st.integers(1, 6)) if kind == "heading" else 0
        blocks.append(Block(len(text), len(text) + len(words), kind, level, draw(somewhere)))
        text += words + draw(blank)
    return Document(text, tuple(blocks), "text/plain")


def line_of(text: str, position: int) -> int:
    """The line of a character, from 1, counted one by one: `\\n`, `\\r` and `\\r\\n` end a line."""
    line = 1
    for at in range(position):
        ends = text[at] == "\n" or (text[at] == "\r" and text[at + 1 : at + 2] != "\n")
        line += ends
    return line


# Passages


@settings(deadline=None)
@given(documents())
def test_every_word_of_every_block_is_in_exactly_one_passage(document) -> None:
    found = passages(document, PATH)
    covered = [at for passage in found for at in range(passage.span.start, passage.span.end)]

    assert covered == sorted(set(covered))
    in_blocks = {at for block in document.blocks for at in range(block.start, block.end)}
    assert {at for at in in_blocks if not document.text[at].isspace()} <= set(covered)
    assert {at for at in set(covered) - in_blocks if not document.text[at].isspace()} == set()


@settings(deadline=None)
@given(documents())
def test_a_passage_is_the_text_that_its_span_says(document) -> None:
    for passage in passages(document, PATH):
        assert passage.text == document.text[passage.span.start : passage.span.end]
        assert 0 < len(passage.text) <= MAX_CHARS


@settings(deadline=None)
@given(documents(st.lists(words, min_size=1, max_size=8).map("".join)))
@example(Document("a\r\nb\rc\n\nd", (Block(0, 1), Block(3, 4), Block(5, 6, "heading", 1), Block(8, 9)), "text/plain"))
def test_lines_are_those_counted_one_by_one(document) -> None:
    for passage in passages(document, PATH):
        span = passage.span

        assert span.line_start == line_of(document.text, span.start)
        assert span.line_end == line_of(document.text, span.end - 1)


@settings(deadline=None)
@given(documents(), st.integers(1, 3))
def test_handles_are_unique_within_a_document(document, times) -> None:
    blocks = tuple(
        Block(block.start + shift, block.end + shift, block.kind, block.level, block.place)
        for shift in (number * len(document.text) for number in range(times))
        for block in document.blocks
    )
    repeated = Document(document.text * times, blocks, "text/plain")
    handles = [passage.citation_id for passage in passages(repeated, PATH)]

    assert len(handles) == len(set(handles))


@settings(deadline=None)
@given(documents())
def test_a_handle_follows_the_text_and_the_path_within_the_scorecard_folder_only(document) -> None:
    def handles(title: str, path: str) -> list[str]:
        named = Document(document.text, document.blocks, "text/plain", title=title)
        return [passage.citation_id for passage in passages(named, path)]

    composed, decomposed = (unicodedata.normalize(form, "Gebühren.knowledge-base/é.md") for form in ("NFC", "NFD"))

    assert handles("A", composed) == handles("B", decomposed)
    assert not set(handles("A", composed)) & set(handles("A", "scorecard.knowledge-base/é.md"))


@settings(deadline=None)
@given(documents())
def test_pages_and_quoted_history_never_mix_but_for_a_heading_above(document) -> None:
    def within(passage: Passage) -> list[Block]:
        span = passage.span
        return [b for b in document.blocks if b.start < span.end and span.start < b.end and b.kind != "heading"]

    for passage in passages(document, PATH):
        blocks = within(passage)

        assert len({block.place.page for block in blocks}) <= 1
        assert len({block.kind == "quote" for block in blocks}) <= 1
        if blocks:
            assert passage.quoted == (blocks[0].kind == "quote")


@settings(deadline=None)
@given(documents())
def test_a_passages_headings_are_those_above_its_text(document) -> None:
    above: list[tuple[int, str]] = []
    expected = {}
    for block in document.blocks:
        if block.kind == "heading":
            name = " ".join(document.text[block.start : block.end].strip().strip("#=-").split())[:200]
            above = [entry for entry in above if entry[0] < block.level] + [(block.level, name)]
        expected[block.start] = tuple(name for _, name in above)

    for passage in passages(document, PATH):
        last = max(start for start in expected if start < passage.span.end)
        assert passage.heading == expected[last]


# Terms

alphabet = st.text("abcdefgäöüßéèçñåøAEÖÇÑœæαβγωжщ", min_size=1, max_size=12)


@given(st.lists(alphabet | st.sampled_from(["it's", "don’t", "2,000", "2k", "3rd", "政策文", "환불"]), max_size=8))
def test_case_and_spacing_do_not_count(tokens) -> None:
    text = " ".join(tokens)

    assert terms(text.upper()) == terms(text.lower()) == terms(text)
    assert terms(f"\n({text})…\t") == terms(text)
    assert terms(", ".join(tokens)) == [term for token in tokens for term in terms(token)]


@given(alphabet)
@example("é")
def test_the_unicode_form_does_not_count(word) -> None:
    assert terms(unicodedata.normalize("NFD", word)) == terms(unicodedata.normalize("NFC", word))


@given(st.text("abcdefgäöüßéèçñåø", max_size=30))
def test_composed_and_compatible_forms_are_one(text) -> None:
    assert terms(unicodedata.normalize("NFKC", text)) == terms(unicodedata.normalize("NFC", text))


@given(st.integers(0, 10**9), st.sampled_from(["{}", "${}", "€{}", "({})", "{}.", "{}%", "{}.0", "{}.00"]))
def test_a_whole_number_is_one_term_whatever_its_dress(number, dress) -> None:
    assert terms(dress.format(number)) == [str(number)]
    assert terms(dress.format(f"{number:,}")) == [str(number)]


@given(st.integers(1, 10**11), st.sampled_from("kK"))
def test_thousands_may_be_written_with_a_k(number, k) -> None:
    assert terms(f"{number}{k}") == terms(f"{number:,}{k}") == terms(f"{number}000") == terms(f"{number * 1000:,}")


@given(st.decimals(0, 10**6, places=2), st.decimals(0, 10**6, places=2))
def test_numbers_are_one_term_exactly_when_they_are_equal(one, other) -> None:
    assert (terms(f"{one}") == terms(f"${other:,}")) == (one == other)


@given(st.text())
def test_any_text_has_terms_of_bounded_length(text) -> None:
    found = terms(text)

    assert all(0 < len(term) <= MAX_TERM for term in found)
    assert set(content_terms(found)) <= set(found)
    assert bool(content_terms(found)) == bool(found)


@given(st.text(), st.text())
def test_tokens_of_parts_are_at_least_those_of_the_whole(one, other) -> None:
    whole = count_tokens(one + other)

    assert whole <= count_tokens(one) + count_tokens(other) <= whole + 1


# Similarity

policy = st.lists(st.sampled_from("fee late waive call agent note lead team ask limit storm".split()), max_size=60)


@given(policy, policy)
def test_copying_is_mutual_and_of_itself(one, other) -> None:
    assert are_copies(sketch(one), sketch(other)) == are_copies(sketch(other), sketch(one))
    assert are_copies(sketch(one), sketch(one)) == bool(one)


@given(policy, policy, st.sampled_from(["not", "never", "5", "50", "without", "cannot"]))
def test_a_number_or_negation_more_is_never_a_copy(before, after, weighty) -> None:
    one, other = [*before, *after], [*before, weighty, *after]

    assert not are_copies(sketch(one), sketch(other))


@given(policy, policy, st.tuples(st.integers(0, 999), st.integers(0, 999)).filter(lambda pair: pair[0] != pair[1]))
def test_another_number_is_never_a_copy(before, after, numbers) -> None:
    one, other = ([*before, str(number), *after] for number in numbers)

    assert not are_copies(sketch(one), sketch(other))


# Ranking

SHAPES = [sketch(terms(text)) for text in ("Late fees are waived.", "Late fees are waived by 5.", "Names.", "")]


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    found = []
    for number in range(draw(st.integers(0, 12))):
        root = draw(st.integers(0, 3))
        found.append(
            Candidate(
                number,
                draw(st.sampled_from([1.0, 1.5, 2.0, 2.00000001])),
                ("score", "prefix", "prefix", "scorecard")[root],
                root,
                draw(st.none() | st.sampled_from([dt.date(2025, 1, 1), dt.date(2026, 1, 1)])),
                draw(st.sampled_from(["a.md", "b.md", "c.md"])),
                number,
                draw(st.sampled_from(SHAPES)),
            )
        )
    return found


orders = st.sampled_from(["scope", "relevance"])
caps = st.none() | st.integers(1, 3)


@given(candidates(), orders, st.integers(0, 12), caps, st.randoms(use_true_random=False))
def test_the_order_of_the_input_never_shows(found, order, limit, per_source, random) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)

    expected = rank(found, order=order, limit=limit, per_source=per_source)

    assert rank(iter(shuffled), order=order, limit=limit, per_source=per_source) == expected


@given(candidates(), orders)
def test_every_candidate_is_ranked_or_a_copy_of_one_that_is(found, order) -> None:
    ranked = rank(found, order=order, limit=100, per_source=None)
    numbers = [c.number for entry in ranked for c in (entry.candidate, *entry.copies)]

    assert sorted(numbers) == [candidate.number for candidate in found]
    for entry in ranked:
        for copy in entry.copies:
            assert copy.sketch == entry.candidate.sketch != b""
            newer = (copy.date or dt.date.min) > (entry.candidate.date or dt.date.min)
            assert copy.root > entry.candidate.root or (copy.root == entry.candidate.root and not newer)


@given(candidates(), st.integers(0, 12), caps)
def test_order_limit_and_cap_are_kept(found, limit, per_source) -> None:
    ranked = [entry.candidate for entry in rank(found, limit=limit, per_source=per_source)]

    assert len(ranked) <= limit
    assert [c.root for c in ranked] == sorted(c.root for c in ranked)
    for one, following in itertools.pairwise(ranked):
        if one.root == following.root:
            assert round(one.relevance, 4) >= round(following.relevance, 4)
    if per_source is not None:
        assert all([c.source for c in ranked].count(c.source) <= per_source for c in ranked)


@given(candidates(), st.integers(1, 12), caps)
def test_a_smaller_limit_is_a_beginning_of_a_larger_one(found, limit, per_source) -> None:
    assert rank(found, limit=limit, per_source=per_source) == rank(found, limit=99, per_source=per_source)[:limit]


@given(st.lists(st.floats(0, 100)), st.floats(0, 1))
def test_the_floor_keeps_the_best_and_the_order(relevances, floor) -> None:
    pairs = [(relevance, number) for number, relevance in enumerate(relevances)]
    kept = clear_floor(pairs, floor)

    assert kept == [pair for pair in pairs if pair[0] >= floor * max(relevances)]
    assert bool(kept) == bool(pairs)
