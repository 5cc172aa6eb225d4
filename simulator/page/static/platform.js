// The way to the simulator: the state, its changes, and the actions of a person.

/** Calls `onState` with every new state, `onTraced` after new steps of any event, `onFiled` after writes to entries, and `onLost` while
 * there is no connection. */
export function watch(onState, onTraced, onFiled, onLost) {
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
  changes.addEventListener("traced", onTraced);
  changes.addEventListener("filed", onFiled);
  changes.addEventListener("error", onLost);
}

export async function stateNow() {
  return (await fetch("/simulator/state")).json();
}

/** What is known of an event: `{type, steps}`. */
export async function traceOf(webhookEventId) {
  return answered(await fetch(`/simulator/trace/${encodeURIComponent(webhookEventId)}`));
}

/** What is filed in a chat: `{index, entries: [{path, generation}]}`. */
export async function filedIn(chatId) {
  return answered(await fetch(`/simulator/filed/${encodeURIComponent(chatId)}`));
}

/** An entry as it stands in the bucket: `{text}`. Throws where there is none any more. */
export async function filedText(chatId, path) {
  return answered(await fetch(`/simulator/filed/${encodeURIComponent(chatId)}/${path.split("/").map(encodeURIComponent).join("/")}`));
}

/** What the action caused. Throws an Error that says why it is not possible. */
export async function act(name, body) {
  return answered(await fetch(`/simulator/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

export async function sendImage(user_id, chat_id, file) {
  const where = new URLSearchParams({ user_id, chat_id });
  return answered(await fetch(`/simulator/image?${where}`, { method: "POST", headers: { "Content-Type": file.type }, body: file }));
}

async function answered(response) {
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}
