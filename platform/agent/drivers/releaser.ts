// How a guardian releases what an agent held, on each kind of desktop.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { readLeftovers, type HeldInput } from './heldInputs.ts';
import { releaseFakeInput, type GuardedFakeInput } from './kde/fakeInput.ts';
import { createMacReleaser } from './mac/releaser.ts';
import { releaseHeldInputs } from './windows/keyInjector.ts';
import { DisplayLostError, openDisplay, type Display } from './x11/display.ts';
import { sendHeldInput, readKeyboard } from './x11/keyboardLayout.ts';
import { clearLeftovers, MIN_REUSE_DELAY_MS } from './x11/scratchKeys.ts';
import { openXkb } from './x11/xkb.ts';

/** Events of the dead agent may reach the X server after the first release, so the keyboard is checked again. */
const RECHECK_COUNT = 4;
const RECHECK_INTERVAL_MS = 50;
const UNLOCK_CHECK_INTERVAL_MS = 1000;
/** For a minute: a locked computer may look like another failure. */
const RELEASE_ATTEMPTS = 60;

/** An agent whose keys the desktop releases when its process ends. */
export interface GuardedProcess {
  readonly pid: number;
  /** Only for desktops that don't release the keys: KWin before version 6. */
  readonly fakeInput?: GuardedFakeInput | undefined;
  /** The socket of a compositor that doesn't release everything: those on wlroots. */
  readonly waylandSocket?: string | undefined;
}

/**
 * What a guardian watches: an X display, a process, the desktop of macOS, or that of Windows with the file of held
 * inputs.
 */
export type Guarded = { readonly display: string } | GuardedProcess | { readonly heldPath: string } | 'mac';

/** Releases what an agent held, in the process of its guardian. */
interface Releaser {
  /** Lists held inputs that the agent may not have reported yet. */
  readonly listUnreported?: () => readonly HeldInput[];
  /** Releases what an agent that hangs holds. */
  readonly release: (items: readonly HeldInput[]) => Promise<void>;
  /** Releases what an agent that has ended left behind. */
  readonly cleanUp: (held: ReadonlySet<HeldInput>, scratch: readonly string[]) => Promise<void>;
}

async function releaseOn(display: Display, items: Iterable<HeldInput>): Promise<void> {
  for (const item of items) sendHeldInput(display, item, false);
  await display.sync();
}

function createXReleaser(displayName: string): Releaser {
  const opening = openDisplay(displayName);
  opening.catch(() => undefined); // awaited again below, where the error can be handled
  async function cleanUp(held: ReadonlySet<HeldInput>, scratch: readonly string[]): Promise<void> {
    const display = await opening;
    await releaseOn(display, held);
    const recheckCount = held.size > 0 ? RECHECK_COUNT : 0;
    for (let round = 0; round < recheckCount; round++) {
      await sleep(RECHECK_INTERVAL_MS);
      const { down } = await readKeyboard(display);
      await releaseOn(
        display,
        [...held].filter((item) => item.startsWith('b') || down.includes(Number(item.slice(1)))),
      );
    }
    if (scratch.length > 0) {
      await sleep(MIN_REUSE_DELAY_MS);
      await clearLeftovers(display, await openXkb(display), scratch);
      await display.sync();
    }
    await display[Symbol.asyncDispose]();
  }
  return {
    release: async (items) => releaseOn(await opening, items),
    cleanUp: async (held, scratch) => {
      try {
        await cleanUp(held, scratch);
      } catch (error) {
        if (!(error instanceof DisplayLostError)) throw error;
        // No key can be down on a display that no longer exists.
      }
    },
  };
}

/** Nothing but the end of the process releases its keys. */
function createProcessReleaser({ pid, fakeInput, waylandSocket }: GuardedProcess): Releaser {
  // Loaded now, as it takes longest on a busy computer, where agents hang.
  const importing = waylandSocket === undefined ? undefined : import('./wayland/releaser.ts');
  async function cleanUp(held: Iterable<HeldInput>): Promise<void> {
    if (fakeInput) releaseFakeInput(fakeInput, held);
    if (!importing || waylandSocket === undefined) return;
    const { releaseVirtualInputs } = await importing;
    await releaseVirtualInputs(waylandSocket, held).catch(() => undefined); // the compositor has ended
  }
  return {
    release: async (items) => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
      await cleanUp(items);
    },
    cleanUp,
  };
}

/** macOS takes the events of a process that has ended, so nothing arrives after the release. */
function createMacSeatReleaser(): Releaser {
  const release = createMacReleaser();
  return { release: async (items) => release(items), cleanUp: async (held) => release([...held]) };
}

/** Releases held inputs on Windows, as soon as the computer is not locked. Other failures may not end. */
async function releaseWhenUnlocked(items: ReadonlySet<HeldInput>): Promise<void> {
  for (let failureCount = 0; failureCount < RELEASE_ATTEMPTS;) {
    try {
      return releaseHeldInputs(items);
    } catch (error) {
      const isLocked = error instanceof Refusal && error.code === 'device.locked';
      if (!isLocked) failureCount += 1;
      await sleep(UNLOCK_CHECK_INTERVAL_MS);
    }
  }
}

/**
 * Node writes to a pipe of Windows only when the agent waits for something, but to the file before each press. Windows
 * takes the events of a process that has ended, so nothing arrives after the release.
 */
const createWindowsReleaser = (heldPath: string): Releaser => ({
  listUnreported: () => readLeftovers(heldPath)?.held ?? [],
  release: async (items) => releaseHeldInputs(items),
  cleanUp: releaseWhenUnlocked,
});

/** Returns how to release what an agent held on its desktop. */
export function createReleaser(guarded: Guarded): Releaser {
  if (guarded === 'mac') return createMacSeatReleaser();
  if ('heldPath' in guarded) return createWindowsReleaser(guarded.heldPath);
  return 'pid' in guarded ? createProcessReleaser(guarded) : createXReleaser(guarded.display);
}
