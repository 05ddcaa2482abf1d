import { LIMITS } from '../../domain/list.ts';

// Not with Intl.Segmenter, which older browsers lack.
// Matches flags, keycaps, and pictures with skin tone, tags and joiners.
const PICTURE = String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}\u20E3\u{E0020}-\u{E007F}]*`;
const EMOJI = new RegExp(
  String.raw`\p{Regional_Indicator}{1,2}|[0-9#*]\uFE0F?\u20E3|${PICTURE}(?:\u200D${PICTURE})*`,
  'gu',
);

/** Returns the first emoji of a text, complete with skin tone and joined emoji. */
export function findEmoji(text: string): string | undefined {
  for (const [emoji] of text.matchAll(EMOJI)) if (Array.from(emoji).length <= LIMITS.emoji) return emoji;
  return undefined;
}
