"""The skills: their format, what they must say, how they are installed, and how they are tried."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.model_server import calls, fails, model_server

from rubricator import skills
from rubricator.errors import EndpointError, InputError
from rubricator.interfaces.cli import main
from rubricator.settings import ModelSettings
from rubricator.skills import trial
from rubricator.skills.agents import CommandAgent, ModelAgent
from rubricator.skills.router import route

validator = pytest.importorskip("skills_ref")


@pytest.mark.parametrize("name", skills.NAMES)
def test_a_skill_passes_the_validator_of_its_format(tmp_path, name) -> None:
    skills.install(tmp_path)
    assert validator.validate(tmp_path / name) == []


def test_the_body_has_the_protocol_the_thresholds_and_the_log() -> None:
    body = skills.body("rubric-calibration")
    for words in ("blind-ranking protocol", "0.7", "0.4", "at most 0.05", "ledger.jsonl", "80% of the scores"):
        assert words in body
    assert len(body.split()) < 900
    assert "references/rubric-schemas.md" in body


def test_the_events_that_a_skill_names_are_the_ledgers() -> None:
    source = "".join(p.read_text() for p in (Path(skills.__file__).parents[1] / "rubric_calibration").glob("*.py"))
    body = skills.body("rubric-calibration")
    for event in ("pass_started", "pass_result", "changes_applied", "pass_closed", "pass_halted"):
        assert event in body
        assert f'"{event}"' in source


def test_installing_again_replaces_ours_and_never_another(tmp_path) -> None:
    placed = skills.install(tmp_path)
    (placed[0] / "extra.md").write_text("mine")
    skills.install(tmp_path)
    assert not (placed[0] / "extra.md").exists()
    (placed[1] / "SKILL.md").write_text("---\nname: rubric-memory\ndescription: x\n---\n")
    with pytest.raises(InputError, match="another skill"):
        skills.install(tmp_path)
    other = tmp_path / "other" / "rubric-calibration"
    other.mkdir(parents=True)
    with pytest.raises(InputError, match="is no skill"):
        skills.install(tmp_path / "other")


def test_the_set_is_large_and_its_parts_share_no_prompt() -> None:
    every = trial.prompts()
    assert len({p.prompt for p in every}) == len(every)
    development, held_out = trial.prompts("development"), trial.prompts(trial.HELD_OUT)
    assert len(development) + len(held_out) >= 40
    assert 0.38 < len(held_out) / (len(development) + len(held_out)) < 0.42
    assert {p.skill for p in held_out} == {*skills.NAMES, "output-quality-gate", "agent-instruction-audit", ""}


def test_the_router_is_right_in_nine_of_ten_held_out_decisions() -> None:
    found = trial.try_out(trial.prompts(trial.HELD_OUT), trial.offline)
    assert found["share"] >= 0.9
    assert found["right"] + len(found["errors"]) == found["decisions"] == 2 * found["prompts"]


def test_the_given_prompts_are_all_routed_right() -> None:
    assert trial.try_out(trial.prompts("given"), trial.offline)["errors"] == []


def test_the_router_looks_at_nothing_but_the_descriptions() -> None:
    swapped = {
        "rubric-calibration": trial.descriptions()["rubric-memory"],
        "rubric-memory": trial.descriptions()["rubric-calibration"],
    }
    assert route("calibrate my evaluator", swapped)["rubric-memory"] > 0.5
    assert route("", trial.descriptions())["rubric-calibration"] < 0.5


def test_figures_count_what_fired_and_what_did_not() -> None:
    asked = [
        trial.Prompt("a", "rubric-calibration", "x"),
        trial.Prompt("b", "", "x"),
        trial.Prompt("c", "rubric-memory", "x"),
    ]
    rates = {"a": {"output-quality-gate": 1.0}, "b": {"rubric-memory": 0.6}, "c": {"rubric-memory": 1.0}}
    found = trial.try_out(asked, rates.__getitem__)
    assert found["right"] == 4
    assert found["to_output_quality_gate"] == ["a"]
    assert [(e["prompt"], e["skill"], e["should_fire"], e["instead"]) for e in found["errors"]] == [
        ("a", "rubric-calibration", True, "output-quality-gate"),
        ("b", "rubric-memory", False, None),
    ]
    assert trial.try_out([], trial.offline)["share"] is None


def as_a_perfect_agent(request) -> str | None:
    """What an agent does that reads minds: it takes the skill that the prompt is for."""
    asked = request["messages"][-1]["content"]
    return next((p.skill or None for p in trial.prompts() if p.prompt == asked), None)


def test_a_model_is_asked_several_times_and_its_tool_calls_are_scanned(monkeypatch) -> None:
    pytest.importorskip("openai")
    with model_server(calls(as_a_perfect_agent)) as server:
        monkeypatch.setenv("RUBRICATOR_BASE_URL", server.base_url)
        done = CliRunner().invoke(
            main, ["skill", "eval", "--agent", "model", "--model", "m", "--part", "given", "--json"]
        )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["share"], told["errors"], told["runs"]) == (1.0, [], 3)
    assert len(server.requests) == 3 * 12
    assert "output-quality-gate" in server.requests[0]["messages"][0]["content"]
    assert server.requests[0]["tools"][0]["function"]["parameters"]["properties"]["name"]["enum"][:2] == list(
        skills.NAMES
    )


def test_a_rate_of_a_third_is_no_firing() -> None:
    pytest.importorskip("openai")
    names = iter(["rubric-calibration", None, None])
    with model_server(calls(lambda _: next(names))) as server:
        agent = ModelAgent(ModelSettings(model="m", base_url=server.base_url))
        rates = trial.repeated(agent.fired, 3)("Calibrate my evaluator")
        agent.close()
    assert rates == {"rubric-calibration": pytest.approx(1 / 3)}


def test_a_model_that_fails_is_an_error_and_no_figure() -> None:
    pytest.importorskip("openai")
    with model_server(fails(401)) as server, pytest.raises(EndpointError):
        ModelAgent(ModelSettings(model="m", base_url=server.base_url)).fired("x")
    with pytest.raises(InputError, match="No model"):
        ModelAgent(ModelSettings())


AGENT = """
import json, pathlib, sys
prompt = sys.argv[-1]
skills = sorted(p.parent.name for p in pathlib.Path(".claude/skills").glob("*/SKILL.md"))
assert skills == sorted(p.parent.name for p in pathlib.Path(".agents/skills").glob("*/SKILL.md"))
print(json.dumps({"type": "system", "skills": skills}))
if "judge" in prompt:
    use = {"type": "tool_use", "name": "Skill", "input": {"skill": "rubric-calibration"}}
elif "mail" in prompt:
    use = {"type": "tool_use", "name": "Read", "input": {"file_path": "/x/.claude/skills/rubric-memory/SKILL.md"}}
else:
    use = {"type": "text", "text": "rubric-calibration would be wrong here"}
print("no json")
print(json.dumps({"type": "assistant", "message": {"content": [use]}}))
"""


def test_the_command_of_an_agent_is_run_with_the_skills_installed(tmp_path) -> None:
    script = tmp_path / "agent.py"
    script.write_text(AGENT)
    agent = CommandAgent(f"{sys.executable} {script}", timeout=30)
    assert agent.fired("my judge is off") == ["rubric-calibration"]
    assert agent.fired("find the mail") == ["rubric-memory"]
    assert agent.fired("hello") == [], "words are no tool call"


@pytest.mark.parametrize(
    ("command", "error"),
    [("/no/such/agent", InputError), (f"{sys.executable} -c 'raise SystemExit(3)'", EndpointError), ("", InputError)],
)
def test_a_command_that_can_not_be_run_is_an_error(command, error) -> None:
    with pytest.raises(error):
        CommandAgent(command, timeout=30).fired("x")


def test_a_command_that_hangs_is_ended() -> None:
    with pytest.raises(EndpointError, match="longer than"):
        CommandAgent(f"{sys.executable} -c 'import time; time.sleep(60)'", timeout=0.5).fired("x")


def test_check_fails_where_too_little_is_right(monkeypatch) -> None:
    assert CliRunner().invoke(main, ["skill", "eval", "--check"]).exit_code == 0
    monkeypatch.setattr(trial, "offline", lambda _: {"rubric-memory": 1.0})
    assert CliRunner().invoke(main, ["skill", "eval", "--check"]).exit_code == 1
