"""The page for programmers, made from the OpenAPI document."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Part:
    """A parameter, or a field of a message."""

    name: str
    type: str
    text: str
    needed: bool


@dataclass(frozen=True)
class Operation:
    """Something a program can ask."""

    id: str
    method: str
    path: str
    summary: str
    text: str
    token: str
    """needed, optional or none"""
    parameters: list[Part]
    fields: list[Part]
    answer: str
    """The name of the type of the answer; empty if it is no JSON."""
    example: str
    statuses: list[int]


@dataclass(frozen=True)
class Type:
    """The type of an answer, or of a part of one."""

    name: str
    text: str
    fields: list[Part]


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """All that the document describes, in its order."""
    return [
        _operation(document, path, method, each)
        for path, methods in document["paths"].items()
        for method, each in methods.items()
        if method in METHODS
    ]


def texts(document: Mapping[str, Any]) -> set[str]:
    """Every text on the page that has to be translated."""
    found = {str(document["info"]["description"])}
    for each in operations(document):
        found |= {each.summary, each.text, *(part.text for part in [*each.parameters, *each.fields])}
    for type in types(document):
        found |= {type.text, *(part.text for part in type.fields)}
    return found - {""}


def types(document: Mapping[str, Any]) -> list[Type]:
    """The types of all answers, and of parts of messages; messages themselves stand with their operation."""
    sent = {
        _name_of(each.get("requestBody", {}))
        for methods in document["paths"].values()
        for each in methods.values()
    }
    schemas = dict(document["components"]["schemas"])
    for methods in document["paths"].values():
        for each in methods.values():
            streamed = _streamed(each["responses"].get("200", {}))
            schemas |= {streamed["title"]: streamed} if streamed else {}
    return [
        Type(name, " ".join(schema.get("description", "").split()), _parts(schema))
        for name, schema in schemas.items()
        if name not in sent
    ]


def _operation(document: Mapping[str, Any], path: str, method: str, each: Mapping[str, Any]) -> Operation:
    body = _schema_of(document, each.get("requestBody", {}))
    good = next(code for code in each["responses"] if code.startswith("2"))
    security = each.get("security", [])
    return Operation(
        id=each["operationId"],
        method=method.upper(),
        path=path,
        summary=each["summary"],
        text=" ".join(each.get("description", "").split()),
        token="none" if not security else "optional" if {} in security else "needed",
        parameters=[
            Part(p["name"], _type(p["schema"]), p.get("description", ""), p.get("required", False))
            for p in each.get("parameters", [])
        ],
        fields=_parts(body),
        answer=_name_of(each["responses"][good]),
        example=json.dumps(_example(document, body), indent=2) if body else "",
        statuses=sorted(int(code) for code in each["responses"]),
    )


def _name_of(holder: Mapping[str, Any]) -> str:
    """The name of the type of a JSON message, or of the messages of a stream."""
    if _streamed(holder):
        return str(_streamed(holder)["title"])
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


def _streamed(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of the messages of a stream; empty if it is none."""
    schema = holder.get("content", {}).get("text/event-stream", {}).get("schema", {})
    found: Mapping[str, Any] = schema.get("properties", {}).get("data", {}).get("contentSchema", {})
    return found


def _schema_of(document: Mapping[str, Any], holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a JSON message; empty for any other."""
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    return _resolved(document, schema)


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    found: Mapping[str, Any] = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return found


def _parts(schema: Mapping[str, Any]) -> list[Part]:
    needed = schema.get("required", [])
    return [
        Part(name, _type(each), each.get("description", ""), name in needed)
        for name, each in schema.get("properties", {}).items()
    ]


def _type(schema: Mapping[str, Any]) -> str:
    """The type of a field, as short as it can be said."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " | ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{_type(schema['items'])}]"
    return str(schema.get("type", "any"))


def _example(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """A message that fits a schema: what is needed, and no more."""
    schema = _resolved(document, schema)
    if "examples" in schema:
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        return {name: _example(document, properties[name]) for name in schema.get("required", [])}
    if schema.get("type") == "array":
        return [_example(document, schema["items"])]
    return {"integer": 0, "boolean": False, "string": "…"}.get(schema.get("type", ""))
