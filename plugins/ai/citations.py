"""The marks of an answer and the line that says what they stand for."""

from collections.abc import Callable, Collection, Sequence

from bot.api import Passage
from plugins.ai.markup import Kind, Segment, scan
from plugins.ai.naming import plain


def marks(text: str) -> set[int]:
    """Return the numbers that a text cites, outside of its code and links."""
    return {n for segment in scan(text) if segment.kind is Kind.MARK for n in segment.numbers}


class Citations:
    """Which of this turn's passages an answer cites.

    ``written`` are numbers in brackets that the question has itself: repeating them is no citation.
    Where nothing can be cited (``citing`` is false), brackets are text.
    """

    def __init__(
        self, passages: int, *, written: Collection[int] = (), citing: bool = True
    ) -> None:
        self.cited: set[int] = set()
        self.unknown = 0
        self._known = range(1, passages + 1)
        self._written = written
        self._citing = citing or passages > 0

    def shown(self, mark: Segment) -> str:
        """Return a mark as a reader should see it: without the numbers that stand for nothing."""
        known = [number for number in mark.numbers if number in self._known]
        self.cited.update(known)
        foreign = [n for n in mark.numbers if n not in self._known and n not in self._written]
        if not foreign or not self._citing:
            return mark.text
        self.unknown += len(foreign)
        kept = [number for number in mark.numbers if number not in foreign]
        blanks = mark.text[: mark.text.index("[")]
        return f"{blanks}[{', '.join(map(str, kept))}]" if kept else ""


def sources(
    passages: Sequence[Passage], cited: Collection[int], gettext: Callable[[str], str]
) -> str | None:
    """Return the line that names the sources; None when there are none.

    Passages with one label are named once, with all their numbers; when none was cited, all are
    named, without numbers.
    """
    numbers: dict[str, str] = {}
    for number, passage in enumerate(passages, 1):
        label = plain(passage.label, None)
        if not cited:
            numbers[label] = ""
        elif number in cited:
            numbers[label] = f"{numbers.get(label, '')}[{number}]"
    if not numbers:
        return None
    named = ", ".join(f"{marked} {label}".lstrip() for label, marked in numbers.items())
    return gettext("Sources: {list}").format(list=named)
