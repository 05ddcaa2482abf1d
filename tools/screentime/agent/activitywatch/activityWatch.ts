import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentContext, StartedAgentTool } from '#platform/agent/tool.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { type Hint, parseHint, type InUse, replaceInUse, type WatcherState } from '../../usage/domain/activityWatch.ts';
import { writePrivateFile } from '../writePrivateFile.ts';
import { createApiHandler } from './apiHandler.ts';
import { createBuckets, type Event } from './buckets.ts';
import { openLocalApi, type LocalApiServer } from './localApi.ts';

/** Tolerance for heartbeats of watchers, which arrive a little late. */
const GRACE_MS = 10_000;
const MAX_PULSE_MS = 10 * MINUTE_MS;
/** Max watchers whose newest event is remembered. */
const MAX_WATCHERS = 100;

/** Reports of watchers about the present. */
export interface Hints {
  /** Adds an event. It stays valid for `pulseMs` after its end, unless another one arrives. */
  readonly add: (bucket: string, event: Event, pulseMs: number) => void;
  /** Returns the site or file in use if a watcher reports it, or else the application. */
  readonly replace: (inUse: InUse) => InUse;
  /** Calls a listener when another page or file is shown. */
  readonly onChange: (listener: () => void) => void;
  readonly clear: () => void;
}

interface WatcherHint extends WatcherState {
  readonly until: number;
}

const isSame = (a: Hint | undefined, b: Hint | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Creates an empty set of hints.
 * @param now milliseconds since the epoch
 */
export function createHints(now: () => number): Hints {
  /** Newest first. */
  let reports: readonly WatcherHint[] = [];
  const listeners: (() => void)[] = [];
  function notifyChanged(): void {
    for (const listener of listeners) listener();
  }
  function listValid(): readonly WatcherHint[] {
    const currentTime = now();
    return reports.filter(({ until }) => until > currentTime);
  }

  return {
    add: (bucket, { timestamp, duration, data }, pulseMs) => {
      const currentTime = now();
      const until = timestamp + duration + Math.min(pulseMs, MAX_PULSE_MS) + GRACE_MS;
      // Events about the past or the future say nothing about the present.
      if (until <= currentTime || timestamp > currentTime + GRACE_MS) return;
      const hint = parseHint(data);
      const previousHint = listValid().find((report) => report.bucket === bucket)?.hint;
      const otherReports = listValid().filter((report) => report.bucket !== bucket);
      const validUntil = Math.min(until, currentTime + MAX_PULSE_MS + GRACE_MS);
      reports = hint ? [{ bucket, hint, until: validUntil }, ...otherReports].slice(0, MAX_WATCHERS) : otherReports;
      if (!isSame(previousHint, hint)) notifyChanged();
    },
    replace: (inUse) => replaceInUse(inUse, listValid()),
    onChange: (listener) => void listeners.push(listener),
    clear: () => {
      reports = [];
      notifyChanged();
    },
  };
}

/** The owner's settings for the local ActivityWatch API. */
const settingSchema = z.object({ isOn: z.boolean(), origins: z.array(z.string()) });
export type ActivityWatchSetting = z.output<typeof settingSchema>;

const DEFAULT_SETTING: ActivityWatchSetting = { isOn: false, origins: [] };
const EXTENSION_ORIGIN_PATTERN =
  /^(?:chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const MAX_EXTENSIONS = 20;

const FILE_NAME = 'activitywatch.json';

export function loadSetting(folder: string): ActivityWatchSetting {
  try {
    return settingSchema.parse(JSON.parse(readFileSync(join(folder, FILE_NAME), 'utf8')));
  } catch {
    return DEFAULT_SETTING; // the file is missing or invalid, so the API stays off
  }
}

function saveSetting(folder: string, setting: ActivityWatchSetting): ActivityWatchSetting {
  writePrivateFile(folder, FILE_NAME, setting);
  return setting;
}

/**
 * Runs `activitywatch on` or `off`. `on` takes the allowed browser extensions; `off` revokes them all.
 * @throws Refusal for invalid arguments
 */
export function changeSetting(folder: string, [subcommand, ...origins]: readonly string[]): ActivityWatchSetting {
  if (subcommand === 'off' && origins.length === 0) return saveSetting(folder, DEFAULT_SETTING);
  if (subcommand !== 'on') throw new Refusal('agent.invalid_command', 'Use `activitywatch on` or `activitywatch off`');
  const current = loadSetting(folder);
  const requestedOrigins = origins.map((origin) => origin.toLowerCase().replace(/\/$/, ''));
  const invalidOrigin = requestedOrigins.find((origin) => !EXTENSION_ORIGIN_PATTERN.test(origin));
  if (invalidOrigin !== undefined)
    throw new Refusal(
      'screentime.aw_invalid_origin',
      `'${invalidOrigin.slice(0, 80)}' is not a browser extension. Enter one like chrome-extension://… or moz-extension://…`,
    );
  const allOrigins = [...new Set([...current.origins, ...requestedOrigins])];
  if (allOrigins.length > MAX_EXTENSIONS)
    throw new Refusal(
      'screentime.aw_too_many_extensions',
      `At most ${MAX_EXTENSIONS} browser extensions can be allowed`,
    );
  return saveSetting(folder, { isOn: true, origins: allOrigins });
}

/** Port of the real ActivityWatch, which its watchers use. */
const PORT = 5600;
/** A port that is in use may become free later. */
const RETRY_INTERVAL_MS = 30_000;

export interface ActivityWatchOptions {
  readonly port?: number;
  readonly retryIntervalMs?: number;
}

export interface ActivityWatch extends StartedAgentTool {
  /** Pages and files that watchers report. */
  readonly hints: Pick<Hints, 'replace' | 'onChange'>;
  /** Port of the API; undefined while it is off. */
  readonly getPort: () => number | undefined;
}

/**
 * Runs `activitywatch on` while no agent runs; it takes effect at the next start.
 * @throws Refusal for invalid arguments
 */
export function setActivityWatch(folder: string, args: readonly string[]): readonly string[] {
  return [
    changeSetting(folder, args).isOn
      ? 'ActivityWatch watchers can connect when the agent is running'
      : "ActivityWatch watchers can't connect",
  ];
}

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * Starts a replacement of the local ActivityWatch server, for its browser and editor watchers. It is off until the
 * owner turns it on.
 */
export function startActivityWatch(
  { allowed, stateDir, print }: Pick<AgentContext, 'allowed' | 'stateDir' | 'print'>,
  { port = PORT, retryIntervalMs = RETRY_INTERVAL_MS }: ActivityWatchOptions = {},
): ActivityWatch {
  const buckets = createBuckets(Date.now);
  const hints = createHints(Date.now);
  const handleRequest = createApiHandler({ buckets, hostname: hostname(), onEvent: hints.add });
  let setting: ActivityWatchSetting = loadSetting(stateDir);
  let server: LocalApiServer | undefined;
  let problem = '';
  let retryTimer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const enqueue = createSerialQueue();

  async function close(): Promise<void> {
    clearTimeout(retryTimer);
    await server?.[Symbol.asyncDispose]();
    server = undefined;
  }
  async function open(): Promise<void> {
    if (isStopped || !setting.isOn || !allowed.usage) return;
    try {
      server = await openLocalApi({ port, origins: setting.origins, handleRequest });
      problem = '';
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const reason = isTaken
        ? `port ${port} is already in use. Stop ActivityWatch if it is running`
        : `port ${port} cannot be opened: ${String(error)}`;
      if (reason !== problem) print(`ActivityWatch watchers can't connect: ${reason}`);
      problem = reason;
      retryTimer = setTimeout(() => void enqueue(open), retryIntervalMs);
    }
  }
  void enqueue(open);

  function describeState(): string {
    if (!setting.isOn) return 'off';
    if (!server) return problem || 'not ready yet';
    const extensions =
      setting.origins.length > 0 ? `, ${formatCount(setting.origins.length, 'browser extension')} allowed` : '';
    return `listening on 127.0.0.1:${server.port}, ${formatCount(buckets.getAll().size, 'watcher')} connected${extensions}`;
  }

  return {
    hints,
    getPort: () => server?.port,
    subcommands: [
      {
        name: 'activitywatch',
        run: async (args) => {
          if (!allowed.usage)
            throw new Refusal(
              'device.feature_off',
              'Usage tracking is turned off here. The agent was started with --no-usage',
            );
          if (args.length > 0) {
            setting = changeSetting(stateDir, args);
            await enqueue(async () => {
              await close();
              if (!setting.isOn) hints.clear();
              await open();
            });
          }
          return [`ActivityWatch: ${describeState()}`];
        },
      },
    ],
    status: () => (setting.isOn ? [`ActivityWatch: ${describeState()}`] : []),
    stop: async () => {
      isStopped = true;
      await enqueue(close);
    },
  };
}
