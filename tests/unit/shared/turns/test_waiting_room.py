from contextlib import ExitStack

from shared.turns.waiting_room import PLACES, Place, WaitingRoom


def test_the_oldest_of_too_many_loses_its_place() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        places = [waiting.enter_context(room.place("a")) for _ in range(PLACES + 2)]

        assert [one.is_lost for one in places] == [True, True, *(False,) * PLACES]


def test_chats_do_not_share_places() -> None:
    room = WaitingRoom()
    with ExitStack() as waiting:
        places = [waiting.enter_context(room.place(chat)) for _ in range(PLACES) for chat in ("a", "b")]

        assert not any(one.is_lost for one in places)


def test_a_place_that_was_left_is_free_again() -> None:
    room = WaitingRoom()

    def stay() -> Place:
        with room.place("a") as place:
            return place

    assert not any(stay().is_lost for _ in range(3 * PLACES))
