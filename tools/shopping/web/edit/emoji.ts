import { LIMITS } from '../../domain/list.ts';

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The first emoji of a text, whole with its colour of skin and whatever it is joined with. */
export const emojiIn = (text: string): string | undefined => {
  for (const { segment } of letters.segment(text))
    if (EMOJI.test(segment) && Array.from(segment).length <= LIMITS.emoji) return segment;
  return undefined;
};
