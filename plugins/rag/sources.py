"""Which files and texts the configuration names."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from plugins.rag.config import Inline, Named
from plugins.rag.documents import Origin, Source
from plugins.rag.errors import Code, RagError
from plugins.rag.loaders import supported

WILD: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to load, and what was named but cannot be."""

    sources: Sequence[Source]
    faults: Sequence[RagError]


def find(documents: Iterable[Named | Inline]) -> Found:
    """Return every file and text that is named, each once, under names that tell them apart."""
    sources: list[Source] = []
    faults: list[RagError] = []
    seen: set[Path] = set()
    for document in documents:
        if isinstance(document, Inline):
            name = document.source or document.id
            sources.append(Source(Origin.INLINE, name, None, document.text, document.visible_to))
            continue
        try:
            files = list(_files(document.path))
        except RagError as error:
            faults.append(error)
            continue
        for path, name in files:
            if path not in seen:
                seen.add(path)
                sources.append(Source(Origin.FILE, name, path, visible_to=document.visible_to))
    return Found(_told_apart(sources), faults)


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files that a path or glob names, with their names relative to the folder."""
    if path.is_dir():
        root = path.resolve()
        for file in _walk(root, root, set()):
            yield file, file.relative_to(root).as_posix()
    elif path.is_file():
        if not supported(path):
            raise RagError(Code.UNSUPPORTED_FORMAT, f"{path}: files of this kind cannot be read")
        yield path.resolve().parent / path.name if path.is_symlink() else path.resolve(), path.name
    elif WILD & set(str(path)):
        yield from _matching(path)
    else:
        raise RagError(Code.LOAD_FAILED, f"{path}: there is no such file or folder")


def _walk(folder: Path, root: Path, above: set[Path]) -> Iterator[Path]:
    """Yield the readable files below a folder; no hidden ones, none outside of ``root``."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise RagError(Code.LOAD_FAILED, f"{folder} cannot be listed: {error.strerror}") from error
    above = above | {folder.resolve()}
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") or (entry.is_symlink() and not _within(path, root)):
            continue
        if entry.is_dir():
            if path.resolve() not in above:
                yield from _walk(path, root, above)
        elif entry.is_file() and supported(path):
            yield path


def _within(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _matching(pattern: Path) -> Iterator[tuple[Path, str]]:
    parts = pattern.parts
    fixed = next(index for index, part in enumerate(parts) if WILD & set(part))
    root = Path(*parts[:fixed]).resolve()
    for path in sorted(root.glob(str(Path(*parts[fixed:])))):
        name = path.relative_to(root)
        hidden = any(part.startswith(".") for part in name.parts)
        if not hidden and path.is_file() and supported(path) and _within(path, root):
            yield path, name.as_posix()


def _told_apart(sources: Sequence[Source]) -> Sequence[Source]:
    """Put as many folders before equal names as it takes to make them differ."""
    result = list(sources)
    while doubles := _doubles(result):
        changed = False
        for index, source in enumerate(result):
            if source.name in doubles and (longer := _longer(source)) != source.name:
                result[index] = replace(source, name=longer)
                changed = True
        if not changed:
            return result
    return result


def _doubles(sources: Iterable[Source]) -> set[str]:
    counts = Counter(source.name for source in sources)
    return {name for name, count in counts.items() if count > 1}


def _longer(source: Source) -> str:
    if source.path is None:
        return source.name
    parts = source.path.parts
    more = len(Path(source.name).parts) + 1
    return Path(*parts[-more:]).as_posix() if more < len(parts) else source.path.as_posix()
