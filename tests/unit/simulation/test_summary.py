import json

from tests.simulation.schedule import Verdict
from tests.simulation.summary import Summary, add_up


def verdict(*violations: str, longest_s: float = 1.0, attempts: int = 1) -> Verdict:
    return Verdict(
        violations=violations,
        trace=0,
        steps=10,
        model_calls=0,
        last_steps=(),
        is_calm=True,
        failures={"StorageUnavailableError": 2},
        most_attempts={"turns": attempts},
        most_asked=attempts,
        longest_s=longest_s,
        longest_wait_s=0.0,
        happenings={},
    )


def test_a_sentence_is_counted_without_its_numbers() -> None:
    summary = Summary()
    for seed, chat in enumerate("12"):
        summary.add(seed, verdict(f"I4: word{seed}a is still in turns/U{chat * 32}.json"))

    found = json.loads(summary.line(seconds=2.0))

    assert found["sentences"] == {"I4: wordN is still in turns/CHAT.json": {"schedules": 2, "first": [0, 1]}}
    assert (found["broken"], found["seeds_per_s"]) == (2, 1.0)


def test_lines_of_several_runs_are_added_and_what_is_most_is_kept() -> None:
    first, second = Summary(), Summary()
    first.add(1, verdict("I1: m0 was never answered", longest_s=9.0))
    second.add(50_000, verdict("I1: m7 was never answered", "I2: m7 was answered twice", attempts=5))

    total = json.loads(add_up([first.line(seconds=1.0), second.line(seconds=3.0)]))

    assert (total["seeds"], total["steps"], total["broken"], total["first_broken"]) == (2, 20, 2, [1, 50_000])
    assert total["sentences"]["I1: mN was never answered"] == {"schedules": 2, "first": [1, 50_000]}
    assert total["sentences"]["I2: mN was answered twice"] == {"schedules": 1, "first": [50_000]}
    assert total["failed_requests_when_calm"] == {"StorageUnavailableError": 4}
    assert total["most_attempts_to_write_in_a_second"] == {"turns": 5}
    assert (total["longest_request_s"], total["most_model_calls_about_a_message"]) == (9.0, 5)
    assert (total["seconds"], total["seeds_per_s"]) == (4.0, 0.5)
