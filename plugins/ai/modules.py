"""What an operator names in a module of their own."""

from importlib import import_module
from typing import Any


def named(path: str) -> Any:
    """Return what ``module:name`` names; ValueError where that is nothing."""
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        raise ValueError("name a function as module:function")
    try:
        return getattr(import_module(module), name, None)
    except ImportError as error:
        raise ValueError("names a module that cannot be imported") from error
