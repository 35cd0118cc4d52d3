"""From a function to what a model is told of it, and from a model's arguments to the function's."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from docstring_parser import parse
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema

from bot.api import PluginError
from plugins.ai.providers.provider import ToolSpec

NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""The names that every provider takes."""


class BadArguments(ValueError):
    """A model called a tool wrongly; the text tells it how."""


class Untitled(GenerateJsonSchema):
    """A JSON Schema without the titles that only repeat the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """Set none."""
        return False


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's name, purpose and arguments."""

    spec: ToolSpec
    model: type[BaseModel]

    @classmethod
    def of(cls, function: Callable[..., object]) -> Self:
        """Read a function that gets a context and arguments by name; `PluginError` says why not."""
        name = function.__name__
        if not NAME.fullmatch(name):
            raise PluginError("its name is none: use 1 to 64 of a-z, A-Z, 0-9, _ and -")
        if not inspect.iscoroutinefunction(function):
            raise PluginError("it is no `async def` function")
        described = parse(inspect.getdoc(function) or "")
        purpose = "\n\n".join(
            part for part in (described.short_description, described.long_description) if part
        )
        if not purpose:
            raise PluginError("it has no docstring to say what it is for")
        texts = {param.arg_name: param.description for param in described.params}
        model = _model(function, texts)
        schema = {k: v for k, v in _schema(model).items() if k not in {"title", "description"}}
        return cls(ToolSpec(name, purpose, schema), model)

    def read(self, arguments: str) -> Mapping[str, object]:
        """Return the function's arguments from JSON; `BadArguments` where they are not its own."""
        try:
            given = json.loads(arguments.strip() or "{}")
        except ValueError as error:
            raise BadArguments("the arguments are no JSON object") from error
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise BadArguments("the arguments are no JSON object")
        try:
            read = self.model.model_validate_json(json.dumps(given))
        except ValidationError as error:
            raise BadArguments(_faults(error)) from error
        return {name: getattr(read, name) for name in type(read).model_fields}


def _model(function: Callable[..., object], texts: Mapping[str, str | None]) -> type[BaseModel]:
    try:
        taken = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    except NameError as error:
        raise PluginError(f"an annotation cannot be resolved: {error}") from error
    fields: dict[str, Any] = {}
    for parameter in taken:
        _check(parameter)
        default = ... if parameter.default is parameter.empty else parameter.default
        text = texts.get(parameter.name)
        field = Field(default) if text is None else Field(default, description=text)
        fields[parameter.name] = (parameter.annotation, field)
    try:
        return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    except (PydanticUserError, NameError) as error:
        raise PluginError(f"an annotation is no type that JSON can carry: {error}") from error


def _check(parameter: inspect.Parameter) -> None:
    if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
        raise PluginError(f"it takes {parameter}; a model gives arguments by name only")
    if parameter.annotation is parameter.empty:
        raise PluginError(f"its parameter {parameter.name!r} has no annotation")
    if parameter.name.startswith("_"):
        raise PluginError(f"its parameter {parameter.name!r} must not begin with an underscore")


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    try:
        return model.model_json_schema(schema_generator=Untitled)
    except PydanticUserError as error:
        raise PluginError(f"an annotation is no type that JSON can carry: {error}") from error


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)
    )
