// Tests of the echo bot: npm install line-bot-simulator @line/bot-sdk, pip install line-bot-simulator, then node --test
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startLine } from "line-bot-simulator";

let line, alice;
before(async () => { line = await startLine({ bot: ["node", process.env.BOT ?? "echo_bot.mjs"] }); });
beforeEach(async () => { alice = await line.reset(); });
after(() => line.stop());

test("the bot repeats a text", async () => {
  const sent = await alice.say("hello");
  const reply = await alice.expectReply("hello");
  assert.deepEqual([reply.kind, reply.webhook_event_id], ["reply", sent.webhook_event_id]);
});

test("the bot is silent about a sticker", async () => {
  await alice.sticker();
  await alice.expectSilence();
});

test("the bot answers in a group", async () => {
  const group = await line.group("Lunch", alice, await line.person("Bob"));
  await line.wait();
  await alice.say("hi all", { to: group });
  await group.expectReply(/^hi/);
});

test("what is not expected is told", async () => {
  await alice.say("hello");
  await assert.rejects(alice.expectReply("bye"), /the bot said "hello"/);
});
