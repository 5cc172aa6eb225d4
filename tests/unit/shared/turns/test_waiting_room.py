from contextlib import ExitStack

from shared.turns.waiting_room import PLACES, Place, WaitingRoom


def test_the_oldest_of_too_many_loses_its_place() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        places = [waiting.enter_context(room.place("a")) for _ in range(PLACES + 2)]

        assert [one.is_evicted for one in places] == [True, True, *(False,) * PLACES]


def test_a_message_that_is_delivered_again_takes_no_place_of_a_newer_one() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        newer = [waiting.enter_context(room.place("a", event=f"m{sent}", sent_ms=sent)) for sent in (4, 3, 2, 5)]
        again = waiting.enter_context(room.place("a", event="m1", sent_ms=1))

        assert again.is_evicted
        assert not any(one.is_evicted for one in newer)


def test_a_delivery_that_can_hand_over_loses_its_place_first() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        staying = [waiting.enter_context(room.place("a", gives_way=False)) for _ in range(PLACES - 1)]
        giving_way = [waiting.enter_context(room.place("a")) for _ in range(2)]
        assert [one.is_evicted for one in giving_way] == [True, False]

        staying += [waiting.enter_context(room.place("a", gives_way=False)) for _ in range(2)]

        assert not giving_way[1].is_evicted
        assert [one.is_evicted for one in staying] == [True, *(False,) * PLACES]


def test_one_message_keeps_a_place_beside_commands() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        commands = [waiting.enter_context(room.place("a", gives_way=False)) for _ in range(PLACES)]
        older, newer = [waiting.enter_context(room.place("a", event=f"m{at}", sent_ms=at)) for at in (1, 2)]

        assert [older.is_evicted, newer.is_evicted] == [True, False]
        assert newer.inherits == {(1, "m1")}
        assert not any(one.is_evicted for one in commands)


def test_of_two_deliveries_of_an_event_the_older_one_loses_its_place_before_any_other() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        events = [("a", False), ("b", True), ("c", False), ("c", False), ("d", False)]
        places = [waiting.enter_context(room.place("a", event=event, gives_way=gives)) for event, gives in events]

        assert [one.is_evicted for one in places] == [False, False, True, False, False]


def test_chats_do_not_share_places() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        places = [waiting.enter_context(room.place(chat)) for _ in range(PLACES) for chat in ("a", "b")]

        assert not any(one.is_evicted for one in places)


def test_a_place_that_was_left_is_free_again() -> None:
    room = WaitingRoom()

    def stay() -> Place:
        with room.place("a") as place:
            return place

    assert not any(stay().is_evicted for _ in range(3 * PLACES))


def test_a_delivery_keeps_its_place_while_others_come_and_leave() -> None:
    room = WaitingRoom()
    with room.place("a") as place:
        for _ in range(3 * PLACES):
            with room.place("a"):
                pass

        assert not place.is_evicted


def test_a_delivery_that_leaves_leaves_the_others_in_one_room() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        first = waiting.enter_context(room.place("a"))
        with room.place("a"):
            pass
        for _ in range(PLACES):
            waiting.enter_context(room.place("a"))

        assert first.is_evicted


def test_a_chat_that_nobody_waits_for_takes_no_memory() -> None:
    places: dict[str, list[Place]] = {}
    room = WaitingRoom(_places=places)

    with ExitStack() as waiting:
        for _ in range(PLACES + 2):
            waiting.enter_context(room.place("a"))

    assert places == {}


def test_what_was_waited_for_is_inherited_by_the_newest_message_that_stays() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        events = [
            ("m1", 1, True),
            ("m2", 2, True),
            ("e3", 3, False),
            ("m4", 4, True),
            ("e5", 5, False),
            ("e6", 6, False),
        ]
        places = [
            waiting.enter_context(room.place("a", event=event, sent_ms=sent_ms, gives_way=gives_way))
            for event, sent_ms, gives_way in events
        ]

        assert [one.is_evicted for one in places] == [True, True, False, False, False, False]
        assert places[3].inherits == {(1, "m1"), (2, "m2")}
        assert not any(one.inherits for one in places if not one.gives_way)


def test_of_two_messages_that_stay_the_newer_one_inherits() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        m3, m2, m4, m1, m5 = (
            waiting.enter_context(room.place("a", event=f"m{sent_ms}", sent_ms=sent_ms)) for sent_ms in (3, 2, 4, 1, 5)
        )

        assert m1.is_evicted
        assert m5.inherits == {(1, "m1")}
        assert not any(one.inherits for one in (m2, m3, m4))


def test_an_older_delivery_of_the_same_message_leaves_nothing() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        places = [
            waiting.enter_context(room.place("a", event=event, sent_ms=1, gives_way=gives_way))
            for event, gives_way in [("m1", True), ("e2", False), ("e3", False), ("e4", False), ("m1", True)]
        ]

        assert places[0].is_evicted
        assert not places[-1].inherits


def test_the_end_of_a_turn_wakes_who_waits_in_the_same_chat() -> None:
    room = WaitingRoom()
    with room.place("a") as waiting, room.place("b") as elsewhere:
        room.wake("a")

        assert waiting.woken.wait(0)
        assert not elsewhere.woken.wait(0)


def test_a_place_that_is_taken_is_told_so_at_once() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        places = [waiting.enter_context(room.place("a")) for _ in range(PLACES + 1)]

        assert places[0].woken.wait(0)
        assert not places[1].woken.wait(0)


def test_a_watcher_sees_who_waits_and_who_comes() -> None:
    room, watched_events = WaitingRoom(), list[str]()
    with ExitStack() as waiting:
        waiting.enter_context(room.place("a", event="m1", author="anna"))
        with room.watched("a", lambda place: watched_events.append(place.event)):
            waiting.enter_context(room.place("a", event="m2"))
            waiting.enter_context(room.place("b", event="m3"))
        waiting.enter_context(room.place("a", event="m4"))

    assert watched_events == ["m1", "m2"]


def test_work_for_which_nobody_asked_takes_no_place_of_messages_and_commands() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        asked = [
            waiting.enter_context(room.place("a", event="m1")),
            waiting.enter_context(room.place("a", event="/id", gives_way=False)),
        ]
        optional = [
            waiting.enter_context(room.place("a", event=f"m{sent}", sent_ms=sent, gives_way=False, is_optional=True))
            for sent in range(2, PLACES + 4)
        ]

        assert not any(place.is_evicted for place in asked)
        assert [place.is_evicted for place in optional] == [*(True,) * PLACES, False, False]


def test_a_message_knows_of_an_older_command_that_waits_until_that_has_the_turn() -> None:
    room = WaitingRoom()
    with room.place("a", sent_ms=2) as message:
        with room.place("a", sent_ms=1, gives_way=False) as command:
            assert room.has_older_command("a", message)
            command.has_turn = True
            assert not room.has_older_command("a", message)
        command.has_turn = False
        assert not room.has_older_command("a", message)


def test_a_message_knows_of_no_older_command_beside_messages_newer_commands_and_other_chats() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        message, command = (waiting.enter_context(room.place("a", sent_ms=2, gives_way=one)) for one in (True, False))
        waiting.enter_context(room.place("a", sent_ms=1))
        waiting.enter_context(room.place("b", sent_ms=1, gives_way=False))

        assert not room.has_older_command("a", message)
        assert not room.has_older_command("a", command)
