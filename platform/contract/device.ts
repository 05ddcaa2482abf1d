import * as z from 'zod/mini';
import { clientEvent, serverEvent } from './event.ts';

/** Connection of a device; Reconnecting is lost for under 15 s (contract.md section 4). */
export type DeviceState = 'Connected' | 'Disconnected' | 'Reconnecting';
export const RECONNECT_TIMEOUT_MS = 15_000;

/** What a computer may be asked to do. Its owner decides with the agent's flags; the machine decides what it can. */
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

/** `reason` says in a sentence why not, where `able` is false. */
export const ability = z.object({ able: z.boolean(), reason: z.optional(z.string().check(z.maxLength(300))) });
export const abilities = z.partialRecord(z.enum(ABILITY_NAMES), ability);
export type Abilities = z.output<typeof abilities>;

/** What an agent says of itself: `system` as people read it ('Debian 12, X11'). */
export const selfDescription = z.object({
  version: z.string().check(z.maxLength(40)),
  system: z.string().check(z.maxLength(100)),
  abilities,
});

/** The first event of an agent on every connection; the server counts it as connected from then on. */
export const deviceHello = clientEvent({
  name: 'device/hello',
  access: 'device',
  data: selfDescription,
  /** `agentDigest` is the SHA-256 (hex) of the agent file that this server serves; '' where it serves none. */
  answer: z.object({ id: z.int(), name: z.string(), agentDigest: z.string() }),
});

/** A browser's own name for itself, made up once and kept there. */
const browserKey = z.string().check(z.regex(/^[\w-]{16,64}$/));

/**
 * A page with the messages screen open, on every connection: its browser is a device of the account, for messages only, and counts as
 * connected until all such pages have said `browserBye` or are gone. The same `key` is the same device.
 */
export const browserHello = clientEvent({
  name: 'browser/hello',
  access: 'account',
  data: z.object({ key: browserKey }),
  answer: z.object({ id: z.int(), name: z.string() }),
});

/** The messages screen was left, while the connection goes on. */
export const browserBye = clientEvent({
  name: 'browser/bye',
  access: 'account',
  data: z.object({}),
  answer: z.object({}),
});

/** Commands that a device has taken and is still at: the server waits for their answers as long as this is said again and again. */
export const commandProgress = clientEvent({
  name: 'device/progress',
  access: 'device',
  data: z.object({ ids: z.array(z.string()).check(z.maxLength(100)) }),
  answer: z.object({}),
});

/** The server's clock in milliseconds since the epoch; an agent asks five times and takes the smallest round trip. */
export const clock = clientEvent({
  name: 'clock',
  access: 'device',
  data: z.object({}),
  answer: z.object({ now: z.number() }),
});

/** To all pages of the account: a device's state, name or abilities changed; ask `checkdevices` again or take it from here. */
export const deviceChanged = serverEvent({
  name: 'devicechanged',
  delivery: 'all',
  data: z.object({ id: z.int(), name: z.string(), state: z.string() }),
});
