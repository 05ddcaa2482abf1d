import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { target } from '#platform/contract/fields.ts';

/** Maximum length in Unicode code points: the text must fit into one socket event. */
export const MAX_CLIPBOARD_LENGTH = 10_000;

/** Each use is shown on the computer, so more would flood its desktop. */
const rates = [{ times: 60, seconds: 60 }];

export const sendclipboard = call({
  route: 'POST /api/sendclipboard',
  summary: 'Sets the clipboard of a computer that allows this.',
  access: 'account',
  bodyLimit: 256 * 1024,
  request: z.object({ content: z.object({ target, text: z.string() }) }),
  rates,
});

export const fetchclipboard = call({
  route: 'POST /api/fetchclipboard',
  summary: 'Returns the text on the clipboard of a computer that allows this.',
  access: 'account',
  request: z.object({ content: z.object({ target }) }),
  answer: z.object({ text: z.string() }),
  rates,
});

/** Name of the account that makes the request, for the person at the computer. */
const by = z.string().check(z.maxLength(100));

export const writeClipboard = command({ name: 'clipboard/write', request: z.object({ text: z.string(), by }) });

export const readClipboard = command({
  name: 'clipboard/read',
  request: z.object({ by }),
  answer: z.object({ text: z.string() }),
  isRepeatable: true,
});
