// The stickers and places of the tray. LINE's sticker images are not free to use: an emoji of the same mood stands for each.

export const STICKERS = [
  { drawn: "😄", package_id: "11537", sticker_id: "52002734", keywords: ["happy", "smile"] },
  { drawn: "👍", package_id: "11537", sticker_id: "52002735", keywords: ["ok", "good"] },
  { drawn: "❤️", package_id: "11537", sticker_id: "52002736", keywords: ["love", "thanks"] },
  { drawn: "🎉", package_id: "11537", sticker_id: "52002752", keywords: ["congrats", "party"] },
  { drawn: "🙏", package_id: "11537", sticker_id: "52002739", keywords: ["please", "thanks"] },
  { drawn: "😭", package_id: "11537", sticker_id: "52002750", keywords: ["cry", "sad"] },
  { drawn: "😴", package_id: "11537", sticker_id: "52002758", keywords: ["sleepy", "goodnight"] },
  { drawn: "😡", package_id: "11537", sticker_id: "52002767", keywords: ["angry"] },
];

export const PLACES = [
  { title: "東京駅", address: "東京都千代田区丸の内1-9-1", latitude: 35.681236, longitude: 139.767125 },
  { title: "京都駅", address: "京都府京都市下京区東塩小路町", latitude: 34.985849, longitude: 135.758767 },
  { title: "台北101", address: "台北市信義區信義路五段7號", latitude: 25.033976, longitude: 121.564472 },
];

/** The emoji for a sticker, or a neutral one. */
export function symbolOf(packageId, stickerId) {
  return STICKERS.find((one) => one.package_id === packageId && one.sticker_id === stickerId)?.drawn ?? "🖼️";
}
