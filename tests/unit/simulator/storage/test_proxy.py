import pytest

from simulator.storage import Fault, StorageSwitches
from tests.unit.simulator.storage.conftest import Bench

OBJECT = "/storage/v1/b/bucket/o/a%2Fb"
MEDIA = f"/download{OBJECT}?alt=media"


def test_a_request_is_forwarded_unchanged(bench: Bench) -> None:
    bench.server.put("a/b%2F語 ?", b"\x1f\x8bpacked")

    answer = bench.ask(
        "GET",
        "/download/storage/v1/b/bucket/o/a%2Fb%252F%E8%AA%9E%20%3F?alt=media&x=%2F",
        headers={"range": "bytes=0-", "accept-encoding": "gzip", "x-goog-meta-one": "1"},
    )

    (request,) = bench.server.requests
    assert request.url.raw_path == b"/download/storage/v1/b/bucket/o/a%2Fb%252F%E8%AA%9E%20%3F?alt=media&x=%2F"
    assert request.headers["host"] == "proxy.invalid"
    assert (request.headers["range"], request.headers["accept-encoding"]) == ("bytes=0-", "gzip")
    assert answer.content == b"\x1f\x8bpacked"
    assert answer.headers["x-goog-generation"] == "101"


def test_a_body_is_forwarded_unchanged(bench: Bench) -> None:
    bench.write("a/b", bytes(range(256)))

    assert bench.server.objects["a/b"] == (101, bytes(range(256)))


@pytest.mark.parametrize("method", ["GET", "DELETE", "PATCH", "PUT"])
def test_a_condition_is_enforced_although_the_server_ignores_it(bench: Bench, method: str) -> None:
    bench.server.put("a/b")

    answer = bench.ask(method, f"{OBJECT}?ifGenerationMatch=7")

    assert (answer.status_code, answer.json()["error"]["code"]) == (412, 412)
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert "a/b" in bench.server.objects
    assert {request.method for request in bench.server.requests} == {"GET"}


def test_a_304_has_no_body(bench: Bench) -> None:
    generation = bench.server.put("a/b")

    answer = bench.ask("GET", f"{MEDIA}&ifGenerationNotMatch={generation}")

    assert (answer.status_code, answer.content) == (304, b"")


def test_without_a_condition_no_version_is_read(bench: Bench) -> None:
    bench.write("a/b")
    bench.ask("GET", MEDIA)
    bench.ask("DELETE", OBJECT)

    assert [request.method for request in bench.server.requests] == ["POST", "GET", "DELETE"]


def test_one_of_many_concurrent_creations_succeeds(bench: Bench) -> None:
    to = {"uploadType": "media", "name": "a/b", "ifGenerationMatch": "0"}
    upload = ("POST", "/upload/storage/v1/b/bucket/o", {"params": to, "content": b"{}"})

    answers = bench.ask_together(*[upload] * 10)

    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 9
    assert bench.server.most_at_once == 1


def test_requests_for_different_objects_run_concurrently(bench: Bench) -> None:
    uploads = [{"uploadType": "media", "name": str(number)} for number in range(5)]

    bench.ask_together(*(("POST", "/upload/storage/v1/b/bucket/o", {"params": to}) for to in uploads))

    assert bench.server.most_at_once == 5


def test_crossing_copies_do_not_deadlock(bench: Bench) -> None:
    bench.server.put("a")
    bench.server.put("b")
    paths = ["/storage/v1/b/bucket/o/a/rewriteTo/b/bucket/o/b", "/storage/v1/b/bucket/o/b/rewriteTo/b/bucket/o/a"]

    answers = bench.ask_together(*(("POST", path, {}) for path in paths * 5))

    assert [answer.status_code for answer in answers] == [200] * 10


def test_a_second_change_within_a_second_is_refused(bench: Bench) -> None:
    bench.proxy.switches = StorageSwitches(one_write_a_second=True)
    bench.write("a/b")
    bench.now_s += 0.99

    refused = [bench.write("a/b"), bench.ask("DELETE", OBJECT), bench.ask("PATCH", OBJECT, json={})]

    assert [answer.status_code for answer in refused] == [429, 429, 429]
    assert refused[0].json()["error"]["errors"][0]["reason"] == "rateLimitExceeded"
    bench.now_s += 0.01
    assert bench.write("a/b").status_code == 200


def test_a_refused_change_does_not_count(bench: Bench) -> None:
    bench.proxy.switches = StorageSwitches(one_write_a_second=True)
    bench.server.put("a/b")

    assert bench.write("a/b", ifGenerationMatch="7").status_code == 412
    assert bench.ask("DELETE", "/storage/v1/b/bucket/o/none").status_code == 404
    assert bench.write("a/b").status_code == 200


def test_a_failed_condition_precedes_the_rate_limit(bench: Bench) -> None:
    bench.proxy.switches = StorageSwitches(one_write_a_second=True)
    bench.write("a/b")

    assert bench.write("a/b", ifGenerationMatch="0").status_code == 412


def test_reads_and_other_names_are_not_limited(bench: Bench) -> None:
    bench.proxy.switches = StorageSwitches(one_write_a_second=True)
    bench.write("a/b")

    assert bench.write("a/c").status_code == 200
    assert [bench.ask("GET", MEDIA).status_code for _ in range(3)] == [200] * 3


def test_without_the_switch_changes_are_not_limited(bench: Bench) -> None:
    assert [bench.write("a/b").status_code for _ in range(3)] == [200] * 3


@pytest.mark.parametrize("status", [429, 503])
def test_an_injected_error_has_no_effect(bench: Bench, status: int) -> None:
    bench.proxy.faults.add(Fault(operation="insert", error_status=status))

    answer = bench.write("a/b")

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, status)
    assert bench.server.requests == []


def test_an_answer_can_be_replaced_by_an_error_after_the_effect(bench: Bench) -> None:
    bench.proxy.faults.add(Fault(answer="unavailable"))

    assert bench.write("a/b").status_code == 503
    assert "a/b" in bench.server.objects


def test_a_delay_precedes_the_effect(bench: Bench) -> None:
    bench.proxy.faults.add(Fault(delay_s=2.5, arrived=lambda: bench.slept_s.append(0.0)))

    bench.write("a/b")

    assert bench.slept_s == [0.0, 2.5]


def test_the_callback_after_the_effect_sees_it(bench: Bench) -> None:
    seen: list[bool] = []

    def look() -> None:
        seen.append("b" in bench.server.objects)

    bench.proxy.faults.add(Fault(nth=2, arrived=look, took_effect=look))

    bench.write("a")
    bench.write("b")

    assert seen == [False, True]


def test_without_the_server_storage_is_unavailable(bench: Bench) -> None:
    bench.server.is_down = True

    answer = bench.ask("GET", MEDIA)

    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == (503, "backendError")


def test_requests_are_logged_with_their_outcome(bench: Bench) -> None:
    bench.proxy.faults.add(Fault(operation="delete", delay_s=0.25, answer="unavailable"))

    bench.write("a/b")
    bench.ask("DELETE", OBJECT)
    bench.ask("GET", f"{OBJECT}?ifGenerationMatch=x")

    logged = [(entry.operation, entry.name, entry.status, entry.was_answered) for entry in bench.proxy.requests]
    assert logged == [("insert", "a/b", 200, True), ("delete", "a/b", 204, False), ("other", "", 400, True)]
    assert bench.proxy.requests[1].ended_s - bench.proxy.requests[1].started_s == 0.25
    assert bench.events[1] == (
        "storage_called",
        {"operation": "delete", "name": "a/b", "status": 204, "duration_ms": 250.0, "was_answered": False},
    )
