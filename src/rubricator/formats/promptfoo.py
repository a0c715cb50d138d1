"""promptfoo: configurations as rubrics, results as score logs.

An assertion is a criterion, of whatever type: all of them count. Totals are made as promptfoo makes them
(`src/assertions/assertionsResult.ts`): the sum of weight x score over the sum of weights, where an `assert-set` counts
as one entry with the total of its children. So a child's weight here is its share of the set's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rubricator.core.rows import to_number
from rubricator.core.rubric import Criterion, Rubric, Scale
from rubricator.core.scores import Scoring
from rubricator.formats import edits
from rubricator.formats.content import Content
from rubricator.formats.edits import Path
from rubricator.formats.logged import LogFormat, Logged, Outcome, shown, sub_scores
from rubricator.formats.reading import Found, Place, named_after, structured

_SET: Final = "assert-set"
_UNEQUAL: Final = "“{}” has more than one weight in the tests; the first one is shown."
_SEVERAL: Final = "“{}” stands more than once in one test: its weight there is their sum."
_RECORDED: Final = "This is the configuration that the results were made with; give the file itself to have it edited."
_CUSTOM: Final = "The configuration has a scoring function of its own: weights may not give its totals."


def _config(value: Any) -> Mapping[str, Any] | None:
    """The configuration in a file of it, or beside results."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("config"), Mapping) and "results" in value:
        return value["config"]  # type: ignore[no-any-return]
    known = isinstance(value.get("tests"), list) or isinstance(value.get("defaultTest"), Mapping)
    return value if known and any(key in value for key in ("prompts", "providers", "targets", "tests")) else None


def _matches(value: Any) -> bool:
    config = _config(value)
    return config is not None and (config is value or bool(_lists(config)))


def _lists(config: Mapping[str, Any]) -> list[tuple[Path, Sequence[Any]]]:
    """The lists of assertions with their paths: what holds for all tests first."""
    default, tests = config.get("defaultTest"), config.get("tests")
    places: list[tuple[Path, Any]] = [(("defaultTest", "assert"), default)]
    places += [(("tests", n, "assert"), test) for n, test in enumerate(tests if isinstance(tests, list) else ())]
    return [
        (path, holder["assert"])
        for path, holder in places
        if isinstance(holder, Mapping) and isinstance(holder.get("assert"), list) and holder["assert"]
    ]


def _read(content: Content) -> tuple[Rubric, list[Found]]:
    config = _config(content.value) or {}
    recorded = config is not content.value  # beside results: what was run, and not what will be
    notes = [_RECORDED] if recorded else []
    merged: dict[str, Found] = {}
    for path, assertions in _lists(config):
        in_test: dict[str, Found] = {}
        for found in _criteria(content, path, assertions):
            name = found.criterion.name
            found = Found(found.criterion, ()) if recorded else found  # noqa: PLW2901 - the same, not to be edited
            if name in in_test:
                notes.append(_SEVERAL.format(name))
                found = _both(in_test[name], found)  # noqa: PLW2901 - one criterion of the two
            in_test[name] = found
        for name, found in in_test.items():
            known = merged.get(name)
            if known and known.criterion.weight != found.criterion.weight:
                notes.append(_UNEQUAL.format(name))
            merged[name] = _again(known, found) if known else found
    if any("assertScoringFunction" in holder for holder in _holders(config)):
        notes.append(_CUSTOM)
    name = str(config.get("description") or content.stem)
    return Rubric(name, (), Scale(0, 1), notes=tuple(dict.fromkeys(notes))), list(merged.values())


def _holders(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    tests = config.get("tests")
    for holder in (config.get("defaultTest"), *(tests if isinstance(tests, list) else ())):
        if isinstance(holder, Mapping):
            yield holder


def _criteria(content: Content, path: Path, assertions: Sequence[Any]) -> Iterator[Found]:
    for number, entry in enumerate(assertions):
        if not isinstance(entry, Mapping):
            continue
        where = f"{content.filename}, weight of assertion {number + 1}"
        weight = _weight(entry, where)
        if entry.get("type") == _SET:
            children = [child for child in entry.get("assert") or () if isinstance(child, Mapping)]
            whole = sum(_weight(child, where) for child in children)
            for child in children:
                share = weight * _weight(child, where) / whole if whole else 0.0
                yield Found(Criterion(_name(child), _text(child), share), ())
            continue
        text = "value" if isinstance(entry.get("value"), str) else None
        yield Found(Criterion(_name(entry), _text(entry), weight), (Place((*path, number), "weight", text),))


def _both(one: Found, other: Found) -> Found:
    """Two assertions of one name in one test. Which of them an edit would mean is open, so none can be made."""
    a, b = one.criterion, other.criterion
    return Found(Criterion(a.name, _joined(a.text, b.text), a.weight + b.weight), ())


def _again(known: Found, found: Found) -> Found:
    """One criterion of several tests: edited in all of them, and its text only where all have the same."""
    a, b = known.criterion, found.criterion
    places = (*known.places, *found.places) if known.places and found.places else ()
    if a.text != b.text:
        places = tuple(Place(p.path, p.weight, None, p.retirable) for p in places)
    return Found(Criterion(a.name, _joined(a.text, b.text), a.weight), places)


def _joined(one: str, other: str) -> str:
    return one if other in one.split("\n\n") or one == other else f"{one}\n\n{other}"


def _name(assertion: Mapping[str, Any]) -> str:
    """The metric's name, else the assertion's type with the first words of its value: the same in both files."""
    if metric := assertion.get("metric"):
        return str(metric)
    value = _text(assertion)
    return f"{assertion.get('type')}: {named_after(value)}" if value else str(assertion.get("type"))


def _text(assertion: Mapping[str, Any]) -> str:
    value = assertion.get("value")
    if isinstance(value, list):
        return "\n".join(f"- {entry}" for entry in value)
    return "" if value is None else str(value).strip()


def _weight(assertion: Mapping[str, Any], where: str) -> float:
    if assertion.get("metricOnly"):
        return 0.0
    weight = assertion.get("weight")
    return 1.0 if weight is None else edits.number(weight, where)


def _log_matches(content: Content) -> bool:
    return _results(content.json) is not None


def _results(value: Any) -> list[Any] | None:
    inner = value.get("results") if isinstance(value, Mapping) else None
    rows = inner.get("results") if isinstance(inner, Mapping) else None
    return rows if isinstance(rows, list) else None


def _log(content: Content, _notes: list[str]) -> Iterator[Outcome]:
    timestamp = str(content.json["results"].get("timestamp") or content.json["results"].get("createdAt") or "")
    for number, row in enumerate(_results(content.json) or ()):
        yield _scored(row, number, timestamp) if isinstance(row, Mapping) else "it is no JSON object"


def _scored(row: Mapping[str, Any], number: int, timestamp: str) -> Outcome:
    grading = row.get("gradingResult")
    if not isinstance(grading, Mapping):
        return "it was not graded"
    score = to_number(row.get("score", grading.get("score")))
    if score is None:
        return "its score is missing or no number"
    test, prompt = (_counted(row.get(key)) for key in ("testIdx", "promptIdx"))
    name = f"test {test}, prompt {prompt}" if test and prompt else f"result {number + 1}"
    criteria = sub_scores(_combined(_components(row, grading))) or _named(row, grading)
    given = row.get("vars") or _inner(row, "prompt").get("raw")
    asked = "\n".join(f"{key}: {value}" for key, value in given.items()) if isinstance(given, Mapping) else given
    text = shown(asked, _inner(row, "response").get("output"))
    return Logged(Scoring(name, score, criteria, timestamp, group=f"test {test}" if test else ""), text)


def _components(row: Mapping[str, Any], grading: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Name, weight and score of each assertion. A set is followed by its children, which count once."""
    components = [c for c in grading.get("componentResults") or () if isinstance(c, Mapping)]
    declared = [a for a in _inner(row, "testCase").get("assert") or () if isinstance(a, Mapping)]
    at = index = 0
    while at < len(components):
        component = components[at]
        children = [c for c in component.get("componentResults") or () if isinstance(c, Mapping)]
        entry = declared[index] if index < len(declared) else {}
        at, index = at + 1 + len(children), index + 1
        meta = _inner(_inner(component, "metadata"), "assertionSet")
        if children and (meta or entry.get("type") == _SET):
            weight = to_number((meta or entry).get("weight", 1.0))
            weights = [_declared_weight(c) for c in children]
            whole = sum(weights)
            for child, part in zip(children, weights, strict=True):
                value = to_number(child.get("score"))
                if value is not None and whole:
                    yield _name(_inner(child, "assertion")), (1.0 if weight is None else weight) * part / whole, value
            continue
        value = to_number(component.get("score"))
        if value is not None:
            yield _name(_inner(component, "assertion") or entry), _declared_weight(component), value


def _declared_weight(component: Mapping[str, Any]) -> float:
    assertion = _inner(component, "assertion")
    weight = to_number(assertion.get("weight", 1.0))
    return 0.0 if assertion.get("metricOnly") else 1.0 if weight is None else weight


def _combined(components: Iterator[tuple[str, float, float]]) -> Iterator[tuple[str, float]]:
    """Of assertions of one name, the weighted mean, as for promptfoo's own named scores."""
    sums: dict[str, tuple[float, float, list[float]]] = {}
    for name, weight, score in components:
        weighted, whole, scores = sums.get(name, (0.0, 0.0, []))
        sums[name] = (weighted + weight * score, whole + weight, [*scores, score])
    for name, (weighted, whole, scores) in sums.items():
        yield name, scores[0] if len(scores) == 1 else weighted / whole if whole else sum(scores) / len(scores)


def _named(row: Mapping[str, Any], grading: Mapping[str, Any]) -> dict[str, float]:
    given = _inner(grading, "namedScores") or _inner(row, "namedScores")
    return sub_scores((str(name), to_number(value)) for name, value in given.items())


def _inner(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def _counted(index: Any) -> int | None:
    """A place counted from 1, of one counted from 0."""
    return index + 1 if isinstance(index, int) and not isinstance(index, bool) else None


PROMPTFOO: Final = structured("promptfoo", "promptfoo's configuration", _matches, _read)
PROMPTFOO_LOG: Final = LogFormat("promptfoo", "promptfoo's results, as JSON", _log_matches, _log)
