"""Tests of the echo bot: pip install line-bot-simulator line-bot-sdk pytest, then pytest.  pytest.ini says how the bot is started."""


def test_the_bot_repeats_a_text(alice):
    sent = alice.say("hello")

    reply = alice.expect_reply("hello")
    assert (reply.kind, reply.webhook_event_id) == ("reply", sent["webhook_event_id"])


def test_the_bot_is_silent_about_a_sticker(alice):
    alice.sticker()
    alice.expect_silence()


def test_the_bot_answers_in_a_group(alice, group):
    alice.say("hi all", to=group)
    group.expect_reply("hi all")


def test_a_redelivery_is_answered_on_its_token_only_once(alice):
    sent = alice.say("once")
    alice.expect_reply("once")
    alice.redeliver(sent)
    alice.expect_silence()


def test_a_token_that_expired_answers_nothing(line, alice):
    line.do("switches", delay_s=0.2)
    line.do("add_fault", path="/v2/bot/message/reply", error_status=400)
    alice.say("late")
    alice.expect_silence()


def test_a_forged_delivery_is_refused(line):
    line.do("raw_delivery", body='{"events":[]}', signature="forged")
    line.wait()
    assert line.get("deliveries")["deliveries"][-1]["status"] == 401


def test_a_recorded_conversation_goes_the_same_way(line, alice):
    alice.say("one")
    alice.expect_reply("one")
    recording = line.recording()
    line.reset()
    assert line.replay(recording)
