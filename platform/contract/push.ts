import * as z from 'zod/mini';
import { call } from './call.ts';
import { HOUR_SECONDS } from './duration.ts';

/** Public key of the server in the format of `PushManager.subscribe` (base64url of 65 bytes). */
export const pushkey = call({
  route: 'GET /api/pushkey',
  summary: 'Returns the public key that a browser needs to subscribe to notifications.',
  access: 'account',
  answer: z.object({ key: z.string() }),
});

/** Takes the fields of `PushSubscription.toJSON()`. The subscription ends with the session that made it. */
export const pushsubscribe = call({
  route: 'POST /api/pushsubscribe',
  summary: 'Subscribes the calling browser to notifications.',
  access: 'account',
  request: z.object({
    endpoint: z.string().check(z.maxLength(2000)),
    keys: z.object({ p256dh: z.string().check(z.maxLength(200)), auth: z.string().check(z.maxLength(100)) }),
  }),
});

export const pushunsubscribe = call({
  route: 'POST /api/pushunsubscribe',
  usesReserve: true,
  summary: 'Unsubscribes a browser from notifications.',
  access: 'account',
  request: z.object({ endpoint: z.string().check(z.maxLength(2000)) }),
});

/** Only the browser with this endpoint is notified. */
export const pushtest = call({
  route: 'POST /api/pushtest',
  summary: 'Sends a test notification to the calling browser.',
  access: 'account',
  request: z.object({ endpoint: z.string().check(z.maxLength(2000)) }),
  rates: [{ times: 30, seconds: HOUR_SECONDS }],
});
