"""What plugins offer each other."""

from typing import Any, Protocol, TypeVar

Offer = TypeVar("Offer")


class Tools(Protocol):
    """What plugins offer each other, by the offering plugin's name."""

    def get(self, name: str, protocol: type[Offer]) -> Offer:
        """Return what plugin ``name`` offers; `PluginError` unless it follows ``protocol``.

        ``protocol`` is a class or a ``runtime_checkable`` protocol.
        """
        ...

    def __getattr__(self, name: str) -> Any:
        """Return what plugin ``name`` offers, unchecked."""
        ...
