import type { PushMessage } from './push.ts';

/** Push services take 4 KB, the encryption around it included. */
const MAX_MESSAGE_BYTES = 3072;

const encoder = new TextEncoder();

/** As the service worker reads it. */
const bytesOf = ({ title, body, path, tag }: PushMessage): Uint8Array =>
  encoder.encode(JSON.stringify({ title, body, path, tag }));

const cut = (text: string, characters: number): string => {
  const all = Array.from(text);
  return all.length <= characters ? text : `${all.slice(0, characters).join('')}…`;
};

/** A message in at most 3 KB: of what is longer the body ends earlier. */
export const serializeMessage = (message: PushMessage): Uint8Array => {
  const title = cut(message.title, 200);
  for (let most = Array.from(message.body).length; most > 0; most = Math.floor(most * 0.8)) {
    const bytes = bytesOf({ ...message, title, body: cut(message.body, most) });
    if (bytes.length <= MAX_MESSAGE_BYTES) return bytes;
  }
  return bytesOf({ ...message, title, body: '' });
};
