import { writeSync } from 'node:fs';
import type { HeldInput } from '../heldInputs.ts';
import type { WaylandConnection, WaylandObject } from '../wayland/connection.ts';
import { BUTTON_BY_NUMBER, BUTTONS } from '../wayland/pointer.ts';
import { interfaces, parseMessage } from '../wayland/protocol.ts';
import { encodeRequest } from '../wayland/wire.ts';

/** The first version that types keysyms, and so any character (Plasma 6.7). */
const KEYSYM_VERSION = 6;

/** A keyboard and mouse of our own. KWin 6 releases what they hold when the connection ends. */
export interface FakeInput {
  readonly objectId: number;
  readonly send: WaylandObject<'org_kde_kwin_fake_input'>['send'];
  /** Whether any character can be typed by its keysym. */
  readonly canTypeKeysyms: boolean;
}

/** Opens KWin's interface for input; undefined if KWin doesn't offer it to this program. */
export function openFakeInput(connection: WaylandConnection): FakeInput | undefined {
  const input = connection.bind('org_kde_kwin_fake_input', KEYSYM_VERSION);
  if (!input) return undefined;
  input.send('authenticate', 'Pegboard', 'Types and clicks for your own Pegboard');
  return {
    objectId: input.id,
    send: input.send,
    canTypeKeysyms: connection.getVersion('org_kde_kwin_fake_input') >= KEYSYM_VERSION,
  };
}

/** Returns the request for a held input, and its code in the kernel. */
export function toFakeInput(item: HeldInput): { readonly request: 'keyboard_key' | 'button'; readonly code: number } {
  const number = Number(item.slice(1));
  if (item.startsWith('k')) return { request: 'keyboard_key', code: number };
  return { request: 'button', code: BUTTONS[BUTTON_BY_NUMBER[number - 1] ?? 'left'] };
}

/**
 * The agent's connection to KWin, which its guardian shares. KWin 5.27 doesn't release the keys of a connection that
 * ends, and needs seconds to accept another one.
 */
export interface GuardedFakeInput {
  readonly descriptor: number;
  /** Id of `org_kde_kwin_fake_input` in that connection. */
  readonly objectId: number;
}

/** Encodes the request that releases a key or a button. */
function encodeRelease(objectId: number, item: HeldInput): Buffer {
  const { request, code } = toFakeInput(item);
  const { requests } = interfaces.org_kde_kwin_fake_input;
  const opcode = requests.findIndex((message) => message.startsWith(`${request}:`));
  return encodeRequest(objectId, opcode, parseMessage(requests[opcode] ?? ''), [code, 0]).data;
}

/** Releases the inputs that an agent held when it ended. */
export function releaseFakeInput({ descriptor, objectId }: GuardedFakeInput, held: Iterable<HeldInput>): void {
  try {
    for (const item of held) writeSync(descriptor, encodeRelease(objectId, item));
  } catch {
    // KWin has ended: no key is down.
  }
}
