"""Builds the tree of a file from the events of its parser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ruamel.yaml import events

from bot.config.nodes import Block, Entry, Fault, Items, Mark, Node, Scalar

MOST: Final = 10_000
"""Nodes in a file, counted as if every alias were written out."""

DEEPEST: Final = 32
CORE: Final = "tag:yaml.org,2002:"
TAGS: Final = {f"{CORE}{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")}
QUOTING: Final = (f"{CORE}str", "!")
MERGE: Final = "<<"


class Refused(Exception):
    """Ends the reading of a file."""

    def __init__(self, mark: Mark, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(mark, "", message)


@dataclass(slots=True)
class _Open:
    """A list or block that is being built; ``key`` waits for its value."""

    mark: Mark
    anchor: str | None
    is_block: bool
    nodes: list[Node] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    key: Scalar | None = None
    size: int = 1


class Builder:
    """Takes events one by one; ``root`` is the finished tree.

    ``faults`` are what a tree can be built in spite of: keys given twice, tags. `Refused` is raised
    for what no tree comes of, or one without a bound.
    """

    def __init__(self) -> None:
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self.mark = Mark()
        self._open: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}
        self._size = 0
        self._takers: Mapping[type[Any], Callable[[Any], None]] = {
            events.ScalarEvent: self._scalar,
            events.AliasEvent: self._alias,
            events.MappingStartEvent: self._begin,
            events.SequenceStartEvent: self._begin,
            events.MappingEndEvent: self._end,
            events.SequenceEndEvent: self._end,
        }

    @property
    def empty(self) -> bool:
        """Whether the file holds nothing but an empty value."""
        return isinstance(self.root, Scalar) and self.root.plain and not self.root.text

    def take(self, event: Any) -> None:
        """Take the next event."""
        self.mark = Mark(event.start_mark.line + 1, event.start_mark.column + 1)
        taker = self._takers.get(type(event))
        if taker is not None:
            self._refuse_second_document()
            taker(event)

    def _refuse_second_document(self) -> None:
        if self.root is not None:
            raise Refused(self.mark, "a second document begins here; there can be one only")

    def _scalar(self, event: events.ScalarEvent) -> None:
        text, plain = event.value, event.style is None
        if not plain:
            text = self._whole(text)
        tag = self._tag(event)
        if tag in QUOTING:
            plain = False
        node = Scalar(self.mark, text, plain)
        self._remember(event.anchor, node)
        self._add(node, 1)

    def _whole(self, text: str) -> str:
        """Return a text with the halves of characters put together, as JSON escapes them."""
        try:
            whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            whole = "\0"
        if "\0" in whole:
            raise Refused(self.mark, "an escape in this text stands for no character")
        return whole

    def _alias(self, event: events.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            raise Refused(self.mark, "this alias (*) names no anchor (&) above it; quote a text")
        node = self._anchors[event.anchor]
        if node is None:
            raise Refused(self.mark, "this alias (*) stands inside of what it names")
        self._add(node, 1 if isinstance(node, Scalar) else node.size)

    def _begin(self, event: events.CollectionStartEvent) -> None:
        if len(self._open) >= DEEPEST:
            raise Refused(self.mark, "nests too deeply")
        self._count(1)
        self._tag(event)
        self._remember(event.anchor, None)
        is_block = isinstance(event, events.MappingStartEvent)
        self._open.append(_Open(self.mark, event.anchor, is_block))

    def _end(self, _: events.CollectionEndEvent) -> None:
        done = self._open.pop()
        node: Node = (
            Block(done.mark, done.entries, done.size)
            if done.is_block
            else Items(done.mark, tuple(done.nodes), done.size)
        )
        self._remember(done.anchor, node)
        self._place(node, done.size)

    def _remember(self, anchor: str | None, node: Node | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node

    def _add(self, node: Node, size: int) -> None:
        self._count(size)
        self._place(node, size)

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MOST:
            raise Refused(self.mark, f"holds more than {MOST} values, aliases written out")

    def _place(self, node: Node, size: int) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        parent.size += size
        if not parent.is_block:
            parent.nodes.append(node)
        elif parent.key is None:
            parent.key = self._key(node)
        else:
            self._enter(parent, parent.key, node)
            parent.key = None

    def _key(self, node: Node) -> Scalar:
        if not isinstance(node, Scalar):
            raise Refused(node.mark, "a list or a block cannot be a key; is a text not quoted?")
        return Scalar(self.mark, node.text, node.plain)

    def _enter(self, parent: _Open, key: Scalar, node: Node) -> None:
        if key.plain and key.text == MERGE:
            message = "`<<` merges nothing in YAML 1.2; write the keys out"
            self.faults.append(Fault(key.mark, "", message))
        elif (first := parent.entries.get(key.text)) is not None:
            place = f"{first.mark.line}:{first.mark.column}"
            message = f"this key stands here a second time; the first is at {place}"
            self.faults.append(Fault(key.mark, "", message))
        else:
            absent = isinstance(node, Scalar) and node.plain and not node.text
            parent.entries[key.text] = Entry(key.mark, Scalar(key.mark, "") if absent else node)

    def _tag(self, event: Any) -> str | None:
        tag: str | None = None if event.tag is None else str(event.tag)
        if tag is not None and tag not in TAGS and tag not in QUOTING:
            self.faults.append(Fault(self.mark, "", "this tag (!) is unknown; leave it out"))
        return tag
