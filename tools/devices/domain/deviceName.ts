import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** Longest name of a device, in Unicode code points. */
export const NAME_LIMIT = 40;
/** Control characters, line ends, halves of characters, and marks that turn the direction of what stands around them. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROLS = new RegExp(CONTROL.source, 'gu');

/** A name that a person gives. @throws Refusal saying what a name may be. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new Refusal('A device needs a name');
  if (countCodePoints(trimmed) > NAME_LIMIT) throw new Refusal(`A name has ${NAME_LIMIT} characters at most`);
  if (CONTROL.test(trimmed)) throw new Refusal('A name has no control characters');
  return trimmed;
}

/** What a computer says of itself, made fit to be shown: `fallback` where nothing is left of it. */
export function cleanText(said: string, limit: number, fallback: string): string {
  const clean = Array.from(said.replaceAll(CONTROLS, '').trim()).slice(0, limit).join('').trimEnd();
  return clean === '' ? fallback : clean;
}
