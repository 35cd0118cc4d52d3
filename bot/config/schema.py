"""The JSON Schema (draft 2020-12) of the configuration file, for editors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pydantic.errors import PydanticInvalidForJsonSchema

from bot.api import PluginError
from bot.config.describing import described
from bot.config.loading import MODULE, PLATFORMS, PLUGINS, Models
from bot.config.settings import Settings
from bot.config.shapes import NOTHING, REFERENCE

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
VARIABLE: Final = {"type": "string", "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}"}
ONE: Final = ("additionalProperties", "items", "propertyNames", "not")
MANY: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED: Final = ("properties", "patternProperties", "$defs")
ANNOTATIONS: Final = ("title", "description", "default", "examples", "deprecated")
PRECISE: Final = ("enum", "const", "pattern", "format")

Schema = dict[str, Any]


def schema(models: Models) -> Schema:
    """Return the schema of the whole file, every installed platform and plugin included."""
    definitions: Schema = {"variable": VARIABLE}
    top = _model(Settings, "", definitions)
    groups = {
        PLATFORMS: _group(models.platforms(), models.platform, "platform", definitions),
        PLUGINS: _group(
            models.plugins(), lambda name: models.plugin(name, None), "plugin", definitions
        ),
    }
    groups[PLUGINS]["additionalProperties"] = {
        "type": "object",
        "properties": {MODULE: {"type": "string", "description": "module of a private plugin"}},
        "required": [MODULE],
    }
    top["properties"] |= groups
    head = {"$schema": DIALECT, "title": "Tertulia", "description": "The file bot.yaml."}
    return {**top, **head, "$defs": definitions}


def _group(
    names: Sequence[str],
    find: Callable[[str], type[Any] | None],
    kind: str,
    definitions: Schema,
) -> Schema:
    blocks = {name: _block(name, find, f"{kind}.{name}.", definitions) for name in names}
    return {"type": ["object", "null"], "properties": blocks, "additionalProperties": False}


def _block(
    name: str, find: Callable[[str], type[Any] | None], prefix: str, definitions: Schema
) -> Schema:
    """Return a block's schema; one that cannot be told takes anything and says why."""
    try:
        model = find(name)
        found = dict(NOTHING) if model is None else _model(model, prefix, definitions)
    except (PluginError, PydanticInvalidForJsonSchema) as error:
        return {"description": str(error)}
    if found.get("required"):
        return found
    return {"anyOf": [found, {"type": "null"}]}


def _model(model: type[Any], prefix: str, definitions: Schema) -> Schema:
    written = _written(described(model, prefix))
    definitions |= {f"{prefix}{name}": part for name, part in written.pop("$defs", {}).items()}
    return written


def _written(found: Schema) -> Schema:
    """Return a model's schema as the file may be written: with a variable in place of a scalar."""
    inner = {word: _within(word, value) for word, value in found.items()}
    if found.get("format") == "password":
        return {**_annotations(inner), **VARIABLE}
    if not _is_precise(found):
        return inner
    rest = {word: value for word, value in inner.items() if word not in ANNOTATIONS}
    return {**_annotations(inner), "anyOf": [rest, {"$ref": f"{REFERENCE}variable"}]}


def _annotations(found: Schema) -> Schema:
    return {word: value for word, value in found.items() if word in ANNOTATIONS}


def _within(word: str, value: Any) -> Any:
    if word in ONE and isinstance(value, Mapping):
        return _written(dict(value))
    if word in MANY:
        return [_written(part) for part in value]
    if word in NAMED:
        return {name: _written(part) for name, part in value.items()}
    return value


def _is_precise(found: Schema) -> bool:
    """Tell whether a scalar is asked for that a variable's text would not be."""
    kinds = found.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    scalar = any(kind in ("integer", "number", "boolean") for kind in kinds)
    return scalar or any(word in found for word in PRECISE)
