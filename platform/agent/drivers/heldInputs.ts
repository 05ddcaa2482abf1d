import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';

/**
 * A held input, as the guardian and the file know it: `k37` is a key with its keycode, `b1` a button with its number.
 */
export type HeldInput = `k${number}` | `b${number}`;

export const isHeldInput = (item: unknown): item is HeldInput => typeof item === 'string' && /^[kb]\d{1,3}$/.test(item);

/** A lent keycode with its keysyms. */
export type LentKeycode = `${number}:${string}`;

/** Nothing is held longer than this: docs/design/reliability.md section 11.2. */
export const MAX_HOLD_MS = 10_000;
const HEARTBEAT_INTERVAL_MS = 250;

/** The user's input method, which the agent has replaced for a moment. */
const replacedInputMethod = z.object({
  /** Address of the bus of IBus. */
  address: z.string(),
  /** Name of the engine. */
  engine: z.string(),
});
export type ReplacedInputMethod = z.output<typeof replacedInputMethod>;

/** Reads what `setInputMethod` sent to the guardian; undefined if nothing is replaced. */
export function parseInputMethod(text: string): ReplacedInputMethod | undefined {
  try {
    return replacedInputMethod.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** State that a killed agent leaves behind. */
const leftoversFile = z.object({
  display: z.string(),
  held: z.array(z.custom<HeldInput>(isHeldInput)),
  scratch: z.array(z.string().check(z.regex(/^\d{1,3}:[\d.]*$/))),
  inputMethod: z.optional(replacedInputMethod),
});
export type Leftovers = z.output<typeof leftoversFile>;

/** Reads the file; undefined if it is missing or was cut short by a crash. */
export function readLeftovers(path: string): Leftovers | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return leftoversFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined; // an incomplete file is useless
  }
}

/** Records everything that is pressed, so that others can release it if this process can't. */
export interface HeldInputs {
  /** Call this before pressing anything. */
  readonly add: (items: readonly HeldInput[]) => void;
  readonly remove: (items: readonly HeldInput[]) => void;
  /**
   * Call this before keycodes get other keysyms, with all keycodes that are lent afterwards and every keysym each may
   * have, such as `93:16777217.233`.
   */
  readonly setLent: (lent: readonly LentKeycode[]) => void;
  /** Call this before the user's input method is replaced, and with undefined when it is back. */
  readonly setInputMethod: (inputMethod: ReplacedInputMethod | undefined) => void;
  readonly list: () => readonly HeldInput[];
  /** Returns the lines from which a new guardian learns the whole state. */
  readonly listGuardianLines: () => readonly string[];
  readonly close: () => void;
}

export interface HeldInputsOptions {
  readonly display: string;
  readonly path: string;
  /** Sends a line to the guardian. */
  readonly sendToGuardian: (line: string) => void;
  /** Releases inputs that were held for too long. If it throws, it is called again. */
  readonly release: (items: readonly HeldInput[]) => void;
}

export function createHeldInputs({ display, path, sendToGuardian, release }: HeldInputsOptions): HeldInputs {
  const held = new Map<HeldInput, number>();
  let scratch: readonly LentKeycode[] = [];
  let inputMethod: ReplacedInputMethod | undefined;
  let heartbeatTimer: NodeJS.Timeout | undefined;
  const formatInputMethod = (): string => `i${inputMethod ? JSON.stringify(inputMethod) : ''}`;

  function save(): void {
    const leftovers = { display, held: [...held.keys()], scratch: [...scratch], inputMethod } satisfies Leftovers;
    try {
      writeFileSync(path, JSON.stringify(leftovers), { mode: 0o600 });
    } catch {
      // A full disk must not keep keys down or end the agent. The guardian knows the same.
    }
  }
  function remove(items: readonly HeldInput[]): void {
    for (const item of items) held.delete(item);
    sendToGuardian(`-${items.join(' ')}`);
    save();
    stopHeartbeatIfUnused();
  }
  function startHeartbeat(): void {
    heartbeatTimer ??= setInterval(checkHeld, HEARTBEAT_INTERVAL_MS);
  }
  function stopHeartbeatIfUnused(): void {
    if (held.size > 0 || inputMethod) return;
    clearInterval(heartbeatTimer);
    heartbeatTimer = undefined;
  }
  function checkHeld(): void {
    sendToGuardian('.');
    const now = performance.now();
    const expired = [...held].flatMap(([item, since]) => (now - since >= MAX_HOLD_MS ? [item] : []));
    if (expired.length === 0) return;
    try {
      release(expired);
    } catch {
      return; // a locked computer accepts no input: the next heartbeat tries again
    }
    remove(expired);
  }

  return {
    add: (items) => {
      sendToGuardian(`+${items.join(' ')}`);
      for (const item of items) held.set(item, performance.now());
      save();
      startHeartbeat();
    },
    remove,
    setInputMethod: (replaced) => {
      inputMethod = replaced;
      sendToGuardian(formatInputMethod());
      save();
      if (replaced) startHeartbeat();
      else stopHeartbeatIfUnused();
    },
    setLent: (lent) => {
      scratch = lent;
      sendToGuardian(`s${lent.join(' ')}`);
      save();
    },
    list: () => [...held.keys()],
    listGuardianLines: () => [`+${[...held.keys()].join(' ')}`, `s${scratch.join(' ')}`, formatInputMethod()],
    close: () => clearInterval(heartbeatTimer),
  };
}
