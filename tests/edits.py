"""What an edit in place must leave alone."""

from __future__ import annotations

from rubricator.formats.rubric_files import Edited


def nothing_else_changed(raw: bytes, edited: Edited) -> None:
    """Hold the text between the edits to what it was."""
    old, new = raw.decode("utf-8-sig"), edited.content.decode("utf-8-sig")
    place_old = place_new = 0
    for edit in edited.edits:
        kept = old[place_old : edit.start]
        assert new[place_new : place_new + len(kept)] == kept
        place_new += len(kept) + len(edit.new)
        place_old = edit.start + len(edit.old)
    assert new[place_new:] == old[place_old:]
