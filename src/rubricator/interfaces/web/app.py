"""The web application: a few pages and the small API that they and other programs use.

Before a ranking is committed, a handler holds an `OpenPass` and nothing else of the session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rubricator.errors import InputError, RefusedError, RubricatorError
from rubricator.interfaces.web import inert, pictures
from rubricator.interfaces.web.packs import PackPages
from rubricator.interfaces.web.page import HERE, page
from rubricator.interfaces.web.security import LocalOnly
from rubricator.workspace import Workspace

_CLOSED: Final = "There is no such session, or the address lacks its token."
_MOST_NOTES: Final = 20_000

Handler = Callable[[Request], Awaitable[Response]]


def create_app(
    workspace: Workspace,
    *,
    port: int,
    only: str | None = None,
    ended: Callable[[], None] = lambda: None,
    packs_token: str = "",
) -> Starlette:
    """The application over a workspace. `only` serves one session; `ended` is called when that is done.

    With `packs_token`, the kept evidence packs are served to whoever has it.
    """
    pages = _Pages(workspace, only, ended)
    api = "/api/sessions/{session}"
    routes = [
        Route("/", pages.home),
        Route("/sessions/{session}", pages.session),
        Route("/sessions/{session}/ranking", pages.rank_by_form, methods=["POST"]),
        Route("/sessions/{session}/decline", pages.decline_by_form, methods=["POST"]),
        Route("/sessions/{session}/inference", pages.consult_by_form, methods=["POST"]),
        Route("/sessions/{session}/decisions", pages.decide_by_form, methods=["POST"]),
        Route(api, pages.api_state),
        Route(f"{api}/draft", pages.api_draft, methods=["POST"]),
        Route(f"{api}/ranking", pages.api_ranking, methods=["POST"]),
        Route(f"{api}/decline", pages.api_decline, methods=["POST"]),
        Route(f"{api}/inference", pages.api_inference, methods=["POST"]),
        Route(f"{api}/decisions", pages.api_decisions, methods=["POST"]),
        *(PackPages(workspace, packs_token).routes if packs_token else ()),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(LocalOnly, port=port)],
        exception_handlers={RubricatorError: _failed, Exception: _broken},
    )


def _cookie(session: str) -> str:
    return f"rubricator-{session}"


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RubricatorError)
    status = 409 if isinstance(error, RefusedError) else 400 if isinstance(error, InputError) else 500
    body = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
    if request.url.path.startswith("/api/"):
        return JSONResponse(body, status)
    return HTMLResponse(page("problem.html", title="That did not work", error=error), status)


async def _broken(_request: Request, _error: Exception) -> Response:
    """A fault of ours: nothing of it is shown, since nobody knows what it may hold."""
    return PlainTextResponse("Something went wrong in Rubricator. The pass is kept as it was.", 500)


def _authorised(handler: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    """Let a request through whose token, from body, address or cookie, opens the session.

    A cookie alone is enough for a request of our own pages only: other sites can't read it, but could ride on it.
    """

    @wraps(handler)
    async def checked(self: _Pages, request: Request) -> Response:
        session = request.path_params["session"]
        body: dict[str, Any] = {}
        if request.method == "POST" and request.url.path.startswith("/api/"):
            try:
                body = await request.json()
            except (ValueError, RecursionError):
                raise InputError("The request is not JSON.", hint="Send an object as application/json.") from None
            if not isinstance(body, dict):
                raise InputError("The request is not a JSON object.", hint="Send an object.")
        token = body.get("token") or request.query_params.get("token") or ""
        if not token and (request.method == "GET" or request.headers.get("origin")):
            token = request.cookies.get(_cookie(session), "")
        if not isinstance(token, str) or not self.opens(session, token):
            if request.url.path.startswith("/api/"):
                return JSONResponse({"error": {"code": "forbidden", "message": _CLOSED, "hint": ""}}, 403)
            return HTMLResponse(page("closed.html", title="Not here", message=_CLOSED), 403)
        request.state.body = body
        return await handler(self, request)

    return checked


class _Pages:
    """The handlers of the passes of a workspace."""

    def __init__(self, workspace: Workspace, only: str | None, ended: Callable[[], None]) -> None:
        self._workspace = workspace
        self._calibration = workspace.calibration
        self._only = only
        self._ended = ended

    def opens(self, session: str, token: str) -> bool:
        """Whether the token opens the session here."""
        return (self._only is None or session == self._only) and self._calibration.authorise(session, token)

    async def home(self, _request: Request) -> Response:
        """A page that says where the real ones are; sessions are reached by their address alone."""
        return HTMLResponse(page("closed.html", title="Rubricator", message="Open the address that was printed."))

    @_authorised
    async def session(self, request: Request) -> Response:
        """The page of a session: ranking while it is open, else what it found."""
        session = request.path_params["session"]
        if token := request.query_params.get("token"):
            answer = RedirectResponse(f"/sessions/{session}", 303)
            answer.set_cookie(_cookie(session), token, httponly=True, samesite="strict", path="/")
            return answer
        return await run_in_threadpool(self._page, session)

    @_authorised
    async def rank_by_form(self, request: Request) -> Response:
        """A ranking by the plain form, for browsers without scripts: a place from 1 (best) for each artifact."""
        form = await request.form()
        session = request.path_params["session"]
        opened = self._calibration.open_pass(session)
        places: dict[int, list[str]] = {}
        for artifact in opened.packet.artifacts:
            place = str(form.get(f"place-{artifact.label}", ""))
            if not place.isdigit():
                raise InputError("Every artifact needs a place.", hint="Go back and choose one for each.")
            places.setdefault(int(place), []).append(artifact.label)
        ranking = [places[place] for place in sorted(places, reverse=True)]
        await run_in_threadpool(opened.commit, ranking)
        return RedirectResponse(f"/sessions/{session}", 303)

    @_authorised
    async def decline_by_form(self, request: Request) -> Response:
        """The owner would rather not rank."""
        form = await request.form()
        session = request.path_params["session"]
        await run_in_threadpool(self._calibration.open_pass(session).decline, str(form.get("reason", ""))[:_MOST_NOTES])
        answer = await run_in_threadpool(self._page, session)
        self._end()
        return answer

    @_authorised
    async def consult_by_form(self, request: Request) -> Response:
        """Ask the model of the settings about a committed pass; what comes of it is on the page then."""
        session = request.path_params["session"]
        await run_in_threadpool(self._consult, session)
        return RedirectResponse(f"/sessions/{session}", 303)

    @_authorised
    async def decide_by_form(self, request: Request) -> Response:
        """The owner's decisions on the proposals."""
        form = await request.form()
        session = request.path_params["session"]
        proposals = (await run_in_threadpool(self._calibration.propose, session))["proposals"]
        approve = [p["id"] for p in proposals if form.get(f"decision-{p['id']}") == "approve"]
        reject = [p["id"] for p in proposals if form.get(f"decision-{p['id']}") == "reject"]
        edited = {p: str(form.get(f"wording-{p}") or "") for p in approve}
        remember = form.get("remember") == "yes"
        try:
            await run_in_threadpool(
                lambda: self._calibration.decide(
                    session, approve=approve, reject=reject, edited=edited, remember=remember
                )
            )
        except RubricatorError as error:
            told = await run_in_threadpool(self._reveal, session, error)
            return HTMLResponse(told, 409 if isinstance(error, RefusedError) else 400)
        self._end()
        return await run_in_threadpool(self._page, session)

    @_authorised
    async def api_state(self, request: Request) -> Response:
        """Before commit, the artifacts; after it, the report."""
        session = request.path_params["session"]
        return JSONResponse(await run_in_threadpool(self._state, session))

    @_authorised
    async def api_draft(self, request: Request) -> Response:
        """Keep an unfinished ranking."""
        body = request.state.body
        draft = {key: body[key] for key in ("order", "ties", "notes", "seconds", "read", "view") if key in body}
        await run_in_threadpool(self._calibration.open_pass(request.path_params["session"]).save_draft, draft)
        return JSONResponse({"saved": True})

    @_authorised
    async def api_ranking(self, request: Request) -> Response:
        """Commit a ranking, and answer with the report."""
        session, body = request.path_params["session"], request.state.body
        notes, seconds = _mapping(body, "notes", str), _mapping(body, "seconds", (int, float))
        opened = self._calibration.open_pass(session)
        await run_in_threadpool(opened.commit, body.get("ranking"), notes, seconds)
        return JSONResponse(await run_in_threadpool(self._state, session))

    @_authorised
    async def api_decline(self, request: Request) -> Response:
        """End the pass without a ranking."""
        session = request.path_params["session"]
        reason = str(request.state.body.get("reason", ""))[:_MOST_NOTES]
        await run_in_threadpool(self._calibration.open_pass(session).decline, reason)
        self._end()
        return JSONResponse(await run_in_threadpool(self._state, session))

    @_authorised
    async def api_inference(self, request: Request) -> Response:
        """Ask the model of the settings about a committed pass, and answer with the report."""
        session = request.path_params["session"]
        await run_in_threadpool(self._consult, session)
        return JSONResponse(await run_in_threadpool(self._state, session))

    @_authorised
    async def api_decisions(self, request: Request) -> Response:
        """Apply what was approved."""
        session, body = request.path_params["session"], request.state.body
        lists = {key: body.get(key) or [] for key in ("approve", "reject")}
        if not all(isinstance(v, list) and all(isinstance(i, str) for i in v) for v in lists.values()):
            raise InputError("approve and reject are lists of proposal ids.", hint='{"approve": ["p1"], "reject": []}')
        edited = _mapping(body, "edited", str)
        done = await run_in_threadpool(
            lambda: self._calibration.decide(session, edited=edited, remember=body.get("remember") is True, **lists)
        )
        self._end()
        return JSONResponse(done)

    def _end(self) -> None:
        if self._only is not None:
            self._ended()

    def _consult(self, session: str) -> None:
        inference = self._workspace.inference() if self._model() else None
        if inference is None:
            raise InputError(
                "No model is set that could be asked.",
                hint="Set RUBRICATOR_ANSWERER to endpoint or tactus, with RUBRICATOR_MODEL, and serve again.",
            )
        try:
            self._calibration.consult(session, inference)
        finally:
            inference.close()

    def _model(self) -> dict[str, Any] | None:
        """Who a page may ask, as the settings say; a host agent is none that a page could reach."""
        try:
            asked = self._workspace.answerer()
        except InputError:  # settings that can't be read must not cost the report
            return None
        return asked if asked["where"] else None

    def _state(self, session: str) -> dict[str, Any]:
        state = self._calibration.state(session)
        if state != "open":
            return {"state": state, **self._workspace.explain(session)}
        opened = self._calibration.open_pass(session)
        opened.seen()
        artifacts = [{"label": a.label, "text": a.text, "words": a.words} for a in opened.packet.artifacts]
        return {
            "state": "open",
            "artifacts": artifacts,
            "reading_minutes": opened.packet.reading_minutes,
            "draft": opened.draft,
        }

    def _page(self, session: str) -> HTMLResponse:
        if self._calibration.state(session) == "open":
            return HTMLResponse(self._ranking(session))
        return HTMLResponse(self._reveal(session))

    def _ranking(self, session: str) -> str:
        opened = self._calibration.open_pass(session)
        opened.seen()
        shown = [
            {
                "label": a.label,
                "html": inert.render(a.text),
                "words": a.words,
                "excerpt": a.excerpt,
                "masked": dict(a.masked),
                "hint": " ".join(a.text.split())[:80].lstrip("# "),
            }
            for a in opened.packet.artifacts
        ]
        return page(
            "ranking.html",
            title=f"Rank blind: {opened.evaluator}",
            session=session,
            evaluator=opened.evaluator,
            artifacts=shown,
            minutes=opened.packet.reading_minutes,
            notes=opened.packet.notes,
            draft=opened.draft,
        )

    def _reveal(self, session: str, error: RubricatorError | None = None) -> str:
        told = self._workspace.explain(session)
        if told["finding"] == "halted":
            return page("halted.html", title="Halted", told=told)
        log = self._calibration.log(told["evaluator"])
        return page(
            "reveal.html",
            title=told["headline"],
            session=session,
            told=told,
            proposed=self._calibration.propose(session),
            picture=pictures.crossing(told),
            shares=pictures.contributions,
            drift=pictures.course(
                [(entry["at"][:10] or "now", entry["kendall_tau_b"]) for entry in told["revisions"]],
                "Agreement with your ranking under each revision of the rubric",
            ),
            passes=pictures.course(
                [(point["date"], point["value"]) for point in log["trend"]["kendall_tau_b"]],
                "Agreement over the passes",
            ),
            trend=log["trend"],
            model=self._model(),
            can_consult=self._calibration.can_consult(session),
            error=error,
        )


def _mapping(body: dict[str, Any], key: str, kind: Any) -> dict[str, Any]:
    """A part of a request that is a mapping; entries of another kind are left out."""
    given = body.get(key) or {}
    if not isinstance(given, dict):
        raise InputError(f"`{key}` is not an object.", hint="Send labels with their values.")
    return {str(k): v for k, v in given.items() if isinstance(v, kind) and not isinstance(v, bool)}
