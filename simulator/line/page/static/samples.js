// Samples of messages that a bot might send.

const say = (label) => ({ type: "message", label, text: label });

export const SAMPLES = {
  text: { type: "text", text: "Hello" },
  quick: { type: "text", text: "Tea or coffee?", quickReply: { items: ["Tea", "Coffee"].map((label) => ({ type: "action", action: say(label) })) } },
  buttons: {
    type: "template",
    altText: "Menu",
    template: { type: "buttons", title: "Menu", text: "What may it be?", actions: [say("Soup"), { type: "postback", label: "Book", data: "book=1", displayText: "Book" }] },
  },
  carousel: {
    type: "template",
    altText: "Dishes",
    template: { type: "carousel", columns: ["Soup", "Salad"].map((dish) => ({ text: dish, actions: [say(dish)] })) },
  },
  flex: {
    type: "flex",
    altText: "Card",
    contents: {
      type: "bubble",
      body: { type: "box", layout: "vertical", contents: [{ type: "text", text: "Brown Cafe", weight: "bold", size: "xl" }, { type: "text", text: "Open until 20:00", color: "#666666", wrap: true }] },
      footer: { type: "box", layout: "vertical", contents: [{ type: "button", style: "primary", action: say("Reserve") }] },
    },
  },
  image: { type: "image", originalContentUrl: "https://example.com/picture.png", previewImageUrl: "https://example.com/picture.png" },
};
