"""Texts found in source code, and catalogs kept up to date with them."""

from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from bot.extraction import main, texts

SOURCE = """
plugin = Plugin("duck", "Counts ducks", data=DataStatement("Your ducks," " to count them."))

@plugin.command("ducks", "Shows ducks", Argument("kind", summary="Which ones"))
async def ducks(context):
    say = context.ngettext("{count} duck", "{count} ducks", len(context.state))
    context.gettext(WHERE)
    context.gettext(f"no {literal}")
    raise UserError("No ducks in {place}", place=context.gettext("the pond"))

WHERE = gettext_noop("Where?")
command("no", summary=WHERE)
"""


def test_texts_are_found_where_they_stand() -> None:
    assert [(text.id, text.context) for text in texts(SOURCE)] == [
        ("Counts ducks", None),
        ("Your ducks, to count them.", None),
        ("Shows ducks", None),
        ("ducks", "command"),
        ("Which ones", None),
        (("{count} duck", "{count} ducks"), None),
        ("No ducks in {place}", None),
        ("the pond", None),
        ("Where?", None),
        ("no", "command"),
    ]


def test_catalogs_are_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("duck").mkdir()
    Path("duck/pond.py").write_text('gettext("Quack")\ngettext("Where is the pond?")\n')
    po = Path("duck/locales/de/LC_MESSAGES/bot.po")
    po.parent.mkdir(parents=True)
    po.write_text(
        'msgid "Gone"\nmsgstr "Weg"\n\nmsgid "Quack"\nmsgstr "Quak"\n\n'
        'msgid "Where is a pond?"\nmsgstr "Wo ist ein Teich?"\n'
    )
    main(["duck", "--locales", "duck/locales"])
    with po.open("rb") as stream:
        found = {message.id: message for message in read_po(stream) if message.id}
    assert found.keys() == {"Quack", "Where is the pond?"}
    assert found["Quack"].string == "Quak"
    assert found["Where is the pond?"].fuzzy
    assert "Weg" not in po.read_text()
    first = po.read_bytes(), Path("duck/locales/bot.pot").read_bytes()
    main(["duck", "--locales", "duck/locales"])
    assert (po.read_bytes(), Path("duck/locales/bot.pot").read_bytes()) == first


@pytest.mark.parametrize(
    ("source", "fault"), [(None, "no folder duck"), ("gettext(", "pond.py, line 1")]
)
def test_nothing_is_written_when_the_source_cannot_be_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    source: str | None,
    fault: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("locales").mkdir()
    if source is not None:
        Path("duck").mkdir()
        Path("duck/pond.py").write_text(source)
    with pytest.raises(SystemExit):
        main(["duck"])
    assert fault in capsys.readouterr().err
    assert list(Path("locales").iterdir()) == []
