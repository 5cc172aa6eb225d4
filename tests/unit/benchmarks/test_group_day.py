"""The day of a group in two languages: each message costs what it is for, and the summary of the day is pushed."""

from concurrent.futures import ThreadPoolExecutor

from benchmarks.group_day import GroupDay, report


def test_a_day_asks_once_for_each_translation_and_pushes_one_summary() -> None:
    with ThreadPoolExecutor(8) as pool:
        day = GroupDay(pool)
        day.plays(60)

    translation, turns = day.parts["translation"], day.parts["questions and expenses"]
    assert (translation.requests, turns.requests) == (55, 5)
    assert 0 < translation.prompt_tokens / translation.requests < 1_000 < turns.prompt_tokens / turns.requests
    assert len(day.worker.line.pushes) == 1
    assert "集合は土曜10時" in day.worker.line.pushes[0][1][0]
    assert report(day.parts).splitlines()[-1].startswith("| **the day** |")
