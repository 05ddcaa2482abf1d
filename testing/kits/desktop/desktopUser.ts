import { spawn, type ChildProcess } from 'node:child_process';
import { openXWindows } from '#platform/agent/drivers/x11/windows.ts';
import { waitFor, type TestDesktop } from './desktop.ts';

const MOVE_INTERVAL_MS = 200;

/** A user at a desktop, who opens programs, brings them to the front, and moves the mouse or not. */
export interface DesktopUser extends AsyncDisposable {
  /** Opens a program, and waits until its window has the focus. */
  readonly open: (
    application: string,
    program: string,
    words: readonly string[],
    env?: NodeJS.ProcessEnv,
  ) => Promise<void>;
  readonly focus: (application: string) => Promise<void>;
  /** Moves the mouse from now on. */
  readonly startMoving: () => void;
  /** Touches nothing from now on. */
  readonly stopMoving: () => void;
}

export async function startDesktopUser(desk: TestDesktop): Promise<DesktopUser> {
  const windows = await openXWindows(desk.name);
  const programs: ChildProcess[] = [];
  const { display } = desk;
  let hand: NodeJS.Timeout | undefined;
  let turn = 1;

  function touch(): void {
    turn = -turn;
    display.fakeMove(turn, turn);
  }
  /** Requested at each poll: the window manager may focus another window that opens in the meantime. */
  async function bringToFront(application: string): Promise<void> {
    await waitFor(`${application} is in front`, async () => {
      if (windows.getActive()?.application === application) return true;
      const targetWindow = windows.listOpen().find((openWindow) => openWindow.application === application);
      if (targetWindow) await desk.activate(targetWindow.id);
      return false;
    }).catch((cause: unknown) => {
      throw new Error(`${windows.getActive()?.application} is in front`, { cause });
    });
  }
  return {
    open: async (application, program, words, env = desk.env) => {
      programs.push(spawn(program, [...words], { env, stdio: 'ignore', detached: true }));
      await bringToFront(application);
    },
    focus: async (application) => {
      if (windows.listOpen().every((openWindow) => openWindow.application !== application))
        throw new Error(`${application} is not open`);
      await bringToFront(application);
    },
    startMoving: () => {
      touch();
      hand ??= setInterval(touch, MOVE_INTERVAL_MS);
    },
    stopMoving: () => {
      clearInterval(hand);
      hand = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(hand);
      for (const { pid, exitCode, signalCode } of programs)
        if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
      await windows[Symbol.asyncDispose]();
    },
  };
}
