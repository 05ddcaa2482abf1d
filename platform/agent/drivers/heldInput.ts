import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** What is pressed, as the guardian and the file know it: `k37` is a key by its keycode, `b1` a button by its number. */
export type HeldInput = `k${number}` | `b${number}`;

/** A lent keycode with the keysyms that it has been given. */
export type LentKeycode = `${number}:${string}`;

/** Nothing is held longer, whatever comes (reliability.md section 8). */
export const MAX_HOLD_MS = 10_000;
const HEARTBEAT_INTERVAL_MS = 500;

/** What an agent leaves behind that had no time to clean up. */
const holdingFile = z.object({
  display: z.string(),
  held: z.array(z.string().check(z.regex(/^[kb]\d{1,3}$/))),
  scratch: z.array(z.string().check(z.regex(/^\d{1,3}:[\d.]*$/))),
});
export type Leftovers = z.output<typeof holdingFile>;

/** The file's content; nothing where there is none, or one that a crash cut short. */
export function readLeftovers(path: string): Leftovers | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return holdingFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined; // half a file holds nothing to go by
  }
}

/** Keeps account of all that is pressed, so that others can let it go if this process cannot. */
export interface HeldInputs {
  /** Told before anything is pressed. */
  readonly add: (things: readonly HeldInput[]) => void;
  readonly remove: (things: readonly HeldInput[]) => void;
  /** Told before keycodes are given another meaning: all that have one by then, as `93:16777217.233`, with every keysym they may have. */
  readonly setLent: (lent: readonly LentKeycode[]) => void;
  readonly list: () => readonly HeldInput[];
  readonly close: () => void;
}

export interface HeldInputsOptions {
  readonly display: string;
  readonly path: string;
  /** A line to the guardian. */
  readonly sendToGuardian: (line: string) => void;
  /** Lets go of these: they were held too long. */
  readonly release: (things: readonly HeldInput[]) => void;
}

export function createHeldInputs({ display, path, sendToGuardian, release }: HeldInputsOptions): HeldInputs {
  const held = new Map<HeldInput, number>();
  let scratch: readonly string[] = [];
  let watching: NodeJS.Timeout | undefined;

  const save = (): void =>
    writeFileSync(
      path,
      JSON.stringify({ display, held: [...held.keys()], scratch: [...scratch] } satisfies Leftovers),
      {
        mode: 0o600,
      },
    );
  const drop = (things: readonly HeldInput[]): void => {
    for (const thing of things) held.delete(thing);
    sendToGuardian(`-${things.join(' ')}`);
    save();
    if (held.size > 0) return;
    clearInterval(watching);
    watching = undefined;
  };
  const watch = (): void => {
    sendToGuardian('.');
    const now = performance.now();
    const tooLong = [...held].flatMap(([thing, since]) => (now - since >= MAX_HOLD_MS ? [thing] : []));
    if (tooLong.length === 0) return;
    release(tooLong);
    drop(tooLong);
  };

  return {
    add: (things) => {
      sendToGuardian(`+${things.join(' ')}`);
      for (const thing of things) held.set(thing, performance.now());
      save();
      watching ??= setInterval(watch, HEARTBEAT_INTERVAL_MS);
    },
    remove: drop,
    setLent: (lent) => {
      scratch = lent;
      sendToGuardian(`s${lent.join(' ')}`);
      save();
    },
    list: () => [...held.keys()],
    close: () => clearInterval(watching),
  };
}
