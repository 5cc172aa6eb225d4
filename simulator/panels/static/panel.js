// The panels of the local stack: the trace of a message, the knowledge base of the chat, what is due in it, the switch of the clock, the lists in Notion.

import { addPanel } from "/static/panels.js";
import { lang, texts } from "/static/texts.js";
import { view } from "/static/view.js";
import { attachClock, showClock } from "./clock.js";
import { refreshDue, showDue } from "./due.js";
import { attachExamples, showNeeded, showSlowModel } from "./examples.js";
import { attachKnowledge, refreshKnowledge, showKnowledge } from "./knowledge.js";
import { showLists } from "./lists.js";
import { attachMemory, refreshMemory, showMemory } from "./memory.js";
import { ENGLISH } from "./texts.en.js";
import { JAPANESE } from "./texts.ja.js";
import { closeTrace, refreshTrace } from "./trace.js";
import { showTraceMark, traceChoices, traceOnClick } from "./trace_marks.js";

Object.assign(texts, lang === "ja" ? JAPANESE : ENGLISH);
attachKnowledge({ onOpen: closeTrace, onOpened: refreshMemory });
attachClock();
attachMemory();
attachExamples();
addPanel({
  show() {
    document.getElementById("filed-button").disabled = false;
    showLists(view.state.lists);
    showClock(view.state.clock);
    showSlowModel(view.state.model_latency_s);
    showNeeded({ tool_servers: view.state.has_tool_servers });
    showKnowledge(view.chatId);
    showDue(view.chatId);
    showMemory(view.chatId);
    showTraceMark();
  },
  choices: traceChoices,
  choose: traceOnClick,
  changes: { traced: refreshTrace, filed: refreshKnowledge, due: refreshDue, said: refreshMemory },
});
