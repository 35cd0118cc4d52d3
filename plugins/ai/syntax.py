"""The parts of Markdown that matter for safety and sources, as patterns.

Each pattern that can be cut by the end of a growing text has a second one, anchored at that end,
for what it looks like until then.
"""

import re
from typing import Final

_CHARACTER = r"(?:(?!\n[ \t]*\n)[^\[\]])"
_LABEL = rf"(?:{_CHARACTER}|\[{_CHARACTER}*\])*"
_TARGET = r"(?:<[^<>\n]*>|(?:[^()\s<]|\([^()\s]*\))(?:[^()\s]|\([^()\s]*\))*)?"
_TITLE = r"(?:\"[^\"]*\"|'[^']*')"
_DESTINATION = rf"\(\s*(?P<target>{_TARGET})(?:\s+{_TITLE})?\s*\)"
_PART_OF_TARGET = r"(?:<[^<>\n]*|(?:[^()\s]|\([^()\s]*\))*\([^()\s]*)"
_PART_OF_DESTINATION = (
    rf"\(\s*(?:{_PART_OF_TARGET}|{_TARGET}(?:\s+(?:\"[^\"]*|'[^']*|{_TITLE}\s*)?)?)"
)
_PART_OF_LABEL = rf"{_LABEL}(?:\[{_CHARACTER}*)?"
_NUMBERS = r"\d{1,3}(?:\s*[,，、;；]\s*\d{1,3})*"
_HOST = r"(?<![a-z\d.-])(?:www\.|(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}/)"
_START = rf"(?:[a-z][a-z\d+.-]{{1,30}}://|{_HOST})"
_REST = r"[^\s<>\"`|\\^{}\[\]，。；：！？、（）「」《》]*"

FENCE: Final = re.compile(r" {0,3}(?P<fence>`{3,}(?=[^\n`]*$)|~{3,})[^\n]*\n?", re.MULTILINE)
PART_OF_FENCE: Final = re.compile(r" {0,3}(?:`*|~{0,2}|`{3,}[^\n`]*|~{3,}[^\n]*)\Z")

CODE: Final = re.compile(r"(?P<ticks>`++)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
PART_OF_CODE: Final = re.compile(r"`+(?:(?!\n[ \t]*\n).)*\Z", re.DOTALL)

MARK: Final = re.compile(rf"[ \t]*\[\s*(?P<numbers>{_NUMBERS})\s*\](?!\()")
PART_OF_MARK: Final = re.compile(r"[ \t]*\[[\d\s,，、;；]*\]?\Z")

LINK: Final = re.compile(rf"\[(?P<label>{_LABEL})\]{_DESTINATION}")
PART_OF_LINK: Final = re.compile(rf"\[{_PART_OF_LABEL}(?:\](?:{_PART_OF_DESTINATION})?)?\Z")

IMAGE: Final = re.compile(rf"!\[(?P<label>{_LABEL})\](?:{_DESTINATION}|\[[^\[\]]*\])")
PART_OF_IMAGE: Final = re.compile(
    rf"!\[{_PART_OF_LABEL}(?:\](?:{_PART_OF_DESTINATION}|\[[^\[\]]*)?)?\Z"
)

URL: Final = re.compile(rf"<(?P<auto>{_START}[^\s<>]*)>|(?P<url>{_START}{_REST})", re.IGNORECASE)
PART_OF_URL: Final = re.compile(rf"<{_START}[^\s<>]*\Z|{_START}{_REST}\Z", re.IGNORECASE)

BEGINS: Final = re.compile(rf"`|[ \t]*\[|!\[|<?{_START}|\n", re.IGNORECASE)
"""Where any of them may begin, and where a line ends."""

UNSURE: Final = re.compile(r"(?:[ \t]+|!|<?[A-Za-z\d.+:/-]{1,64}|<)\Z")
"""The end of a plain text that may turn out to be a beginning."""
