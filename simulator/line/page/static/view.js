// What the page shows: the newest state, the chosen chat and the chosen person, and lookups in them.

export const view = { state: null, chatId: null, userId: null };

export const chat = () => view.state.chats.find((one) => one.chat_id === view.chatId);
export const personOf = (id) => view.state.people.find((one) => one.user_id === id);
export const nameOf = (id) => (id === view.state.bot.user_id ? view.state.bot.display_name : (personOf(id)?.display_name ?? "?"));
export const messageOf = (id) => chat().entries.find((entry) => entry.line_message_id === id);
