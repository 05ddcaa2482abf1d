import * as z from 'zod/mini';
import { call } from './call.ts';

/** Public key of the server in the format of `PushManager.subscribe` (base64url of 65 bytes). */
export const pushkey = call({
  method: 'GET',
  path: '/api/pushkey',
  summary: 'The key with which a browser subscribes to notifications of this server.',
  access: 'account',
  request: z.object({}),
  answer: z.object({ key: z.string() }),
});

/** Takes the fields of `PushSubscription.toJSON()`. The subscription ends with the session that made it. */
export const pushsubscribe = call({
  method: 'POST',
  path: '/api/pushsubscribe',
  summary: 'Lets this server notify the browser that asks.',
  access: 'account',
  request: z.object({
    endpoint: z.string().check(z.maxLength(2000)),
    keys: z.object({ p256dh: z.string().check(z.maxLength(200)), auth: z.string().check(z.maxLength(100)) }),
  }),
  answer: z.object({}),
});

export const pushunsubscribe = call({
  method: 'POST',
  path: '/api/pushunsubscribe',
  summary: 'Ends the notifications of a browser.',
  access: 'account',
  request: z.object({ endpoint: z.string().check(z.maxLength(2000)) }),
  answer: z.object({}),
});

/** Only the browser with this endpoint is notified. */
export const pushtest = call({
  method: 'POST',
  path: '/api/pushtest',
  summary: 'Sends the browser that asks a notification, to see whether it comes.',
  access: 'account',
  request: z.object({ endpoint: z.string().check(z.maxLength(2000)) }),
  answer: z.object({}),
  rates: [{ times: 30, seconds: 3600 }],
});
