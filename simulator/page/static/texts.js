// Every word that the page says, in Japanese and English; ?lang=en or ?lang=ja overrides the browser's choice.

const TEXTS = {
  ja: {
    standIn: "これはLINEではなく、このパソコンで動くLINEの代役です。",
    standInModel: "代役モデル：本物のAIモデルは接続されていません。",
    model: (name) => `モデル：${name}`,
    conversation: "トーク",
    chatChoice: "トークを選ぶ",
    personChoice: "発言する人",
    write: "メッセージを入力",
    send: "送信",
    attach: "スタンプ・位置情報・写真",
    stickers: "スタンプ",
    places: "位置情報",
    images: "写真",
    chooseImage: "写真を選ぶ",
    loading: "入力中",
    quickReplies: "クイックリプライ",
    messageMenu: "メッセージのメニュー",
    cancel: "やめる",
    read: "既読",
    edited: "編集済み",
    unsend: "送信取消",
    edit: "編集",
    quote: "リプライ",
    copy: "コピー",
    block: "ブロック",
    addFriend: "友だち追加",
    unblock: "ブロック解除",
    blocked: "ブロック中は送信できません",
    empty: (name) => `${name}に話しかけてみましょう。`,
    failed: (why) => `届きませんでした：${why}`,
    sending: "送信中…",
    gone: "メッセージはもうありません",
    unsentMine: "メッセージの送信を取り消しました",
    unsentTheirs: (name) => `${name}がメッセージの送信を取り消しました`,
    disconnected: "シミュレーターに接続できません。再接続しています…",
    wire: "通信",
    wireHint: "Webhookへの配信と、ボットからのAPI呼び出し",
    redelivery: "再送",
    sticker: "スタンプ",
    location: "位置情報",
    image: "画像",
    video: "動画",
    audio: "ボイスメッセージ",
    file: "ファイル",
    other: "メッセージ",
    ownNotices: { followed: "友だちに追加しました", blocked: "ブロックしました" },
    notices: {
      followed: (name) => `${name}さんが友だちに追加しました`,
      blocked: (name) => `${name}さんがブロックしました`,
      joined: (name) => `${name}がグループに参加しました`,
      left: (name) => `${name}が退出しました`,
      member_joined: (name) => `${name}が参加しました`,
      member_left: (name) => `${name}が退出しました`,
    },
    reasons: { could_not_connect: "接続できません", request_timeout: "2秒以内に応答なし", unclassified: "通信エラー" },
  },
  en: {
    standIn: "This is a local stand-in of LINE, not LINE.",
    standInModel: "Stand-in model: no real AI model is connected.",
    model: (name) => `Model: ${name}`,
    conversation: "Conversation",
    chatChoice: "Choose a chat",
    personChoice: "Speaking as",
    write: "Enter a message",
    send: "Send",
    attach: "Stickers, places, photos",
    stickers: "Stickers",
    places: "Places",
    images: "Photos",
    chooseImage: "Choose a photo",
    loading: "Typing",
    quickReplies: "Quick replies",
    messageMenu: "Message menu",
    cancel: "Cancel",
    read: "Read",
    edited: "Edited",
    unsend: "Unsend",
    edit: "Edit",
    quote: "Reply",
    copy: "Copy",
    block: "Block",
    addFriend: "Add friend",
    unblock: "Unblock",
    blocked: "Blocked: nothing can be sent",
    empty: (name) => `Say something to ${name}.`,
    failed: (why) => `not delivered: ${why}`,
    sending: "Sending…",
    gone: "Message unavailable",
    unsentMine: "You unsent a message",
    unsentTheirs: (name) => `${name} unsent a message`,
    disconnected: "The simulator cannot be reached. Trying again…",
    wire: "Wire",
    wireHint: "Deliveries to the webhook, and the bot's calls to the API",
    redelivery: "redelivery",
    sticker: "Sticker",
    location: "Place",
    image: "Photo",
    video: "Video",
    audio: "Voice message",
    file: "File",
    other: "Message",
    ownNotices: { followed: "You added the account as a friend", blocked: "You blocked the account" },
    notices: {
      followed: (name) => `${name} added the account as a friend`,
      blocked: (name) => `${name} blocked the account`,
      joined: (name) => `${name} joined the group`,
      left: (name) => `${name} left`,
      member_joined: (name) => `${name} joined`,
      member_left: (name) => `${name} left`,
    },
    reasons: { could_not_connect: "connection refused", request_timeout: "no answer within 2 s", unclassified: "network error" },
  },
};

const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language;
export const lang = wanted.startsWith("ja") ? "ja" : "en";
export const texts = TEXTS[lang];

/** Puts the words into the document: `data-text` as content, `data-label` as accessible name. */
export function fillIn(root) {
  document.documentElement.lang = lang;
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = texts[node.dataset.text];
  for (const node of root.querySelectorAll("[data-label]")) node.setAttribute("aria-label", texts[node.dataset.label]);
}

const times = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hour12: false });
const seconds = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const days = new Intl.DateTimeFormat(lang, { month: lang === "ja" ? "long" : "short", day: "numeric", weekday: "short" });

export const timeOf = (timestamp_ms) => times.format(timestamp_ms);
export const secondOf = (timestamp_ms) => seconds.format(timestamp_ms);
export const dayOf = (timestamp_ms) => days.format(timestamp_ms);
