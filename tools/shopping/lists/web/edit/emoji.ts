import { LIMITS } from '../../domain/list.ts';

// Not by Intl.Segmenter, which older browsers lack: flags, keycaps, and pictures with their colour of skin, tags and what is joined.
const PICTURE = String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}\u20E3\u{E0020}-\u{E007F}]*`;
const EMOJI = new RegExp(
  String.raw`\p{Regional_Indicator}{1,2}|[0-9#*]\uFE0F?\u20E3|${PICTURE}(?:\u200D${PICTURE})*`,
  'gu',
);

/** The first emoji of a text, whole with its colour of skin and whatever it is joined with. */
export function emojiIn(text: string): string | undefined {
  for (const [emoji] of text.matchAll(EMOJI)) if (Array.from(emoji).length <= LIMITS.emoji) return emoji;
  return undefined;
}
