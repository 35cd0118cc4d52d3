"""Markdown to sections: headings make them, code does not."""

import pytest

from plugins.rag.loaders.markdown import load


def headings(text: str) -> list[str]:
    return [section.heading for section in load(text).sections if section.heading]


FENCES = {
    "backticks": "```bash\n# a comment\n```",
    "tildes": "~~~\n# a comment\n~~~",
    "indented": "   ```\n# a comment\n   ```",
    "in a list": "- item\n\n    ```\n    text\n# a comment\n    ```",
    "in a quote": "> ```\n> x\n# a comment\n> ```",
    "longer holds shorter": "````\n```\n# a comment\n```\n# another\n````",
    "tildes hold backticks": "~~~\n```\n# a comment\n~~~",
    "closed by a longer one": "```\n# a comment\n`````",
    "info on a would-be closer": "```\n``` python\n# a comment\n```",
    "underlined": "```\na comment\n=========\n```",
}


@pytest.mark.parametrize("fence", FENCES.values(), ids=FENCES.keys())
def test_a_heading_inside_a_fence_is_no_heading(fence: str) -> None:
    text = f"# Install\n\nRun:\n\n{fence}\n\n## Next\n\nDone."
    assert headings(text) == ["Install", "Next"]


def test_an_inline_code_span_of_three_backticks_opens_no_fence() -> None:
    assert headings("``` code ```\n\n# Next\ntext") == ["Next"]


def test_a_fence_that_never_closes_runs_to_the_end() -> None:
    assert headings("# Install\n```\n# a comment\n") == ["Install"]


def test_the_only_title_leads_nowhere_and_deeper_headings_make_a_path() -> None:
    text = "# FAQ\nintro\n## Payments\na\n### Refunds\nb\n## Shipping\nc"
    assert headings(text) == ["FAQ", "Payments", "Payments › Refunds", "Shipping"]


def test_several_titles_stay_in_the_path() -> None:
    assert headings("# A\n## x\n1\n# B\n## x\n2") == ["A", "A › x", "B", "B › x"]


def test_underlined_headings_count_and_rules_do_not() -> None:
    assert headings("Title\n=====\n\ntext\n\n---\n\nPart\n----\nmore") == ["Title", "Part"]


def test_markup_in_a_heading_is_left_out() -> None:
    assert headings("## **Bold** `code` [link](http://x) #\nx") == ["Bold code link"]
    assert headings("## snake_case_name\nx") == ["snake_case_name"]


@pytest.mark.parametrize("line", ["#hashtag", "####### seven", "    # indented", "\\# escaped"])
def test_what_only_looks_like_a_heading(line: str) -> None:
    assert headings(f"{line}\ntext") == []


def test_front_matter_is_metadata_and_no_text() -> None:
    document = load("---\ntitle: Shop FAQ\ntags: [a, b]\n---\n# Part\nbody")
    assert document.metadata["title"] == "Shop FAQ"
    assert document.metadata["tags"] == "a, b"
    assert [document.text[s.start : s.end] for s in document.sections if s.heading] == ["body"]


def test_a_rule_and_faulty_front_matter_are_text() -> None:
    for text in ("---\njust a rule", "---\n- [\n---\nbody"):
        document = load(text)
        assert document.metadata == {}
        assert "".join(document.text[s.start : s.end] for s in document.sections) == text
