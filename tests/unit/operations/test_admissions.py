from operations.admissions import AdmissionCommands
from shared import logs
from shared.access.admission import Admissions
from shared.access.invitations import Invitations
from shared.clock import SKEW_MS
from shared.conversation.turn import TurnRecord
from shared.storage.codec import encode
from shared.storage.object_names import ObjectNames
from tests.support import recorded
from tests.unit.operations.conftest import Bucket


def door(bucket: Bucket, *, is_keyed: bool = False) -> AdmissionCommands:
    return AdmissionCommands(
        admissions=Admissions(store=bucket.store, clock=bucket.clock),
        invitations=Invitations(store=bucket.store, clock=bucket.clock),
        clock=bucket.clock,
        shows_pseudonyms=is_keyed,
    )


def test_a_code_counts_for_the_days_that_it_was_made_for(bucket: Bucket) -> None:
    invitations = Invitations(store=bucket.store, clock=bucket.clock)
    code = door(bucket).invite(days=2, is_single_use=True, is_open=False)

    bucket.clock.move(2 * 86_400 - 1)
    assert invitations.redeem(code, recorded.USER)
    bucket.clock.move(1)
    assert not invitations.redeem(code, recorded.USER)


def test_the_chats_that_were_admitted_are_listed_with_their_state(bucket: Bucket) -> None:
    operator = door(bucket)
    operator.admit(recorded.USER)
    operator.admit(recorded.GROUP)
    operator.invite(days=1, is_single_use=True, is_open=False)

    assert operator.revoke(recorded.GROUP)
    assert not operator.revoke(recorded.GROUP)

    group, user, invitations = operator.lines()
    assert group.startswith(f"{recorded.GROUP}  revoked")
    assert user.startswith(f"{recorded.USER}  admitted  since 20")
    assert invitations == "1 invitations could still admit a chat"


def test_each_chat_is_listed_with_its_pseudonym_of_the_logs(bucket: Bucket) -> None:
    door(bucket).admit(recorded.USER)
    bucket.store.create(ObjectNames(recorded.GROUP).turn, encode(TurnRecord()))
    bucket.store.create("turns/put there by hand.json", b"{}")

    group, user, _ = door(bucket, is_keyed=True).lines()

    assert user.endswith(f"UTC  in the logs {logs.pseudonym(recorded.USER)}")
    assert group == f"{recorded.GROUP}  never admitted  in the logs {logs.pseudonym(recorded.GROUP)}"


def test_what_cannot_be_read_hides_no_other_chat_and_no_invitation(bucket: Bucket) -> None:
    bucket.store.create("admitted/", b"")
    bucket.store.create(ObjectNames(recorded.GROUP).admission, b"changed by hand")
    bucket.store.create("invitations/0123456789abcdef.json", b"changed by hand")
    operator = door(bucket)
    operator.admit(recorded.USER)
    operator.invite(days=1, is_single_use=True, is_open=True)

    group, user, invitations = operator.lines()

    assert group == f"{recorded.GROUP}  its admission cannot be read"
    assert user.startswith(f"{recorded.USER}  admitted")
    assert invitations == "1 invitations could still admit a chat"
    assert operator.invitations.is_any_open()


def test_pseudonyms_that_are_not_those_of_the_logs_are_not_shown(bucket: Bucket) -> None:
    door(bucket).admit(recorded.USER)

    assert not any(logs.pseudonym(recorded.USER) in line for line in door(bucket).lines())


def test_what_a_chat_sends_at_once_is_admitted_although_clocks_differ(bucket: Bucket) -> None:
    door(bucket).admit(recorded.USER)

    admission = Admissions(store=bucket.store, clock=bucket.clock).of(recorded.USER)

    assert admission is not None
    assert admission.admits(bucket.clock.now_ms() - SKEW_MS)


def test_admitting_renews_what_was_revoked(bucket: Bucket) -> None:
    operator = door(bucket)
    operator.admit(recorded.USER)
    operator.revoke(recorded.USER)

    operator.admit(recorded.USER)

    assert " admitted " in next(operator.lines())
