// The HTTP API of the simulator: the state, its changes, and the actions of a person.

/** Calls `onState` with every new state, `onSteps` after new steps of any event, `onKnowledge` after writes to entries, and `onLost` while
 * there is no connection. */
export function watch(onState, onSteps, onKnowledge, onLost) {
  let isFetching = false;
  let isStale = false;

  async function refresh() {
    if (isFetching) {
      isStale = true;
      return;
    }
    isFetching = true;
    do {
      isStale = false;
      try {
        onState(await stateNow());
      } catch {
        onLost();
      }
    } while (isStale);
    isFetching = false;
  }

  const changes = new EventSource("/simulator/events");
  changes.addEventListener("changed", refresh);
  changes.addEventListener("traced", onSteps);
  changes.addEventListener("filed", onKnowledge);
  changes.addEventListener("error", onLost);
}

export async function stateNow() {
  return (await fetch("/simulator/state")).json();
}

/** The trace of an event: `{type, steps}`. */
export async function traceOf(webhookEventId) {
  return bodyOf(await fetch(`/simulator/trace/${encodeURIComponent(webhookEventId)}`));
}

/** The knowledge base of a chat: `{index, entries: [{path, generation}]}`. */
export async function entriesOf(chatId) {
  return bodyOf(await fetch(`/simulator/filed/${encodeURIComponent(chatId)}`));
}

/** The text of an entry in the bucket: `{text}`. Throws where it does not exist. */
export async function entryText(chatId, path) {
  return bodyOf(await fetch(`/simulator/filed/${encodeURIComponent(chatId)}/${path.split("/").map(encodeURIComponent).join("/")}`));
}

/** Carries out an action and returns its result. Throws an Error that says why it is not possible. */
export async function act(name, body) {
  return bodyOf(await fetch(`/simulator/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

export async function sendImage(user_id, chat_id, file) {
  const where = new URLSearchParams({ user_id, chat_id });
  return bodyOf(await fetch(`/simulator/image?${where}`, { method: "POST", headers: { "Content-Type": file.type }, body: file }));
}

async function bodyOf(response) {
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}
