import threading
from concurrent.futures import ThreadPoolExecutor

from shared.composition.once import once

CALLERS = 8


def test_a_part_is_built_once_also_for_calls_at_the_same_time() -> None:
    calling, has_begun_twice, begun = threading.Semaphore(0), threading.Event(), []

    def build() -> object:
        begun.append(threading.current_thread().name)
        if len(begun) > 1:
            has_begun_twice.set()
            return object()
        for _ in range(CALLERS):
            calling.acquire()  # every caller is about to call
        assert not has_begun_twice.wait(0.2)
        return object()

    part = once(build)

    def call() -> object:
        calling.release()
        return part()

    with ThreadPoolExecutor(CALLERS) as threads:
        parts = {id(future.result()) for future in [threads.submit(call) for _ in range(CALLERS)]}

    assert (len(parts), len(begun)) == (1, 1)


def test_a_part_is_not_built_before_the_first_call() -> None:
    begun: list[str] = []

    part = once(lambda: begun.append("built"))

    assert begun == []
    part()
    part()
    assert begun == ["built"]
