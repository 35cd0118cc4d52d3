import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.ai.memory.contradiction import contradicts


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Lives in Lisbon", "Lives in Madrid"),
        ("Moved to Lisbon", "Lives in Madrid"),
        ("Now lives in Rome", "Currently lives in Paris"),
        ("Vive en Lisboa", "Vive en Madrid"),
        ("Se mudó a Lisboa", "Vive en Madrid"),
        ("Mora em Lisboa", "Mora no Porto"),
        ("住在北京", "住在上海"),
        ("Does not like coffee", "Likes coffee"),
        ("Doesn't like coffee any more", "Likes coffee"),
        ("Likes coffee", "Does not like coffee"),
        ("No longer drinks coffee", "Drinks coffee"),
        ("Stopped smoking", "Smokes"),
        ("Quit playing chess", "Plays chess"),
        ("Ya no bebe café", "Bebe café"),
        ("No le gusta el café", "Le gusta el café"),
        ("Não gosta de café", "Gosta de café"),
        ("不喜欢咖啡", "喜欢咖啡"),
        ("Favourite colour is green", "Favourite colour is blue"),
        ("Favorite color is green", "Her favorite color is blue"),
        ("Su color favorito es el verde", "Su color favorito es el azul"),
        ("最喜欢的颜色是绿色", "最喜欢的颜色是蓝色"),
        ("Is 31 years old", "Is 30 years old"),
        ("Tiene 31 años", "Tiene 30 años"),
        ("Is divorced", "Is married"),
        ("Está casada", "Es soltera"),
        ("Is vegan", "Is vegetarian"),
        ("Works for Acme", "Works at Globex"),
        ("Trabaja en Acme", "Trabaja para Globex"),
        ("The dog is called Rex", "The dog is called Bo"),
        ("Birthday is 3 May", "Birthday is 4 May"),
        ("Her job is teaching", "Her job is nursing"),
    ],
)
def test_one_cannot_be_true_with_the_other(new: str, old: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Likes tea", "Likes coffee"),
        ("Likes tea", "likes tea!"),
        ("Lives in Madrid", "Lives in Madrid, near the river"),
        ("Sister lives in Rome", "Lives in Madrid"),
        ("Wife is tall", "Wife is a doctor"),
        ("The cat is called Bo", "The dog is called Rex"),
        ("Has a dog", "Has a cat"),
        ("Does not like tea", "Likes coffee"),
        ("Does not like tea", "Doesn't like tea"),
        ("Does not live in Rome", "Lives in Madrid"),
        ("Sister is married", "Is single"),
        ("Works in the garden", "Works at Acme"),
        ("Favourite food is pasta", "Favourite colour is blue"),
        ("Mora no Porto", "Mora em Porto"),
        ("住在北京", "喜欢北京"),
        ("Never", "Not"),
    ],
)
def test_both_can_be_true(new: str, old: str) -> None:
    assert not contradicts(new, old)
    assert not contradicts(old, new)


@given(st.text(), st.text())
def test_nothing_contradicts_itself_and_no_text_breaks_it(text: str, other: str) -> None:
    assert not contradicts(text, text)
    assert contradicts(text, other) in {True, False}
