from bot.breaker import Breaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_rests_after_failures_in_a_row_and_lets_one_try_through() -> None:
    clock = Clock()
    breaker = Breaker(failures=3, rest=10, clock=clock)
    assert [breaker.failed() for _ in range(3)] == [False, False, True]
    assert not breaker.allows()
    clock.now = 10
    assert breaker.allows()
    assert not breaker.allows()
    breaker.succeeded()
    assert breaker.allows()


def test_a_failed_try_begins_the_rest_anew() -> None:
    clock = Clock()
    breaker = Breaker(failures=1, rest=10, clock=clock)
    breaker.failed()
    clock.now = 10
    assert breaker.allows()
    breaker.failed()
    clock.now = 19
    assert not breaker.allows()
    clock.now = 20
    assert breaker.allows()


def test_a_success_between_failures_keeps_it_open() -> None:
    breaker = Breaker(failures=2, rest=10)
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    assert breaker.allows()
