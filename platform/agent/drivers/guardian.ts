import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { HeldInput } from './heldInput.ts';
import { DisplayLostError, openDisplay, type Display } from './x11/display.ts';
import { sendHeldInput, readKeyboard } from './x11/keyboardLayout.ts';
import { clearLeftovers, MIN_REUSE_DELAY_MS } from './x11/scratchKeys.ts';
import { openXkb } from './x11/xkb.ts';

/** An agent that holds something and says nothing for so long hangs. */
const HEARTBEAT_TIMEOUT_MS = 2000;
const CHECK_INTERVAL_MS = 100;
/** What the dead agent had sent may reach the X server after our first release, so it is looked at again. */
const RECHECK_COUNT = 4;
const RECHECK_INTERVAL_MS = 50;

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const parseHeld = (words: string): readonly HeldInput[] =>
  words.split(' ').filter((word): word is HeldInput => /^[kb]\d{1,3}$/.test(word));

const cleanUp = async (display: Display, held: ReadonlySet<HeldInput>, scratch: readonly string[]): Promise<void> => {
  const release = async (things: Iterable<HeldInput>): Promise<void> => {
    for (const thing of things) sendHeldInput(display, thing, false);
    await display.sync();
  };
  await release(held);
  const looks = held.size > 0 ? RECHECK_COUNT : 0;
  for (let round = 0; round < looks; round++) {
    await sleep(RECHECK_INTERVAL_MS);
    const { down } = await readKeyboard(display);
    await release([...held].filter((thing) => thing.startsWith('b') || down.includes(Number(thing.slice(1)))));
  }
  if (scratch.length > 0) {
    await sleep(MIN_REUSE_DELAY_MS);
    await clearLeftovers(display, await openXkb(display), scratch);
    await display.sync();
  }
  await display[Symbol.asyncDispose]();
};

/**
 * The guardian: a process of its own that is told of every press before it happens, and lets everything go when the agent ends
 * (its end of the pipe closes, kill -9 included) or hangs. Settles when it has nothing more to guard.
 */
export async function runGuardian(displayName: string, input: Readable): Promise<void> {
  // It ends with the agent and never before it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const opening = openDisplay(displayName);
  opening.catch(() => undefined); // asked for again below, where it can be told
  const held = new Set<HeldInput>();
  let scratch: readonly string[] = [];
  let heardAt = performance.now();

  const release = async (things: Iterable<HeldInput>): Promise<void> => {
    const display = await opening;
    for (const thing of things) sendHeldInput(display, thing, false);
  };
  const hear = (line: string): void => {
    heardAt = performance.now();
    const words = line.slice(1);
    for (const thing of parseHeld(words)) {
      if (line.startsWith('+')) held.add(thing);
      else held.delete(thing);
    }
    if (line.startsWith('s')) scratch = words.split(' ').filter(Boolean);
  };
  const isSilent = (): boolean => held.size > 0 && performance.now() - heardAt >= HEARTBEAT_TIMEOUT_MS;
  const letGo = (): void => {
    if (!isSilent()) return;
    const things = [...held];
    held.clear();
    release(things).catch(() => undefined); // without a display nothing is down
  };
  let second: NodeJS.Immediate | undefined;
  const look = setInterval(() => {
    // What the agent said while this process itself stood still is read first.
    if (isSilent()) second = setImmediate(letGo);
  }, CHECK_INTERVAL_MS);

  for await (const line of createInterface({ input })) hear(line);

  clearInterval(look);
  clearImmediate(second);
  try {
    await cleanUp(await opening, held, scratch);
  } catch (error) {
    if (!(error instanceof DisplayLostError)) throw error;
    // Keys cannot be down on a display that is no more.
  }
}

/** How to start the guardian: the agent's own file with `--guardian`, as a rule. */
export interface GuardianCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Told the number of each guardian's process. */
  readonly onStart?: (pid: number) => void;
}

export interface Guardian {
  readonly send: (line: string) => void;
  /** Closes the pipe: the guardian lets go of what it knows to be held, and ends. */
  readonly close: () => void;
}

/** Starts the guardian, and another one should it be killed. `retell` gives the lines that a new one has to know. */
export function startGuardian(command: GuardianCommand, display: string, retell: () => readonly string[]): Guardian {
  let isClosed = false;
  let child: ChildProcess;

  const tell = (line: string): void => void child.stdin?.write(`${line}\n`);
  const start = (): void => {
    child = spawn(command.program, [...command.args], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
      env: { ...process.env, DISPLAY: display },
    });
    // A guardian that died takes no more lines; its `exit` follows, and the next one is told everything.
    child.stdin?.on('error', () => undefined);
    child.on('error', () => undefined);
    child.unref();
    if (child.pid !== undefined) command.onStart?.(child.pid);
    child.once('exit', () => {
      if (isClosed) return;
      setTimeout(() => {
        if (isClosed) return;
        start();
        for (const line of retell()) tell(line);
      }, 100).unref();
    });
  };
  start();
  return {
    send: tell,
    close: () => {
      isClosed = true;
      child.stdin?.end();
    },
  };
}
