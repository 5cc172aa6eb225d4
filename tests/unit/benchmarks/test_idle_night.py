from benchmarks.idle_night import report


def test_what_is_left_of_the_goal_is_what_the_slowest_nights_leave() -> None:
    nights = [(0.3, 1.2)] * 94 + [(0.5, 2.5)] * 6

    printed = report(nights, model_s=4.0)

    left = next(line for line in printed.splitlines() if line.startswith("left of 12 s"))
    assert left.split()[-2:] == ["5.00", "s"]
    assert printed.endswith("goal: met")


def test_a_goal_that_the_functions_use_up_is_not_met() -> None:
    assert report([(4.0, 5.0)], model_s=4.0).endswith("goal: not met")
