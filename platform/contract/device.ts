import * as z from 'zod/mini';
import { clientEvent, serverEvent } from './event.ts';

/** Connection of a device. It is Reconnecting for 15 s after a loss (docs/specification/devices.md section 3.1). */
export type DeviceState = 'Connected' | 'Disconnected' | 'Reconnecting';
export const RECONNECT_TIMEOUT_MS = 15_000;

/** What a computer can do. Its owner allows it with flags of the agent; the system may not support it. */
export const ABILITY_NAMES = [
  'keyboard',
  'mouse',
  'sound',
  'usage',
  'messages',
  'notifications',
  'clipboard',
  'scripts',
  'capture',
] as const;
export type AbilityName = (typeof ABILITY_NAMES)[number];

/** `reason` explains in a sentence why `able` is false. */
export const ability = z.object({ able: z.boolean(), reason: z.optional(z.string().check(z.maxLength(300))) });
export const abilities = z.partialRecord(z.enum(ABILITY_NAMES), ability);
export type Abilities = z.output<typeof abilities>;

/** What an agent reports about itself. `system` is for people, such as 'Debian 12, X11'. */
export const selfDescription = z.object({
  version: z.string().check(z.maxLength(40)),
  system: z.string().check(z.maxLength(100)),
  abilities,
});

/** First event of an agent on every connection. From then on the device counts as connected. */
export const deviceHello = clientEvent({
  name: 'device/hello',
  access: 'device',
  data: selfDescription,
  /** `agentDigest` is the SHA-256 (hex) of the agent file that this server offers; '' if it offers none. */
  answer: z.object({ id: z.int(), name: z.string(), agentDigest: z.string() }),
});

/** Random name that a browser generates once and stores. */
const browserKey = z.string().check(z.regex(/^[\w-]{16,64}$/));

/**
 * Sent on every connection by a page with the messages screen open. It makes the browser a device for messages, which
 * is connected until all such pages have sent `browserBye` or closed. The same `key` is the same device.
 */
export const browserHello = clientEvent({
  name: 'browser/hello',
  access: 'account',
  data: z.object({ key: browserKey }),
  answer: z.object({ id: z.int(), name: z.string() }),
});

/** Sent when the messages screen is left while the connection stays open. */
export const browserBye = clientEvent({ name: 'browser/bye', access: 'account', data: z.object({}) });

/** Names commands that a device is still working on. The server extends their timeout each time. */
export const commandProgress = clientEvent({
  name: 'device/progress',
  access: 'device',
  data: z.object({ ids: z.array(z.string()).check(z.maxLength(100)) }),
});

/** Time of the server in milliseconds since the epoch. An agent asks five times and uses the fastest round trip. */
export const clock = clientEvent({
  name: 'clock',
  access: 'device',
  data: z.object({}),
  answer: z.object({ now: z.number() }),
});

/** Notifies all pages of the account that the state, name or abilities of a device changed. */
export const deviceChanged = serverEvent({
  name: 'devicechanged',
  delivery: 'all',
  data: z.object({ id: z.int(), name: z.string(), state: z.string() }),
});
