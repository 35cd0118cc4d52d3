"""Making two people one, and taking an account out again, in memory."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from bot.api import Account, Person, person_scope
from bot.store.keys import linkable
from bot.store.memory.rows import Rows


def link(keep: str, join: str, rows: Rows) -> Mapping[str, int]:
    """Give all that is a person's to another one, who keeps it where both have something."""
    linkable(keep, join, [person in rows.people for person in (keep, join)])
    _mark(keep, rows)
    _mark(join, rows)
    accounts = [account for account, (_, owner) in rows.accounts.items() if owner == join]
    for account in accounts:
        rows.accounts[account] = (rows.accounts[account][0], keep)
    kept, joined = rows.people[keep], rows.people.pop(join)
    rows.erased[join] = joined.epoch + 1
    rows.people[keep] = replace(
        kept, epoch=kept.epoch + 1, language=kept.language or joined.language
    )
    documents = _move_documents(join, keep, None, rows)
    return {
        "accounts": len(accounts),
        "messages": _move_messages(join, keep, None, rows),
        "documents": documents,
    }


def unlink(account: Account, rows: Rows) -> str | None:
    """Take an account out of a person with the rows that came from it; return whose the rest is."""
    found = rows.accounts.get(account)
    if found is None:
        return None
    person = found[1]
    others = [a for a, (_, owner) in rows.accounts.items() if owner == person and a != account]
    if not others:
        return None
    stays = account.key == person
    moving = others if stays else [account]
    heir = moving[0].key
    before = rows.people[person]
    rows.people[heir] = Person(heir, rows.epoch(heir) + 1, before.language, before.paused)
    rows.people[person] = replace(before, epoch=before.epoch + 1)
    for one in moving:
        rows.accounts[one] = (rows.accounts[one][0], heir)
    keys = {one.key for one in moving}
    _move_documents(person, heir, keys, rows)
    _move_messages(person, heir, keys, rows)
    return heir if stays else person


def _mark(person: str, rows: Rows) -> None:
    """Note the origin of rows that have none."""
    for drawer in rows.drawers(person):
        for row in rows.documents[drawer].values():
            row.document = replace(row.document, origin=row.document.origin or person)
    for log in rows.logs.values():
        for sequence in log.of(person):
            entry, text = log.entries[sequence]
            log.entries[sequence] = (replace(entry, origin=entry.origin or person), text)


def _move_documents(old: str, new: str, keys: Collection[str] | None, rows: Rows) -> int:
    moved = 0
    for drawer in list(rows.drawers(old)):
        target = (person_scope(new), drawer[1])
        for key, row in list(rows.documents[drawer].items()):
            if keys is not None and row.document.origin not in keys:
                continue
            del rows.documents[drawer][key]
            if key not in rows.documents[target]:
                row.document = replace(row.document, scope=target[0])
                rows.documents[target][key] = row
                moved += 1
    return moved


def _move_messages(old: str, new: str, keys: Collection[str] | None, rows: Rows) -> int:
    moved = 0
    for log in rows.logs.values():
        for sequence in log.of(old):
            entry, text = log.entries[sequence]
            if keys is None or entry.origin in keys:
                log.entries[sequence] = (replace(entry, person=new), text)
                moved += 1
    return moved
