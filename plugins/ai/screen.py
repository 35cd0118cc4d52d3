"""What a reader sees of an answer while it grows."""

from collections.abc import Iterable

from plugins.ai.citations import Citations
from plugins.ai.links import Links
from plugins.ai.markup import Kind, Scanner, Segment, scan


class Screen:
    """Passes pieces on as they may be shown.

    Numbers that cite nothing go; images become their description; a link that nobody trusted gave
    becomes code, so that no client fetches or follows it. ``withheld`` counts those.
    """

    def __init__(self, citations: Citations, links: Links) -> None:
        self.withheld = 0
        self.shown = ""
        self._citations = citations
        self._links = links
        self._scanner = Scanner()

    def feed(self, piece: str) -> str:
        """Return what can be shown after one more piece."""
        return self._keep(self._scanner.feed(piece))

    def finish(self) -> str:
        """Return what waited for more."""
        return self._keep(self._scanner.finish())

    def _keep(self, segments: Iterable[Segment]) -> str:
        text = "".join(map(self._render, segments))
        fresh = text if self.shown else text.lstrip()
        self.shown += fresh
        return fresh

    def _render(self, segment: Segment) -> str:
        match segment.kind:
            case Kind.MARK:
                return self._citations.shown(segment)
            case Kind.IMAGE:
                self.withheld += 1
                return self._label(segment)
            case Kind.LINK | Kind.URL if not self._links.allow(segment.target):
                self.withheld += 1
                code = f"`{segment.target.replace('`', '')}`"
                return f"{self._label(segment)} ({code})" if segment.kind is Kind.LINK else code
            case Kind.LINK:
                return f"[{self._label(segment)}]({segment.target})"
            case _:
                return segment.text

    def _label(self, segment: Segment) -> str:
        return "".join(
            part.text if part.kind is Kind.MARK else self._render(part)
            for part in scan(segment.label)
        )
