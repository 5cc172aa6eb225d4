// What a stack adds to the page: panels beside the chat, entries of the message menu, and their events.

/** Each panel is `{show?, choices?, choose?, changes?}`, all optional:
 *  - `show()` is called after every new state;
 *  - `choices(message)` returns pairs of a label and a function for the menu of a message;
 *  - `choose(message)` is called when the person chooses a bubble;
 *  - `changes` has a function for each event of the stream that the panel's routes emit. */
export const panels = [];

export const addPanel = (panel) => panels.push(panel);

/** Calls the function of every panel that has it, and returns the results. */
export const tell = (name, ...facts) => panels.flatMap((panel) => panel[name]?.(...facts) ?? []);
