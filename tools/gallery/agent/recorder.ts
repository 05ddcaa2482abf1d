import { statfsSync } from 'node:fs';
import { AGENT_PAUSED_MESSAGE } from '#platform/agent/commandQueue.ts';
import type { ScreenRecording } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Region } from '../domain/captureHotkey.ts';
import type { CaptureSpool } from './captureSpool.ts';

/** Must be shorter than the five seconds that a page waits for its computer; a terminal waits ten. */
const STOP_TIMEOUT_MS = 4000;
const MIN_FREE_BYTES = 1024 ** 3;
const SWITCHED_OFF_MESSAGE = 'Turned off on that computer. Start its agent with --allow-capture';
const LOW_DISK_SPACE_MESSAGE = 'That computer is too low on disk space to record. Free some space there';

export interface Recorder {
  readonly isRecording: () => boolean;
  /** Returns the start of the running recording, in milliseconds since the epoch. */
  readonly getStart: () => number | undefined;
  /**
   * Starts a recording.
   * @throws Refusal
   */
  readonly start: (region: Region | undefined, by: string) => Promise<void>;
  /**
   * Stops the recording. Returns whether it is complete; a busy computer writes its end later.
   * @throws Refusal if nothing is being recorded.
   */
  readonly stop: () => Promise<boolean>;
  /** Stops the recording and waits for its end; does nothing if nothing is being recorded. */
  readonly end: () => Promise<void>;
}

interface RecorderOptions {
  readonly context: AgentContext;
  readonly spool: CaptureSpool;
  readonly now: () => Date;
  /** Called when a recording has started or ended. */
  readonly onChange: () => void;
  /** Called when a recording can be sent. */
  readonly onRecorded: () => void;
  /** How long `stop` waits for the end. */
  readonly stopTimeoutMs?: number;
}

/**
 * Makes one recording of this screen at a time, into the spool. The person at the computer is notified about start and
 * end.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { context, spool, now, onChange, onRecorded, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
  const { drivers, allowed, print } = context;
  let running:
    | { readonly recording: ScreenRecording; readonly whenOver: Promise<void>; readonly start: number }
    | undefined;
  let starting: Promise<void> | undefined;

  function notify(line: string): void {
    print(line);
    if (!allowed.notifications || !drivers.notifications.ability.able) return;
    drivers.notifications
      .show('Pegboard', line)
      .catch((error: unknown) =>
        print(`Could not show a notification: ${error instanceof Error ? error.message : 'unknown error'}`),
      );
  }
  function assertAvailable(): void {
    if (!allowed.capture) throw new Refusal('device.feature_off', SWITCHED_OFF_MESSAGE);
    if (context.isPaused()) throw new Refusal('agent.paused', AGENT_PAUSED_MESSAGE);
    const { ability } = drivers.capture;
    if (!ability.able) throw new Refusal('capture.unsupported', ability.reason);
    if (running || starting)
      throw new Refusal('gallery.already_recording', 'The screen of that computer is already being recorded');
    const { bavail, bsize } = statfsSync(context.stateDir);
    if (bavail * bsize < MIN_FREE_BYTES) throw new Refusal('capture.disk_low', LOW_DISK_SPACE_MESSAGE);
  }
  async function handleEnd(recording: ScreenRecording, name: string): Promise<void> {
    const reason = await recording.whenEnded;
    running = undefined;
    const hasRecording = spool.finish(name);
    notify(
      reason === undefined
        ? 'The recording of this screen has stopped'
        : `The recording of this screen stopped: ${reason}`,
    );
    onChange();
    if (hasRecording) onRecorded();
  }
  async function startRecording(region: Region | undefined, by: string): Promise<void> {
    const startedAt = now();
    const { name, part } = spool.reserve(startedAt);
    const recording = await drivers.capture.start(part, region).catch((error: unknown) => {
      spool.finish(name);
      throw error;
    });
    running = { recording, whenOver: handleEnd(recording, name), start: startedAt.getTime() };
    notify(`This screen is being recorded${by === '' ? '' : `, by ${by}`}`);
    onChange();
  }
  async function end(): Promise<void> {
    await starting?.catch(() => undefined);
    const current = running;
    if (!current) return;
    await current.recording.stop();
    await current.whenOver;
  }
  return {
    isRecording: () => running !== undefined,
    getStart: () => running?.start,
    start: async (region, by) => {
      assertAvailable();
      starting = startRecording(region, by).finally(() => {
        starting = undefined;
      });
      await starting;
    },
    stop: async () => {
      if (!running && !starting)
        throw new Refusal('gallery.not_recording', 'The screen of that computer is not being recorded');
      const timeout = Promise.withResolvers<boolean>();
      const timer = setTimeout(timeout.resolve, stopTimeoutMs, false);
      const hasEnded = await Promise.race([end().then(() => true), timeout.promise]);
      clearTimeout(timer);
      return hasEnded;
    },
    end,
  };
}
