import { statfsSync } from 'node:fs';
import { AGENT_PAUSED_MESSAGE } from '#platform/agent/commandQueue.ts';
import type { ScreenRecording } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Region } from '../domain/captureHotkey.ts';
import type { CaptureSpool } from './captureSpool.ts';

/** A page waits five seconds for its computer, a terminal ten. */
const START_TIMEOUT_MS = 4000;
const MIN_FREE_BYTES = 1024 ** 3;
const SWITCHED_OFF = 'Switched off on that computer; its agent needs --allow-capture';
const NO_ROOM = 'That computer has less than 1 GiB of disk left, so it records nothing';

export interface Recorder {
  readonly isRecording: () => boolean;
  /** Since when, in milliseconds since the epoch. */
  readonly since: () => number | undefined;
  /** @throws Refusal */
  readonly start: (region: Region | undefined, by: string) => Promise<void>;
  /** Gives whether its end is written already; a busy computer goes on with that by itself. @throws Refusal where nothing is recorded. */
  readonly stop: () => Promise<boolean>;
  /** Waits for the end, and says nothing where nothing is recorded. */
  readonly end: () => Promise<void>;
}

interface RecorderOptions {
  readonly ground: AgentContext;
  readonly spool: CaptureSpool;
  readonly now: () => Date;
  /** It began or ended. */
  readonly changed: () => void;
  /** There is something to send. */
  readonly recorded: () => void;
  /** So long whoever asks for the end waits for it. */
  readonly patienceMs?: number;
}

/** One recording of this screen at a time, into the spool. The person at the computer is told of its beginning and its end. */
export function createRecorder({
  ground,
  spool,
  now,
  changed,
  recorded,
  patienceMs = START_TIMEOUT_MS,
}: RecorderOptions): Recorder {
  const { drivers, allowed, print } = ground;
  let running:
    | { readonly recording: ScreenRecording; readonly over: Promise<void>; readonly since: number }
    | undefined;
  let starting: Promise<void> | undefined;

  const tell = (line: string): void => {
    print(line);
    if (!allowed.notifications || !drivers.notifications.ability.able) return;
    drivers.notifications
      .show('Pegboard', line)
      .catch((error: unknown) =>
        print(`A notification failed: ${error instanceof Error ? error.message : 'no reason'}`),
      );
  };
  const check = (): void => {
    if (!allowed.capture) throw new Refusal(SWITCHED_OFF);
    if (ground.isPaused()) throw new Refusal(AGENT_PAUSED_MESSAGE);
    const { ability } = drivers.capture;
    if (!ability.able) throw new Refusal(ability.reason);
    if (running || starting) throw new Refusal('The screen of that computer is being recorded already');
    const { bavail, bsize } = statfsSync(ground.stateDir);
    if (bavail * bsize < MIN_FREE_BYTES) throw new Refusal(NO_ROOM);
  };
  const whenEnded = async (recording: ScreenRecording, name: string): Promise<void> => {
    const why = await recording.whenEnded;
    running = undefined;
    const isThere = spool.finish(name);
    tell(why === undefined ? 'The recording of this screen has ended' : `The recording of this screen ended: ${why}`);
    changed();
    if (isThere) recorded();
  };
  const begin = async (region: Region | undefined, by: string): Promise<void> => {
    const began = now();
    const { name, part } = spool.place(began);
    const recording = await drivers.capture.start(part, region).catch((error: unknown) => {
      spool.finish(name);
      throw error;
    });
    running = { recording, over: whenEnded(recording, name), since: began.getTime() };
    tell(`This screen is being recorded${by === '' ? '' : `, by ${by}`}`);
    changed();
  };
  const end = async (): Promise<void> => {
    await starting?.catch(() => undefined);
    const ending = running;
    if (!ending) return;
    await ending.recording.stop();
    await ending.over;
  };
  return {
    isRecording: () => running !== undefined,
    since: () => running?.since,
    start: async (region, by) => {
      check();
      starting = begin(region, by).finally(() => {
        starting = undefined;
      });
      await starting;
    },
    stop: async () => {
      if (!running && !starting) throw new Refusal('The screen of that computer is not being recorded');
      const patience = Promise.withResolvers<boolean>();
      const late = setTimeout(patience.resolve, patienceMs, false);
      const isOver = await Promise.race([end().then(() => true), patience.promise]);
      clearTimeout(late);
      return isOver;
    },
    end,
  };
}
