import { Refusal } from '#platform/contract/refusal.ts';
import { type KEEPS, PASTE_LIMIT_BYTES, SEALED_LIMIT } from '../contract.ts';

export type Keep = (typeof KEEPS)[number];

const HOUR_MS = 3_600_000;
export const KEPT_MS: Readonly<Record<Keep, number>> = {
  '1h': HOUR_MS,
  '1d': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

const SEALED = /^[\w-]+$/;

/** Bytes of a text as UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** @throws Refusal when there is nothing to store, or more than the limit. */
export const checkText = (text: string): void => {
  if (text === '') throw new Refusal('Nothing to store');
  const bytes = bytesOf(text);
  if (bytes > PASTE_LIMIT_BYTES)
    throw new Refusal(`Text is too long at ${bytes} bytes, limit is ${PASTE_LIMIT_BYTES} bytes (1 MiB)`);
};

/** @throws Refusal for what no page of ours made of a text. */
export const checkSealed = (sealed: string): void => {
  if (!SEALED.test(sealed)) throw new Refusal('This is no encrypted text');
  if (sealed.length > SEALED_LIMIT) throw new Refusal('Text is too long, limit is 1 MiB');
};
