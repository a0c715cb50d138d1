"""How passes look in a terminal: the finding first, then what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from rubricator.calibration.interpretation import strength
from rubricator.calibration.log import change_words, sparkline
from rubricator.core.fence import visible
from rubricator.core.rubric import shortest


def due(found: Sequence[Mapping[str, Any]]) -> None:
    """Whether passes are due, and by what."""
    for entry in found:
        state = {True: "due", False: "not due", None: "unknown"}[entry["due"]]
        _line(f"{entry['evaluator']}: {state}. {entry['reason']}")
        for event in entry["events"]:
            _line(f"  {event['detail']}")
    if not found:
        _line("There is no evaluator here.")


def started(begun: Mapping[str, Any]) -> None:
    """A session that was begun."""
    labels = ", ".join(f"{a['label']} ({a['words']} words)" for a in begun["artifacts"])
    _line(f"{begun['session']}: {labels}")
    _line(
        f"About {begun['reading_minutes']:g} minutes to read. The evaluator's scores are sealed until you have ranked."
    )
    for note in begun["notes"]:
        _line(note)
    if "url" in begun:
        _line(f"Page: {begun['url']}")
        _line(f"Serve it with: rubricator calibrate rank {begun['session']}")


def report(told: Mapping[str, Any]) -> None:
    """A pass's report."""
    if told.get("unread"):
        _line("UNREAD: the ranking was made faster than anyone could read the artifacts.")
    _line(told["headline"])
    _line(f"  {told['reason']}")
    if told["finding"] == "halted":
        return
    _line(f"  {told['caveat']}")
    _figures(told)
    for inversion in told["inversions"]:
        scores = inversion["machine_scores"]
        better, worse = inversion["preferred"], inversion["over"]
        why = inversion["attribution"]["explanation"]
        _line(f"  You put {better} ({scores[better]:g}) above {worse} ({scores[worse]:g}): {why}")
    if told["unattributed"]:
        _line(f"  {told['unattributed']}")
    drivers(told)
    for entry in told["dead_weight"]:
        _line(f"  Dead weight: “{entry['criterion']}”: {entry['reason']}.")
    if told["revision_story"]:
        _line(f"  {told['revision_story']}")
    if not told["seal"]["matches"]:
        _line(f"  SEAL BROKEN: {told['seal']['reason']}")
    for note in told["diagnostics"]:
        click.echo(visible(note), err=True)


def _figures(told: Mapping[str, Any]) -> None:
    tau, p = told["kendall_tau_b"], told["p_exact"]
    if tau is None:
        _line(f"  Agreement is undefined: {', '.join(sorted(set(told['undefined'].values())))}.")
    else:
        said = f"p {p:.3f} ({told['p_method']})"
        _line(f"  Kendall's tau-b {tau:.2f} ({strength(tau)}), Spearman's rho {told['spearman']:.2f}, {said}")
    spread = told["score_range"]
    if spread["count"]:
        _line(
            f"  {told['agreeing']} pairs agree, {len(told['inversions'])} are inverted, {told['machine_ties']} tied by "
            f"the evaluator, {told['owner_ties']} by you"
        )
        _line(
            f"  {spread['count']} logged scores from {spread['min']:g} to {spread['max']:g}, sd {spread['sd']:.2f}, "
            f"{spread['levels']} levels, {spread['share_in_top_band']:.0%} in the top band"
        )


def drivers(told: Mapping[str, Any]) -> None:
    """The driver, or the candidates, with where each came from."""
    if not told["drivers"]:
        return
    first = told["drivers"][0]
    if first["confident"]:
        _line(f"  Driver: “{first['criterion']}” (probability {first['probability']:.2f})")
    elif first["probability"] is None:
        _line("  Named by a model, which is a reading and no proof:")
    else:
        _line("  No single criterion is certain. Candidates:")
    for driver in told["drivers"]:
        facts = [f"weight {shortest(driver['weight'])}", driver["added"], driver["source"]]
        said = f"“{driver['criterion']}”, {', '.join(fact for fact in facts if fact)}"
        _line(f"    {_probability(driver)}  {said}")
        if driver is first:
            for text in driver["quote"].splitlines():
                _line(f"          {text}")
        _origin(driver)
    if told["noise_probability"] is not None:
        _line(f"    {told['noise_probability']:.2f}  none of them: the noise of ranking")


def _probability(driver: Mapping[str, Any]) -> str:
    if driver["probability"] is None:
        return f"{driver['inversions']} of them"
    return f"{driver['probability']:.2f}"


def _origin(driver: Mapping[str, Any]) -> None:
    """Where a driver came from, in a line, and what rubric memory cites of it."""
    if "origin" in driver:
        _line(f"          {driver['origin']}")
    for hit in driver.get("memory", []):
        _line(f"          [{hit['citation_id']}] {hit['date'] or 'undated'} {hit['source']}")


def proposals(found: Mapping[str, Any]) -> None:
    """The changes that hold."""
    _line(found["message"])
    for proposal in found["proposals"]:
        _line(f"{proposal['id']}: {change_words(proposal)}")
        _line(f"  {proposal['rationale']}")
        if proposal["resolves"] is not None:
            _line(f"  resolves {_pairs(proposal['resolves'])}; breaks {_pairs(proposal['breaks'])}")
        if not proposal["verified"]:
            _line(f"  not verified: {proposal['to_verify']}")
        if proposal["leave_one_out"]:
            left = proposal["leave_one_out"]
            _line(f"  holds in {left['survives']} of {left['of']} samples with one artifact left out")
        if proposal["contradicts_earlier"]:
            _line(f"  contradicts {len(proposal['contradicts_earlier'])} pairs of earlier rankings")
        if order := proposal["order_change"]:
            _line(f"  moves {order['moved']} of {order['artifacts']} logged artifacts")
        if proposal["needs_wording"]:
            _line(f"  needs your words: --wording {proposal['id']}=FILE")
        elif proposal["action"] == "narrow":
            _line("  it would read:")
            for text in proposal["after"]["text"].splitlines():
                _line(f"      {text}")


def applied(done: Mapping[str, Any]) -> None:
    """What was changed."""
    for change in done["approved"]:
        _line(change_words(change))
    _line(f"Written to {done['rubric']}; logged in {done['ledger']}.")
    before, after = done["kendall_tau_b"], done["predicted"]
    if after is not None:
        _line(f"On the ranked sample tau-b goes from {before:.2f} to {after:.2f}, by arithmetic.")
    else:
        _line("What it does to agreement shows when the artifacts are scored again.")
    if done["remembered"]:
        _line(f"Remembered in {done['remembered']}.")
    _line(f"Undo it with: rubricator calibrate revert {done['session']}")


def log(found: Mapping[str, Any]) -> None:
    """The passes of an evaluator."""
    entries = found["entries"]
    _line(f"{found['evaluator']}  {sparkline([entry['kendall_tau_b'] for entry in entries])}")
    for entry in entries:
        tau = "undefined" if entry["kendall_tau_b"] is None else f"tau-b {entry['kendall_tau_b']:.2f}"
        unread = " (unread)" if entry.get("unread") else ""
        facts = [f"{entry['finding'] or entry['state']}{unread}", f"n = {entry['n']}", tau]
        facts += [change_words(change) for change in entry["changes"]]
        _line(f"  {entry['date']}  {', '.join(facts)}{' (reverted)' if entry['reverted'] else ''}")
    if not entries:
        _line("  no pass yet")
    trend = found["trend"]
    _line(f"  trend: {trend['direction'] or 'none'} ({trend['reason']})")


def verified(found: Mapping[str, Any]) -> None:
    """Whether a ledger holds."""
    _line(f"{found['ledger']}: {found['events']} events, {'whole' if found['valid'] else 'NOT WHOLE'}")
    for problem in found["problems"]:
        _line(f"  {problem}")
    if found["head"]:
        _line(f"  head {found['head']}")


def explained(told: Mapping[str, Any]) -> None:
    """Every inversion's arithmetic."""
    for inversion in told["inversions"]:
        _line(f"{inversion['preferred']} over {inversion['over']}: {inversion['attribution']['explanation']}")
        parts = inversion["attribution"]["contributions"].items()
        for name, part in sorted(parts, key=lambda entry: -entry[1]):
            _line(f"  {part:+8.3f}  {name}")
    for driver in told["drivers"]:
        _line(f"“{driver['criterion']}” ({_probability(driver)}): {driver['origin']}")
        for hit in driver["memory"]:
            _line(f"  [{hit['citation_id']}] {hit['date'] or 'undated'} {hit['source']}")
            _line(f"      {' '.join(hit['text'].split())[:200]}")
    if not told["inversions"]:
        _line(told["headline"])


def audit(found: Mapping[str, Any]) -> None:
    """Existing labels."""
    _line(found["caveat"])
    _line(f"{found['items']} items in {found['groups']} groups")
    if found["kendall_tau_b"] is not None:
        p = f"p {found['p_exact']:.3g} ({found['p_method']})"
        _line(f"  over all: rho {found['spearman']:.6f}, tau-b {found['kendall_tau_b']:.6f}, {p}")
    mean = found["mean_by_group"]
    if found["groups"] > 1 and mean["kendall_tau_b"] is not None:
        _line(f"  mean of {mean['groups_used']} groups: rho {mean['spearman']:.6f}, tau-b {mean['kendall_tau_b']:.6f}")
    _line(
        f"  {found['agreeing']} pairs agree, {found['inversions']} are inverted, {found['owner_ties']} owner ties, "
        f"{found['machine_ties']} machine ties"
    )
    for driver in found["drivers"]:
        _line(f"  {driver['inversions']:>5} inversions  “{driver['criterion']}”")
    if (check := found["reweighting"]) and check["learned"] is not None:
        _line(f"  re-weighting, on unseen groups: tau-b {check['learned']:.4f}, weights as given {check['given']:.4f}")
        _line(f"  {check['verdict']}")
    for note in found["diagnostics"]:
        click.echo(visible(note), err=True)


def _pairs(pairs: Sequence[Sequence[str]]) -> str:
    return ", ".join(f"{better} over {worse}" for better, worse in pairs) or "none"


def _line(text: str) -> None:
    click.echo(visible(text))
