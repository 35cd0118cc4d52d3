"""The scripted cases of the long-term memory; every one has to pass."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.api import UserError
from plugins.ai.providers.provider import Fault, ProviderError

ANA, BO = "test:ana", "test:bo"
Case = Callable[[Any], Awaitable[None]]
CASES: list[Any] = []
STORES = ("memory", "sqlite")


def case(**options: Any) -> Callable[[Case], Case]:
    """Add a case to the table, run on every store with these options of the memory."""

    def add(function: Case) -> Case:
        name = function.__name__
        CASES.extend(pytest.param(function, s, options, id=f"{name}-{s}") for s in STORES)
        return function

    return add


@case()
async def what_is_told_is_remembered(r: Any) -> None:
    assert await r.memory.remember(ANA, ["Likes tea", "Lives in Lisbon"]) == [
        "Likes tea",
        "Lives in Lisbon",
    ]
    assert await r.memory.memory(ANA) == ["Likes tea", "Lives in Lisbon"]
    assert await r.memory.memory(BO) == []


@case()
async def duplicates_renew(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes café con leche"])
    r.clock.forward(days=1)
    again = ["likes CAFÉ con leche!", "Likes cafe\u0301  con leche.", "¿Likes cafe con leche?"]
    assert await r.memory.remember(ANA, again) == []
    (fact,) = await r.facts()
    assert (fact.text, fact.updated) == ("Likes café con leche", r.clock.now)
    assert fact.created == r.clock.now - timedelta(days=1)


@case()
async def what_only_looks_alike_is_no_duplicate(r: Any) -> None:
    texts = ["Knows C", "Knows C#", "Runs 1.5 km", "Runs 15 km", "Has 5 cats", "Owns 5% of it"]
    assert await r.memory.remember(ANA, texts) == texts


@case(max_fact_length=20)
async def a_fact_that_is_too_long_is_rejected_and_never_cut(r: Any) -> None:
    assert await r.memory.remember(ANA, ["x" * 21, "y" * 20]) == ["y" * 20]
    assert await r.learn("z" * 21, "w" * 20) == ["w" * 20]
    assert r.memory.counts["memory facts dropped: too long"] == 2


@case()
async def nothing_is_no_fact(r: Any) -> None:
    assert await r.memory.remember(ANA, ["", "  ", "…!", "\u200b\u202e"]) == []
    assert await r.facts() == []


@case()
async def a_secret_is_never_kept(r: Any) -> None:
    assert await r.memory.remember(ANA, ["My PIN is 1234", "Card 4111 1111 1111 1111"]) == []
    assert await r.learn("Password is hunter2", "Likes tea") == ["Likes tea"]
    assert await r.memory.memory(ANA) == ["Likes tea"]


@case(ttl="1d")
async def a_fact_expires_at_its_boundary(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    r.clock.forward(days=1, microseconds=-1)
    assert await r.memory.memory(ANA) == ["Likes tea"]
    r.clock.forward(microseconds=1)
    assert await r.memory.memory(ANA) == []
    assert await r.facts() == []


@case(ttl="1d")
async def stating_it_again_renews_its_life(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    r.clock.forward(hours=23)
    await r.learn("likes tea!")
    r.clock.forward(hours=23)
    assert await r.memory.memory(ANA) == ["Likes tea"]
    r.clock.forward(hours=1)
    assert await r.memory.memory(ANA) == []


@case(ttl="30d")
async def one_fact_can_have_its_own_life(r: Any) -> None:
    await r.memory.remember(ANA, ["Is in Rome"], ttl="12h")
    await r.memory.remember(ANA, ["Likes tea"])
    r.clock.forward(hours=12)
    assert await r.memory.memory(ANA) == ["Likes tea"]


@case()
async def a_fact_with_a_life_of_its_own_is_renewed_for_as_long(r: Any) -> None:
    await r.memory.remember(ANA, ["Is in Rome"], ttl=timedelta(hours=12))
    r.clock.forward(hours=6)
    await r.memory.remember(ANA, ["is in rome"])
    assert (await r.fact("Is in Rome")).expires == r.clock.now + timedelta(hours=12)


@case(ttl="1d")
async def a_clock_that_is_set_back_breaks_nothing(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    r.clock.forward(hours=-2)
    assert await r.memory.memory(ANA) == ["Likes tea"]
    await r.memory.remember(ANA, ["likes tea"])
    assert (await r.fact("Likes tea")).expires == r.clock.now + timedelta(days=1)


@case(max_facts=3)
async def the_least_recently_stated_goes_first(r: Any) -> None:
    for text in ("One", "Two", "Three"):
        await r.memory.remember(ANA, [text])
        r.clock.forward(minutes=1)
    await r.memory.remember(ANA, ["one!"])
    r.clock.forward(minutes=1)
    await r.memory.remember(ANA, ["Four"])
    assert await r.memory.memory(ANA) == ["One", "Three", "Four"]
    await r.memory.remember(BO, ["Five"])
    assert await r.memory.memory(ANA) == ["One", "Three", "Four"]


@case(max_facts=2)
async def what_is_kept_for_ever_is_not_evicted(r: Any) -> None:
    await r.memory.remember(ANA, ["One"])
    await r.memory.review.keep(ANA, (await r.fact("One")).key, for_ever=True)
    for text in ("Two", "Three", "Four"):
        r.clock.forward(minutes=1)
        await r.memory.remember(ANA, [text])
    assert await r.memory.memory(ANA) == ["One", "Four"]


@case()
async def forgetting_tells_whether_there_was_one(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    await r.memory.remember(BO, ["Likes tea"])
    assert await r.memory.forget(ANA, "LIKES TEA.")
    assert not await r.memory.forget(ANA, "Likes tea")
    assert await r.memory.memory(BO) == ["Likes tea"]


@case()
async def forgetting_all_is_one_persons(r: Any) -> None:
    for person in (ANA, BO, "test:1", "test:10"):
        await r.memory.remember(person, ["Likes tea", "Has a cat"])
    assert await r.memory.forget_all("test:1") == 2
    assert await r.memory.forget_all("test:nobody") == 0
    assert await r.memory.memory("test:1") == []
    for person in (ANA, BO, "test:10"):
        assert await r.memory.memory(person) == ["Likes tea", "Has a cat"]


@case()
async def an_empty_person_is_an_error_and_never_everybody(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    for nobody in ("", " ", None):
        for call in (
            r.memory.forget_all(nobody),
            r.memory.forget(nobody, "Likes tea"),
            r.memory.remember(nobody, ["x"]),
            r.memory.memory(nobody),
            r.memory.memory_facts(nobody),
            r.memory.extract_memory(nobody, "a", "b"),
        ):
            with pytest.raises(ValueError, match="whose memory"):
                await call
    assert await r.memory.memory(ANA) == ["Likes tea"]


@case()
async def a_life_of_no_time_is_an_error(r: Any) -> None:
    for ttl in ("0s", "soon", timedelta(0), timedelta(days=-1)):
        with pytest.raises(ValueError, match=r"ttl|duration"):
            await r.memory.remember(ANA, ["Likes tea"], ttl=ttl)
    assert await r.facts() == []


@case()
async def a_contradiction_supersedes_and_the_old_one_is_history(r: Any) -> None:
    await r.memory.remember(ANA, ["Lives in Madrid", "Likes coffee"])
    started = r.clock.now
    r.clock.forward(days=1)
    assert await r.learn("Lives in Lisbon", "Doesn't like coffee") == [
        "Lives in Lisbon",
        "Doesn't like coffee",
    ]
    assert await r.memory.memory(ANA) == ["Lives in Lisbon", "Doesn't like coffee"]
    old, new = await r.fact("Lives in Madrid"), await r.fact("Lives in Lisbon")
    assert (old.status, old.created, old.ended) == ("superseded", started, r.clock.now)
    assert old.successor == new.key


@case()
async def what_was_superseded_can_become_true_again(r: Any) -> None:
    for text in ("Lives in Madrid", "Lives in Lisbon", "Lives in Madrid"):
        await r.memory.remember(ANA, [text])
        r.clock.forward(days=1)
    assert await r.statuses() == {"Lives in Madrid": "approved", "Lives in Lisbon": "superseded"}


@case(review="required")
async def a_candidate_waits_and_supersedes_nothing_before(r: Any) -> None:
    await r.memory.remember(ANA, ["Lives in Madrid"])
    assert await r.learn("Lives in Lisbon") == ["Lives in Lisbon"]
    assert await r.memory.memory(ANA) == ["Lives in Madrid"]
    await r.memory.review.approve(ANA, (await r.fact("Lives in Lisbon")).key)
    assert await r.memory.memory(ANA) == ["Lives in Lisbon"]


@case(review="required", ttl="1d")
async def an_approved_candidate_lives_from_then_on(r: Any) -> None:
    await r.learn("Likes tea")
    r.clock.forward(days=3)
    fact = await r.memory.review.approve(ANA, (await r.fact("Likes tea")).key)
    assert fact.expires == r.clock.now + timedelta(days=1)


@case(review="required")
async def approving_twice_is_an_error_and_changes_nothing(r: Any) -> None:
    await r.learn("Likes tea")
    key = (await r.fact("Likes tea")).key
    await r.memory.review.approve(ANA, key)
    before = await r.facts()
    for again in (r.memory.review.approve, r.memory.review.reject):
        with pytest.raises(UserError, match="approved already"):
            await again(ANA, key)
    assert await r.facts() == before


@case(review="required", pending_ttl="2d")
async def approving_after_the_time_is_an_error_and_changes_nothing(r: Any) -> None:
    await r.learn("Likes tea")
    key = (await r.fact("Likes tea")).key
    r.clock.forward(days=2, microseconds=-1)
    assert [fact.status for fact in await r.facts()] == ["pending"]
    r.clock.forward(microseconds=1)
    assert [fact.status for fact in await r.facts()] == ["rejected"]
    with pytest.raises(UserError, match="in time"):
        await r.memory.review.approve(ANA, key)
    assert await r.learn("likes tea") == []
    assert await r.memory.memory(ANA) == []


@case(review="required")
async def what_was_rejected_is_not_proposed_again_and_its_text_is_gone(r: Any) -> None:
    await r.learn("Likes tea")
    await r.memory.review.reject(ANA, (await r.fact("Likes tea")).key)
    assert await r.learn("LIKES tea!", "Has a cat") == ["Has a cat"]
    assert "tea" not in str(await r.store.export(ANA)).lower()
    assert r.memory.counts["memory facts dropped: rejected before"] == 1
    assert await r.memory.remember(ANA, ["Likes tea"]) == ["Likes tea"]


@case(review="required")
async def a_pending_one_that_is_stated_again_waits_on(r: Any) -> None:
    await r.learn("Likes tea")
    until = (await r.fact("Likes tea")).decide_by
    r.clock.forward(days=1)
    assert await r.learn("likes tea") == []
    assert (await r.fact("Likes tea")).decide_by == until


@case(review="required", max_facts=2)
async def not_more_wait_than_can_be_kept(r: Any) -> None:
    assert await r.learn("One", "Two", "Three") == ["One", "Two"]
    assert r.memory.counts["memory facts dropped: too many pending"] == 1


@case(review="off")
async def a_policy_of_off_proposes_nothing(r: Any) -> None:
    assert await r.learn("Likes tea") == []
    assert r.model.asked == []


@case()
async def a_person_can_be_stricter(r: Any) -> None:
    await r.memory.choose(ANA, "required", epoch=0)
    await r.learn("Likes tea")
    assert await r.statuses() == {"Likes tea": "pending"}
    await r.memory.choose(ANA, "off", epoch=0)
    assert await r.learn("Has a cat") == []
    assert await r.learn("Has a cat", person=BO) == ["Has a cat"]


@case(review="required")
async def a_person_cannot_be_laxer(r: Any) -> None:
    await r.memory.choose(ANA, "auto", epoch=0)
    await r.learn("Likes tea")
    assert await r.statuses() == {"Likes tea": "pending"}


@case()
async def an_edited_fact_has_its_new_words_only(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tee", "Likes tea"])
    key = (await r.fact("Likes tee")).key
    assert (await r.memory.review.edit(ANA, key, "Likes tea")).text == "Likes tea"
    assert await r.memory.memory(ANA) == ["Likes tea"]
    for text, told in (("", "what to remember"), ("x" * 301, "too long"), ("PIN 1234", "password")):
        with pytest.raises(UserError, match=told):
            await r.memory.review.edit(ANA, (await r.fact("Likes tea")).key, text)
    assert await r.memory.memory(ANA) == ["Likes tea"]


@case(ttl="1d")
async def a_fact_can_be_kept_for_ever_and_let_go_again(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    key = (await r.fact("Likes tea")).key
    assert (await r.memory.review.keep(ANA, key, for_ever=True)).expires is None
    r.clock.forward(days=400)
    await r.memory.remember(ANA, ["likes tea"])
    assert (await r.fact("Likes tea")).kept
    await r.memory.review.keep(ANA, key, for_ever=False)
    r.clock.forward(days=1)
    assert await r.memory.memory(ANA) == []


@case()
async def without_a_time_of_the_operators_a_fact_is_let_go_in_30_days(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    fact = await r.memory.review.keep(ANA, (await r.fact("Likes tea")).key, for_ever=False)
    assert fact.expires == r.clock.now + timedelta(days=30)


@case(typed=True, types=["preference", "fact"], min_confidence=0.5)
async def typed_candidates_are_accepted_by_type_and_confidence(r: Any) -> None:
    found = [
        {"type": kind, "text": f"{kind} {sure}", "confidence": sure}
        for kind in ("preference", "fact", "context")
        for sure in (0.49, 0.5, 1)
    ]
    assert await r.learn(*found[:5]) == ["preference 0.5", "preference 1", "fact 0.5"]
    assert await r.learn(*found[5:]) == ["fact 1"]
    fact = await r.fact("fact 1")
    assert (fact.type, fact.confidence, fact.source) == ("fact", 1.0, "auto")
    assert r.memory.counts["memory facts dropped: type"] == 3
    assert r.memory.counts["memory facts dropped: confidence"] == 2


@case(auto_extract={"max_facts_per_turn": 2})
async def a_turn_gives_so_many_facts_and_no_more(r: Any) -> None:
    assert await r.learn("One", "Two", "Three") == ["One", "Two"]
    assert r.memory.counts["memory facts dropped: too many"] == 1


@case()
async def health_is_no_fact_of_an_extraction(r: Any) -> None:
    found = ["Is allergic to nuts", "Tiene diabetes", "Está embarazada", "患有糖尿病", "Likes tea"]
    assert await r.learn(*found) == ["Likes tea"]
    assert r.memory.counts["memory facts dropped: health"] == 4


@case()
async def what_only_the_answer_says_is_no_fact(r: Any) -> None:
    r.model.answers = [["Likes football", "Has a dog"]]
    added = await r.memory.extract_memory(ANA, "my dog is barking", "Do you like football?")
    assert added == ["Has a dog"]
    assert r.memory.counts["memory facts dropped: not the person's words"] == 1


@case()
async def what_is_copied_from_the_instructions_is_no_fact(r: Any) -> None:
    """As a model of 135 million parameters did."""
    r.model.answers = [["Lives in Lisbon", "They were answered", "The person wrote:", "Is married"]]
    assert await r.memory.extract_memory(ANA, "hi there!", "Hello!") == ["Is married"]
    r.model.answers, r.model.asked = [["Lives in Lisbon"]], []
    assert await r.memory.extract_memory(ANA, "I moved to Lisbon", "") == ["Lives in Lisbon"]


@case()
async def quoted_lines_are_no_source(r: Any) -> None:
    assert await r.learn("Is vegan", text="> I am vegan\n> really") == []
    assert r.model.asked == []
    await r.learn("Likes tea", text="> I am vegan\nI like tea though")
    assert "vegan" not in r.model.asked[0].turns[0].text


@case()
async def an_answer_that_is_not_as_agreed_is_asked_for_once_more(r: Any) -> None:
    r.model.answers = ['```json\n{"facts": ["Likes tea"]}\n```', ["Likes milk"], ["Likes beer"]]
    assert await r.memory.extract_memory(ANA, "I like milk", "") == ["Likes milk"]
    r.model.answers, r.model.asked = ["Here you are: {}", "{", ["Likes beer"]], []
    assert await r.memory.extract_memory(ANA, "I like beer", "") == []
    assert len(r.model.asked) == 2
    assert r.memory.counts["memory answers dropped: not only an object"] == 3


@case()
async def a_server_without_json_schema_is_asked_without(r: Any) -> None:
    r.model.answers = [ProviderError(Fault.REFUSED, "no response_format"), ["Likes tea"]]
    assert await r.memory.extract_memory(ANA, "I like tea", "") == ["Likes tea"]
    assert [asked.schema is None for asked in r.model.asked] == [False, True]
    r.model.answers, r.model.asked = [ProviderError(Fault.REFUSED, "no")], []
    with pytest.raises(ProviderError):
        await r.memory.extract_memory(ANA, "I like tea", "")


@case()
async def a_model_that_fails_is_no_empty_result(r: Any) -> None:
    r.model.answers = [ProviderError(Fault.DOWN, "no")]
    with pytest.raises(ProviderError):
        await r.memory.extract_memory(ANA, "I like tea", "")
    assert len(r.model.asked) == 1


@case(off=True)
async def all_of_it_works_without_the_option(r: Any) -> None:
    assert await r.memory.remember(ANA, ["Likes tea"]) == ["Likes tea"]
    assert await r.learn("Has a cat") == ["Has a cat"]
    assert await r.memory.forget(ANA, "likes tea")
    assert await r.memory.memory(ANA) == ["Has a cat"]


@case(namespace="other.facts")
async def a_fact_is_one_document_of_the_namespace(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea", "Has a cat"])
    documents = await r.store.documents.scan("other.facts")
    assert {document.scope for document in documents} == {"person:test:ana"}
    assert len(documents) == 2


@case()
async def what_is_no_fact_in_the_namespace_is_passed_over(r: Any) -> None:
    await r.memory.remember(ANA, ["Likes tea"])
    for key, value in enumerate(([], {}, {"text": 1}, {"text": "x", "status": "odd"}, "x")):
        await r.store.documents.put("person:test:ana", "ai.memory", f"odd{key}", value)
    await r.store.documents.put(
        "person:test:ana", "ai.memory", "old", {"text": "Old", "created": "2020-01-01T00:00:00"}
    )
    assert await r.memory.memory(ANA) == ["Old", "Likes tea"]


@pytest.mark.parametrize(("function", "store", "options"), CASES)
async def test_case(room: Any, function: Case, store: str, options: dict[str, Any]) -> None:
    async with room(store, **options) as opened:
        await function(opened)
