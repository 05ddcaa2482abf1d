import { Refusal } from '#platform/contract/refusal.ts';
import { PASTE_LIMIT_BYTES } from '../contract.ts';

/** @throws Refusal for what is no text in UTF-8, or longer than a piece may be. */
export const textOf = async (file: File): Promise<string> => {
  if (file.size > PASTE_LIMIT_BYTES)
    throw new Refusal(`${file.name} is too long at ${file.size} bytes, limit is ${PASTE_LIMIT_BYTES} bytes (1 MiB)`);
  const bytes = await file.arrayBuffer();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (cause) {
    throw new Refusal(`${file.name} is no text in UTF-8`, { cause });
  }
  throw new Refusal(`${file.name} is no text`);
};
