import { hostname } from 'node:os';
import type { AgentContext, StartedAgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createAnswers } from './apiResponses.ts';
import { createBuckets } from './buckets.ts';
import { type Hints, createHints } from './hints.ts';
import { openDoor, type Door } from './localApi.ts';
import { changeSetting, loadSetting, type ActivityWatchSetting } from './setting.ts';

/** Where ActivityWatch itself answers, and its watchers ask. */
const PORT = 5600;
/** A port that is taken may be free later. */
const RETRY_INTERVAL_MS = 30_000;

export interface ActivityWatchOptions {
  readonly port?: number;
  readonly tryAgainMs?: number;
}

export interface ActivityWatch extends StartedAgentTool {
  /** What is looked at in browsers and editors, for whoever measures. */
  readonly hints: Pick<Hints, 'instead' | 'onChange'>;
  /** Where it answers; undefined while it does not. */
  readonly port: () => number | undefined;
}

/** `activitywatch on` where no agent runs: it counts from the next start on. @throws Refusal */
export const setActivityWatch = (folder: string, rest: readonly string[]): readonly string[] => [
  changeSetting(folder, rest).isOn
    ? 'Watchers of ActivityWatch are answered once the agent runs'
    : 'Watchers of ActivityWatch are not answered',
];

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Stands in for ActivityWatch's server on this computer, for its watchers in browsers and editors. Off until its owner switches it on. */
export const startActivityWatch = (
  { allowed, stateDir, print }: Pick<AgentContext, 'allowed' | 'stateDir' | 'print'>,
  { port = PORT, tryAgainMs = RETRY_INTERVAL_MS }: ActivityWatchOptions = {},
): ActivityWatch => {
  const buckets = createBuckets(Date.now);
  const hints = createHints(Date.now);
  const answer = createAnswers({ buckets, hostname: hostname(), seen: hints.take });
  let setting: ActivityWatchSetting = loadSetting(stateDir);
  let door: Door | undefined;
  let trouble = '';
  let again: NodeJS.Timeout | undefined;
  let isStopped = false;
  let last: Promise<unknown> = Promise.resolve();

  const shut = async (): Promise<void> => {
    clearTimeout(again);
    await door?.[Symbol.asyncDispose]();
    door = undefined;
  };
  const open = async (): Promise<void> => {
    if (isStopped || !setting.isOn || !allowed.usage) return;
    try {
      door = await openDoor({ port, origins: setting.origins, answer });
      trouble = '';
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const why = isTaken
        ? `port ${port} is taken: is ActivityWatch itself running?`
        : `port ${port} cannot be opened: ${String(error)}`;
      if (why !== trouble) print(`Watchers of ActivityWatch are not answered, as ${why}`);
      trouble = why;
      again = setTimeout(() => void queued(open), tryAgainMs);
    }
  };
  const queued = (task: () => Promise<void>): Promise<void> => {
    const own = last.then(task);
    last = own.catch(() => undefined);
    return own;
  };
  void queued(open);

  const state = (): string => {
    if (!setting.isOn) return 'off';
    if (!door) return trouble || 'not open yet';
    const extensions =
      setting.origins.length > 0 ? `, ${counted(setting.origins.length, 'browser extension')} let in` : '';
    return `answers on 127.0.0.1:${door.port}, ${counted(buckets.all().size, 'watcher')} heard${extensions}`;
  };

  return {
    hints,
    port: () => door?.port,
    words: [
      {
        name: 'activitywatch',
        run: async (rest) => {
          if (!allowed.usage) throw new Refusal('Usage is switched off here: the agent was started with --no-usage');
          if (rest.length > 0) {
            setting = changeSetting(stateDir, rest);
            await queued(async () => {
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
      await queued(shut);
    },
  };
};
