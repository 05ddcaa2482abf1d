import { countCodePoints } from '#platform/contract/fields.ts';
import { decodePercent } from '#platform/contract/percent.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { PROMPT_LIMIT } from '../contract.ts';

/**
 * The prompt as it was typed. The specification's client puts it into the address unencoded; a '%' that begins no escape then leaves the
 * whole of it as it stood there.
 */
export const asTyped = (q: string): string =>
  decodePercent(q) === undefined
    ? q.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => decodePercent(escapes) ?? escapes)
    : q;

/** @throws Refusal where there is nothing to ask, or more than the limit. */
export const checkPrompt = (prompt: string): void => {
  if (prompt.trim() === '') throw new Refusal('There is no prompt to send');
  const length = countCodePoints(prompt);
  if (length > PROMPT_LIMIT)
    throw new Refusal(`The prompt is too long at ${length} characters, limit is ${PROMPT_LIMIT} characters`);
};
