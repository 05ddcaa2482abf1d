import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentContext, StartedAgentTool } from '#platform/agent/tool.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { type Hint, readHint, type InUse, replaceInUse, type WatcherState } from '../../usage/domain/activityWatch.ts';
import { writeOwn } from '../agentFiles.ts';
import { createAnswers } from './apiResponses.ts';
import { createBuckets, type Event } from './buckets.ts';
import { openLocalApi, type LocalApiServer } from './localApi.ts';

/** Tolerance for heartbeats of watchers, which arrive a little late. */
const GRACE_MS = 10_000;
const MAX_PULSE_MS = 10 * MINUTE_MS;
/** Max watchers whose newest event is remembered. */
const WATCHERS_LIMIT = 100;

/** Reports of watchers about the present. */
export interface Hints {
  /** Adds an event. It stays valid for `pulseMs` after its end, unless another one arrives. */
  readonly add: (bucket: string, event: Event, pulseMs: number) => void;
  /** Returns what counts in place of the application in use. */
  readonly instead: (inUse: InUse) => InUse;
  /** Calls a listener when another page or file is shown. */
  readonly onChange: (then: () => void) => void;
  readonly clear: () => void;
}

interface WatcherHint extends WatcherState {
  readonly until: number;
}

const isSame = (one: Hint | undefined, other: Hint | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * Creates an empty set of hints.
 * @param now milliseconds since the epoch
 */
export function createHints(now: () => number): Hints {
  /** Newest first. */
  let reports: readonly WatcherHint[] = [];
  const listeners: (() => void)[] = [];
  const notifyChanged = (): void => {
    for (const then of listeners) then();
  };
  const listValid = (): readonly WatcherHint[] => {
    const at = now();
    return reports.filter(({ until }) => until > at);
  };

  return {
    add: (bucket, { timestamp, duration, data }, pulseMs) => {
      const at = now();
      const until = timestamp + duration + Math.min(pulseMs, MAX_PULSE_MS) + GRACE_MS;
      // Events about the past or the future say nothing about the present.
      if (until <= at || timestamp > at + GRACE_MS) return;
      const hint = readHint(data);
      const before = listValid().find((report) => report.bucket === bucket)?.hint;
      const others = listValid().filter((report) => report.bucket !== bucket);
      const validUntil = Math.min(until, at + MAX_PULSE_MS + GRACE_MS);
      reports = hint ? [{ bucket, hint, until: validUntil }, ...others].slice(0, WATCHERS_LIMIT) : others;
      if (!isSame(before, hint)) notifyChanged();
    },
    instead: (inUse) => replaceInUse(inUse, listValid()),
    onChange: (then) => void listeners.push(then),
    clear: () => {
      reports = [];
      notifyChanged();
    },
  };
}

/** The owner's settings for the local ActivityWatch API. */
const settingSchema = z.object({ isOn: z.boolean(), origins: z.array(z.string()) });
export type ActivityWatchSetting = z.output<typeof settingSchema>;

const OFF: ActivityWatchSetting = { isOn: false, origins: [] };
const EXTENSION = /^(?:chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const EXTENSIONS_LIMIT = 20;

const FILE = 'activitywatch.json';

export function loadSetting(folder: string): ActivityWatchSetting {
  try {
    return settingSchema.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8')));
  } catch {
    return OFF; // the file is missing or invalid, so the API stays off
  }
}

const save = (folder: string, next: ActivityWatchSetting): ActivityWatchSetting => {
  writeOwn(folder, FILE, next);
  return next;
};

/**
 * Runs `activitywatch on` or `off`. `on` takes the allowed browser extensions; `off` revokes them all.
 * @throws Refusal for invalid arguments
 */
export function changeSetting(folder: string, [word, ...origins]: readonly string[]): ActivityWatchSetting {
  if (word === 'off' && origins.length === 0) return save(folder, OFF);
  if (word !== 'on') throw new Refusal('agent.invalid_command', 'Use `activitywatch on` or `activitywatch off`');
  const current = loadSetting(folder);
  const requestedOrigins = origins.map((origin) => origin.toLowerCase().replace(/\/$/, ''));
  const invalidOrigin = requestedOrigins.find((origin) => !EXTENSION.test(origin));
  if (invalidOrigin !== undefined)
    throw new Refusal(
      'screentime.aw_invalid_origin',
      `'${invalidOrigin.slice(0, 80)}' is not a browser extension. Enter one like chrome-extension://… or moz-extension://…`,
    );
  const all = [...new Set([...current.origins, ...requestedOrigins])];
  if (all.length > EXTENSIONS_LIMIT)
    throw new Refusal(
      'screentime.aw_too_many_extensions',
      `At most ${EXTENSIONS_LIMIT} browser extensions can be allowed`,
    );
  return save(folder, { isOn: true, origins: all });
}

/** Port of the real ActivityWatch, which its watchers use. */
const PORT = 5600;
/** A port that is in use may become free later. */
const RETRY_INTERVAL_MS = 30_000;

export interface ActivityWatchOptions {
  readonly port?: number;
  readonly tryAgainMs?: number;
}

export interface ActivityWatch extends StartedAgentTool {
  /** Pages and files that watchers report. */
  readonly hints: Pick<Hints, 'instead' | 'onChange'>;
  /** Port of the API; undefined while it is off. */
  readonly port: () => number | undefined;
}

/**
 * Runs `activitywatch on` while no agent runs; it takes effect at the next start.
 * @throws Refusal for invalid arguments
 */
export function setActivityWatch(folder: string, rest: readonly string[]): readonly string[] {
  return [
    changeSetting(folder, rest).isOn
      ? 'ActivityWatch watchers can connect when the agent is running'
      : "ActivityWatch watchers can't connect",
  ];
}

const formatCount = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/**
 * Starts a replacement of the local ActivityWatch server, for its browser and editor watchers. It is off until the
 * owner turns it on.
 */
export function startActivityWatch(
  { allowed, stateDir, print }: Pick<AgentContext, 'allowed' | 'stateDir' | 'print'>,
  { port = PORT, tryAgainMs = RETRY_INTERVAL_MS }: ActivityWatchOptions = {},
): ActivityWatch {
  const buckets = createBuckets(Date.now);
  const hints = createHints(Date.now);
  const answer = createAnswers({ buckets, hostname: hostname(), onEvent: hints.add });
  let setting: ActivityWatchSetting = loadSetting(stateDir);
  let door: LocalApiServer | undefined;
  let problem = '';
  let retryTimer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const enqueue = createSerialQueue();

  const shut = async (): Promise<void> => {
    clearTimeout(retryTimer);
    await door?.[Symbol.asyncDispose]();
    door = undefined;
  };
  const open = async (): Promise<void> => {
    if (isStopped || !setting.isOn || !allowed.usage) return;
    try {
      door = await openLocalApi({ port, origins: setting.origins, answer });
      problem = '';
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const reason = isTaken
        ? `port ${port} is already in use. Stop ActivityWatch if it is running`
        : `port ${port} cannot be opened: ${String(error)}`;
      if (reason !== problem) print(`ActivityWatch watchers can't connect: ${reason}`);
      problem = reason;
      retryTimer = setTimeout(() => void enqueue(open), tryAgainMs);
    }
  };
  void enqueue(open);

  const state = (): string => {
    if (!setting.isOn) return 'off';
    if (!door) return problem || 'not ready yet';
    const extensions =
      setting.origins.length > 0 ? `, ${formatCount(setting.origins.length, 'browser extension')} allowed` : '';
    return `listening on 127.0.0.1:${door.port}, ${formatCount(buckets.getAll().size, 'watcher')} connected${extensions}`;
  };

  return {
    hints,
    port: () => door?.port,
    subcommands: [
      {
        name: 'activitywatch',
        run: async (rest) => {
          if (!allowed.usage)
            throw new Refusal(
              'device.feature_off',
              'Usage tracking is turned off here. The agent was started with --no-usage',
            );
          if (rest.length > 0) {
            setting = changeSetting(stateDir, rest);
            await enqueue(async () => {
              await shut();
              if (!setting.isOn) hints.clear();
              await open();
            });
          }
          return [`ActivityWatch: ${state()}`];
        },
      },
    ],
    status: () => (setting.isOn ? [`ActivityWatch: ${state()}`] : []),
    stop: async () => {
      isStopped = true;
      await enqueue(shut);
    },
  };
}
