"""Rubric calibration for an agent: it starts a pass and waits; a person ranks, and a person approves."""

from __future__ import annotations

import time
from typing import Annotated, Any, Final, Literal

import anyio
from anyio import to_thread
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field, create_model

from rubricator.errors import ApprovalError, InputError, RefusedError, RubricatorError
from rubricator.interfaces.mcp.server import Asked, RubricatorServer, as_json, refused, served, told
from rubricator.rubric_calibration.open_pass import OpenPass

Mode = Literal["stratified", "informative"]
_LONGEST_WAIT: Final = 3600
_LOOK_AGAIN: Final = 0.5


@told
def evaluators(ctx: Asked) -> str:
    """The evaluators that can be calibrated. Where their scores lie is not told: you have no use for it."""
    found = served(ctx).workspace.calibration.evaluators()
    places = [{key: place[key] for key in ("name", "kind", "rubric")} for place in found["evaluators"]]
    return as_json({"evaluators": places, "diagnostics": found["diagnostics"]})


@told
def calibration_due(ctx: Asked, evaluator: str = "") -> str:
    """Whether a pass is due: what was learned since the last one. Never by the calendar."""
    return as_json({"evaluators": served(ctx).workspace.calibration.due(evaluator or None)})


@told
def calibration_start(
    ctx: Asked, evaluator: str = "", sample: int = 5, seed: int | None = None, mode: Mode = "stratified"
) -> str:
    """Start a blind pass over an existing evaluator and get the address of the owner's ranking page.

    Call it when somebody doubts an evaluator's scores. Give the address to the owner, then wait with calibration_rank.
    Not for scoring an artifact, building a rubric, a drop in output quality, or instructions that are ignored.
    """
    server = served(ctx)
    begun = server.workspace.calibration.start(evaluator or None, n=sample, seed=seed, mode=mode)
    begun.pop("token")
    return as_json({**begun, "url": server.page.address(begun["session"])})


class Places(BaseModel):
    """A ranking as a form gives it: a place for each label, 1 for the best."""


@told
def by_form(ctx: Asked, session: str = "", ask_here: bool = False) -> Elicit[Places] | None:
    """The form that asks the person for the ranking; None where the client has none, or the page is to be used."""
    server = served(ctx)
    calibration = server.workspace.calibration
    named = _named(server, session, "open", "committed", "closed", "halted")
    if not ask_here or not _asks(ctx) or calibration.state(named) != "open":
        return None
    artifacts = calibration.open_pass(named).packet.artifacts
    labels = ", ".join(f"{artifact.label} ({artifact.words} words)" for artifact in artifacts)
    fields: dict[str, Any] = {
        artifact.label: (int, Field(ge=1, le=len(artifacts), description=f"Place of {artifact.label}; 1 is the best"))
        for artifact in artifacts
    }
    message = (
        f"Rank these artifacts blind: {labels}. Read them at {server.page.address(named)} first. "
        "Give each a place, 1 for the best; equal places are ties. It can't be changed afterwards."
    )
    return Elicit(message, create_model("Places", __base__=Places, **fields))


async def calibration_rank(
    ctx: Asked,
    places: Annotated[Any, Resolve(by_form)],
    session: str = "",
    ask_here: bool = False,  # noqa: ARG001 - the form's
    wait_seconds: int = 300,
) -> str:
    """Wait until the owner has ranked on the page. `ask_here`: ask the person through this client's own form instead.

    You can't rank, nor answer that form in the owner's place. If it is still open at the end, remind the owner of the
    address and call again.
    """
    server = served(ctx)
    calibration = server.workspace.calibration
    try:
        named = _named(server, session, "open", "committed", "closed", "halted")
        if places is not None:
            _commit(calibration.open_pass(named), places)
        started = time.monotonic()
        limit = max(0, min(wait_seconds, _LONGEST_WAIT))
        while calibration.state(named) == "open" and (waited := time.monotonic() - started) < limit:
            await ctx.report_progress(round(waited, 1), float(limit), "The owner is reading.")
            await anyio.sleep(_LOOK_AGAIN)
        state = await to_thread.run_sync(calibration.state, named)
    except RubricatorError as error:
        raise refused(error) from None
    told_: dict[str, Any] = {"session": named, "state": state}
    if state == "open":
        told_ |= {"url": server.page.address(named), "next": "Give the owner this address, and call again."}
    return as_json(told_)


@told
def calibration_status(ctx: Asked) -> str:
    """The passes of the workspace with their states: open, committed, closed, halted."""
    return as_json({"sessions": served(ctx).workspace.calibration.sessions()})


@told
def calibration_report(ctx: Asked, session: str = "") -> str:
    """What a pass found. Refused before the owner's ranking is committed."""
    server = served(ctx)
    return as_json(server.workspace.explain(_named(server, session, "committed", "open", "closed", "halted")))


@told
def calibration_propose(ctx: Asked, session: str = "") -> str:
    """The changes that hold, each with its proof. Without drift there are none, and none is to be made up."""
    server = served(ctx)
    return as_json(server.workspace.calibration.propose(_named(server, session, "committed", "open")))


class Approval(BaseModel):
    """Whether the person wants the change."""

    apply: bool = Field(description="Yes: change the rubric file as described")


@told
def approval(
    ctx: Asked, approve: list[str], session: str = "", wording: dict[str, str] | None = None
) -> Elicit[Approval] | None:
    """The question to the person before an edit; None where the client can't ask, or the page has decided."""
    server = served(ctx)
    named = _named(server, session, "committed", "open", "closed")
    if server.workspace.calibration.state(named) == "closed" or not _asks(ctx):
        return None
    proposed = {p["id"]: p for p in server.workspace.calibration.propose(named)["proposals"]}
    unknown = [identity for identity in approve if identity not in proposed]
    if unknown or not approve:
        raise InputError(
            f"There is no proposal {', '.join(unknown) or '(none is named)'}.",
            hint=f"There are: {', '.join(proposed) or 'none'}.",
        )
    lines = [_in_words(proposed[identity], (wording or {}).get(identity)) for identity in dict.fromkeys(approve)]
    return Elicit("Change the rubric?\n" + "\n".join(lines), Approval)


@told
def calibration_apply(
    ctx: Asked,
    answer: Annotated[Any, Resolve(approval)],
    approve: list[str],
    session: str = "",
    wording: dict[str, str] | None = None,
) -> str:
    """Apply proposals that the owner approves: the owner is asked through the client, or approves on the page.

    Your own approval is none. `wording` gives the owner's new text for a proposal that narrows a criterion.
    """
    server = served(ctx)
    calibration = server.workspace.calibration
    named = _named(server, session, "committed", "open", "closed")
    if calibration.state(named) == "closed":
        decided = calibration.report(named)["decisions"]
        missing = sorted(set(approve) - {entry["id"] for entry in decided["approved"]})
        if missing:
            raise RefusedError(
                f"The owner decided already, and did not approve {', '.join(missing)}.", hint="Start a new pass."
            )
        return as_json(decided)
    calibration.propose(named)  # refused before a ranking is committed
    if answer is None:
        raise ApprovalError(
            "An edit needs the owner's approval, and this client can't ask for it.",
            hint=f"The owner approves on the page: {server.page.address(named)}",
        )
    if not answer.apply:
        raise ApprovalError("The owner does not want this change.", hint="Leave the rubric as it is.")
    return as_json(calibration.decide(named, approve=approve, edited=wording or {}))


@told
def calibration_log(ctx: Asked, evaluator: str = "") -> str:
    """The passes of an evaluator: agreement over time, and what was changed."""
    return as_json(served(ctx).workspace.calibration.log(evaluator or None))


def register(server: RubricatorServer) -> None:
    """Give a server these tools."""
    for tool in (
        evaluators, calibration_due, calibration_start, calibration_rank, calibration_status, calibration_report,
        calibration_propose, calibration_apply, calibration_log,
    ):  # fmt: skip
        server.tool(structured_output=False)(tool)


def _named(server: RubricatorServer, session: str, *states: Any) -> str:
    return server.workspace.calibration.resolve(session or None, states=states)


def _asks(ctx: Asked) -> bool:
    """Whether the client can ask its person by a form."""
    capabilities = ctx.client_capabilities
    asked = capabilities.elicitation if capabilities is not None else None
    return asked is not None and (asked.form is not None or asked.url is None)


def _commit(opened: OpenPass, places: Places) -> None:
    """Commit what the form gave: worst first, equal places tied."""
    given = places.model_dump()
    opened.commit(
        [[label for label, place in given.items() if place == at] for at in sorted(set(given.values()), reverse=True)]
    )


def _in_words(proposal: dict[str, Any], wording: str | None) -> str:
    before, after = proposal["before"], proposal["after"]
    name = f"- {proposal['id']}: “{proposal['criterion']}”"
    if proposal["action"] == "retire":
        return f"{name} is taken out."
    if proposal["action"] == "reweight":
        return f"{name} gets weight {after['weight']:g} instead of {before['weight']:g}."
    return f"{name} gets this text: {wording or after['text'] or 'the owner’s own, which is still missing'}"
