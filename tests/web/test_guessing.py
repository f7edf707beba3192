"""Guessing the code or the PIN is hopeless, and a family that mistypes is not annoyed."""

from __future__ import annotations

from web_ui.access import CODE_LENGTH, CODE_LETTERS, PIN_LENGTH
from web_ui.guessing import FREE, LONGEST_WAIT_S, MOST_ADDRESSES, TOGETHER, Guesses


class Clock:
    now_s = 50.0

    def __call__(self):
        return self.now_s


def guesses():
    clock = Clock()
    return Guesses(clock), clock


def taken_in(seconds, addresses):
    """How many wrong guesses somebody places who never misses a moment."""
    made, clock = guesses()
    end, count = clock.now_s + seconds, 0
    while clock.now_s < end:
        waits = []
        for address in addresses:
            while not (wait := made.take(address, right=False)):
                count += 1
            waits.append(wait)
        clock.now_s += min(waits)
    return count


def test_a_few_slips_cost_nothing():
    made, clock = guesses()
    for _ in range(FREE):
        assert made.take("phone", right=False) == 0
        clock.now_s += 1
    assert made.take("phone", right=True) == 0
    for _ in range(FREE):
        assert made.take("phone", right=False) == 0


def test_who_goes_on_waits_longer_and_longer():
    made, clock = guesses()
    waits = []
    for _ in range(20):
        wait = made.take("phone", right=False)
        if wait:
            waits.append(wait)
            clock.now_s += wait
            assert made.take("phone", right=False) == 0
    assert waits[:4] == [5, 10, 20, 40]
    assert max(waits) == LONGEST_WAIT_S


def test_a_right_guess_that_comes_too_early_tells_nothing():
    made, clock = guesses()
    for _ in range(FREE + 1):
        made.take("phone", right=False)
    assert made.take("phone", right=True) == made.take("phone", right=False) == 5
    clock.now_s += 4.99
    assert made.take("phone", right=True) == 1
    clock.now_s += 0.01
    assert made.take("phone", right=True) == 0


def test_one_phone_waits_and_the_others_do_not():
    made, _ = guesses()
    for _ in range(FREE + 1):
        made.take("child", right=False)
    assert made.take("child", right=True) > 0
    assert made.take("parent", right=True) == 0


def test_after_an_hour_it_is_forgotten():
    made, clock = guesses()
    for _ in range(FREE + 1):
        made.take("phone", right=False)
    clock.now_s += 3601
    for _ in range(FREE):
        assert made.take("phone", right=False) == 0


def test_many_devices_together_are_limited_as_well():
    addresses = [f"10.0.0.{number}" for number in range(250)]
    assert taken_in(3600, addresses) <= TOGETHER + 61


def test_guessing_is_hopeless():
    """An evening of guessing from a whole network of devices finds the PIN in one of 2,000."""
    evening_s = 4 * 3600
    wrong = taken_in(evening_s, [f"10.0.0.{number}" for number in range(250)])
    assert wrong / 10**PIN_LENGTH < 1 / 2000
    assert wrong / len(CODE_LETTERS) ** CODE_LENGTH < 1 / 50_000
    alone = taken_in(evening_s, ["10.0.0.1"])
    assert alone < 50


def test_what_is_counted_stays_small():
    made, clock = guesses()
    for number in range(MOST_ADDRESSES + 500):
        clock.now_s += 60
        assert made.take(f"address {number}", right=False) == 0
    assert len(made._wrong) == MOST_ADDRESSES
    assert "address 0" not in made._wrong
