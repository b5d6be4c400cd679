"""The result type of Python against the schema that the engine generates from its report."""

from __future__ import annotations

import json
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

import hoplab
from hoplab.base.engine import report_schema
from hoplab.base.metrics import Flow
from hoplab.running.runs import FORMAT, Run


def fields(definition: dict[str, Any]) -> dict[str, bool]:
    """Field names of a JSON Schema object, and whether each may be null."""
    return {name: "null" in (entry.get("type") or []) for name, entry in definition["properties"].items()}


@pytest.mark.parametrize(("struct", "name"), [(Run, None), (Flow, "FlowReport")])
def test_python_fields_equal_the_engine_s_schema(struct: type[msgspec.Struct], name: str | None) -> None:
    schema = report_schema()
    engine = fields(schema if name is None else schema["$defs"][name])
    assert set(struct.__struct_fields__) == set(engine)
    hints = get_type_hints(struct)
    for field, may_be_null in engine.items():
        if may_be_null:
            assert type(None) in get_args(hints[field]), field


def test_required_fields_of_python_are_required_by_the_engine() -> None:
    schema = report_schema()
    needed = {field.name for field in msgspec.structs.fields(Run) if field.required}
    assert needed <= set(schema["required"])


def test_a_report_of_a_later_format_is_refused() -> None:
    flow = {"transport": "reno", "from": 0, "to": 1}
    chain = {"duration": "1 s", "topology": {"kind": "chain", "hops": 1}, "flow": [flow]}
    run = hoplab.run(hoplab.Scenario.from_dict(chain))[0]
    assert run.format == FORMAT == json.loads(run.json)["format"]
    later = json.dumps({**json.loads(run.json), "format": FORMAT + 1})
    with pytest.raises(ValueError, match=f"format {FORMAT + 1}, expected at most {FORMAT}; update hoplab"):
        Run.from_engine(later, {})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"seed": "1"}', r"Expected `int`, got `str` - at `\$.seed`"),
        ("[]", "Expected `object`, got `array`"),
        ("{", "truncated"),
    ],
)
def test_a_harmed_report_names_the_field(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Run.from_engine(text, {})
