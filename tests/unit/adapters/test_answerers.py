"""Who is asked, as people may see it: the host, and never a name or a key."""

from __future__ import annotations

import pytest

from rubricator.adapters.answerers import described
from rubricator.errors import InputError
from rubricator.settings import ModelSettings


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        (ModelSettings(), None),
        (ModelSettings("host"), None),
        (ModelSettings("endpoint"), "api.openai.com/v1"),
        (ModelSettings("endpoint", base_url="https://ann:pw@example.org:8080/v1?key=k"), "example.org:8080/v1"),
        (ModelSettings("tactus", provider="anthropic"), "anthropic"),
    ],
)
def test_where_texts_would_go(settings, where) -> None:
    assert described(settings)["where"] == where


@pytest.mark.parametrize("url", ["http://x:abc/v1", "no address", "http://[::1"])
def test_a_base_url_that_is_none_is_said(url) -> None:
    with pytest.raises(InputError, match="base URL"):
        described(ModelSettings("endpoint", base_url=url))
