"""The pages of kept evidence packs: the rubric beside the evidence, and each cited passage in its source."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final

from markupsafe import Markup, escape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from rubricator.adapters.pack_files import KeptPack
from rubricator.core.identity import CITATION_ID
from rubricator.errors import RubricatorError
from rubricator.interfaces.web import pictures
from rubricator.interfaces.web.page import page
from rubricator.memory.hits import location
from rubricator.memory.pack_page import CLASSES
from rubricator.workspace import Workspace

_COOKIE: Final = "rubricator-packs"
_CLOSED: Final = "The address lacks its token, or the server was started anew since. Open the one that it printed."
_KINDS: Final = (
    ("supporting_evidence", "Supporting", "Bears out what the rubric says."),
    ("conflicting_evidence", "Conflicting", "Speaks against what the rubric says."),
    ("historical_context", "Historical context", "Bears on the item without deciding it."),
)


def _authorised(handler: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    """Let a request through with the token in its address, which moves to a cookie, or in the cookie."""

    @wraps(handler)
    async def checked(self: PackPages, request: Request) -> Response:
        given = request.query_params.get("token")
        if not self.opens(given or request.cookies.get(_COOKIE, "")):
            return HTMLResponse(page("closed.html", title="Not here", message=_CLOSED), 403)
        if given:
            answer = RedirectResponse(request.url.path, 303)
            answer.set_cookie(_COOKIE, given, httponly=True, samesite="strict", path="/packs")
            return answer
        return await handler(self, request)

    return checked


class PackPages:
    """The handlers, all of them for reading only, for whoever has `token`."""

    def __init__(self, workspace: Workspace, token: str) -> None:
        self._workspace = workspace
        self._token = token
        self.routes = [
            Route("/packs", self.every),
            Route("/packs/{pack}", self.one),
            Route("/packs/{pack}/sources/{citation}", self.source),
        ]

    def opens(self, token: str) -> bool:
        """Whether the token opens these pages."""
        return hmac.compare_digest(self._token.encode(), token.encode())

    @_authorised
    async def every(self, _request: Request) -> Response:
        """The list of packs, newest first."""
        kept = await run_in_threadpool(self._workspace.packs.all)
        return HTMLResponse(page("packs.html", title="Evidence packs", kept=kept, classes=CLASSES))

    @_authorised
    async def one(self, request: Request) -> Response:
        """One pack: its verdict, the rubric and the evidence side by side, and the history."""
        kept = await run_in_threadpool(self._workspace.packs.find, request.path_params["pack"])
        pack = kept.pack
        place = f"/packs/{kept.id}"
        quotes: dict[str, list[str]] = {}
        for quote in pack["rubric_quotes"]:
            quotes.setdefault(quote["citation_id"], []).append(quote["quote"])
        sections = [
            {"id": s.citation_id, "heading": s.heading, "html": marked(s.text, quotes.get(s.citation_id, ()))}
            for s in kept.authority.sections()
        ]
        return HTMLResponse(
            page(
                "pack.html",
                title=CLASSES[pack["evidence_classification"]],
                kept=kept,
                pack=pack,
                place=place,
                sections=sections,
                kinds=[(title, words, pack[key]) for key, title, words in _KINDS],
                linked=lambda text: linked(text, place),
                timeline=pictures.timeline(pack["history_of_change"]),
            )
        )

    @_authorised
    async def source(self, request: Request) -> Response:
        """A cited passage within the text of its source, or what the pack holds of it where that has changed."""
        kept = await run_in_threadpool(self._workspace.packs.find, request.path_params["pack"])
        citation = request.path_params["citation"]
        return HTMLResponse(await run_in_threadpool(self._source, kept, citation))

    def _source(self, kept: KeptPack, citation: str) -> str:
        authority, why = kept.authority, ""
        try:
            with self._workspace.memory(authority.scorecard, authority.score) as memory:
                passages = memory.cited_source(citation)
        except RubricatorError as error:
            passages, why = [], error.message
        shown = [
            {"cited": p.citation_id == citation, "text": p.text, "where": location(p), "id": p.citation_id}
            for p in passages
        ]
        return page(
            "source.html",
            title=passages[0].source if passages else citation[:40],
            citation=citation,
            kept=kept,
            passages=shown,
            as_kept=_as_kept(kept.pack, citation),
            why=why,
        )


def linked(text: str, place: str) -> Markup:
    """A text with each citation id as a link: to the rubric's section on the page, or to its place in a source."""
    parts: list[Markup] = []
    end = 0
    for found in CITATION_ID.finditer(text):
        citation = found[0]
        parts += [escape(text[end : found.start()]), _link(citation, place)]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _link(citation: str, place: str) -> Markup:
    target = f"#{citation}" if citation.startswith("rubric:") else f"{place}/sources/{citation}#cited"
    return Markup('<a href="{}">{}</a>').format(target, citation)


def marked(text: str, quotes: Sequence[str]) -> Markup:
    """A text with the quotes that stand in it marked, whatever blanks part their words."""
    spans = sorted(found.span() for quote in quotes if (found := re.search(_loosely(quote), text)))
    parts: list[Markup] = []
    end = 0
    for first, last in spans:
        if first >= end:
            parts += [escape(text[end:first]), Markup("<mark>{}</mark>").format(text[first:last])]
            end = last
    return Markup("").join([*parts, escape(text[end:])])


def _loosely(quote: str) -> str:
    return r"\s+".join(re.escape(word) for word in quote.split()) or r"(?!)"


def _as_kept(pack: Mapping[str, Any], citation: str) -> Mapping[str, Any] | None:
    """The passage as the pack holds it."""
    every = (entry for key, _, _ in _KINDS for entry in pack[key])
    return next((entry for entry in every if entry["citation_id"] == citation), None)
