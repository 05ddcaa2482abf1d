import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { handleEvent, type AgentContext, type StartedAgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { askHotkeys, hotkeyRefusals, hotkeysChanged } from '../contract.ts';
import {
  categoryHotkeys,
  type CategoryHotkey,
  type HotkeyCategory,
  type RefusedHotkey,
  type HotkeyAction,
  afterPress,
} from '../sorting/domain/categoryHotkeys.ts';
import { soundOwner } from '../usage/domain/measurement.ts';
import { writeOwn } from './agentFiles.ts';

const FILE = 'hotkeys.json';

/** The last hotkeys from the server, so that they work before it responds and without it. */
export interface StoredHotkeys {
  readonly load: () => readonly HotkeyCategory[];
  readonly save: (categories: readonly HotkeyCategory[]) => void;
}

export function openStoredHotkeys(folder: string): StoredHotkeys {
  return {
    load: () => {
      try {
        return askHotkeys.answer.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8'))).categories;
      } catch {
        return []; // missing or invalid: the server will send them again
      }
    },
    save: (categories) => writeOwn(folder, FILE, { categories }),
  };
}

export interface Loudness {
  /** Makes those of these applications that play sound louder, quieter or silent. */
  readonly change: (applications: readonly string[], action: HotkeyAction) => Promise<void>;
}

const fold = (name: string): string => name.toLowerCase();

/**
 * Creates the volume control of applications. It finds their sounds by window, by program or by the name of the sound.
 */
export function createLoudness({ audio, windows }: Pick<Drivers, 'audio' | 'windows'>): Loudness {
  /** Applications by mixer slider. A paused stream is no longer in use, but still belongs to its application. */
  const owners = new Map<string, Set<string>>();
  const look = (): void => {
    const there = new Set(audio.getState().sessions.map(({ name }) => name));
    for (const session of owners.keys()) if (!there.has(session)) owners.delete(session);
    const open = windows.listOpen();
    for (const use of audio.listUses()) {
      if (use.kind !== 'playing') continue;
      const known = owners.get(use.session) ?? new Set();
      owners.set(use.session, known.add(fold(soundOwner(use, open))));
    }
  };
  audio.onUseChange(look);
  look();

  const change = async (applications: readonly string[], action: HotkeyAction): Promise<void> => {
    const requested = new Set(applications.map(fold));
    look();
    const sounds = audio
      .getState()
      .sessions.filter(
        ({ name }) => requested.has(fold(name)) || [...(owners.get(name) ?? [])].some((one) => requested.has(one)),
      );
    await Promise.all(
      afterPress(action, sounds).map(({ name, level, muted }) => audio.set('sessions', name, { level, muted })),
    );
  };
  /** Serializes key presses: each continues from the level that the previous one has set. */
  const enqueue = createSerialQueue();

  return {
    change: (applications, action) => enqueue(() => change(applications, action)),
  };
}

/** Delay before a failed report is sent again. */
const RETRY_DELAY_MS = 10_000;
const MAX_REASON_LENGTH = 300;

/** Creates the report of hotkeys that this computer could not register. */
const createRefusalReport = ({ report, onConnect, onDisconnect }: AgentContext) => {
  let refused: readonly RefusedHotkey[] = [];
  /** Last value the server has; undefined if it has none of this connection. */
  let lastSent: string | undefined;
  let isConnected = false;
  let isBusy = false;
  let retryTimer: NodeJS.Timeout | undefined;

  const notify = async (): Promise<void> => {
    if (isBusy || !isConnected) return;
    const summary = JSON.stringify(refused);
    if (summary === lastSent) return;
    isBusy = true;
    try {
      await report(hotkeyRefusals, { refused: [...refused] });
      lastSent = summary;
    } catch {
      // The server is unreachable, or too old for hotkeys.
      if (isConnected) retryTimer = setTimeout(() => void notify(), RETRY_DELAY_MS);
      return;
    } finally {
      isBusy = false;
    }
    await notify();
  };
  onConnect(() => {
    isConnected = true;
    lastSent = undefined;
    void notify();
  });
  const rest = (): void => {
    isConnected = false;
    clearTimeout(retryTimer);
  };
  onDisconnect(rest);
  return {
    set: (next: readonly RefusedHotkey[]): void => {
      refused = next.map((one) => ({ ...one, reason: one.reason.slice(0, MAX_REASON_LENGTH) }));
      void notify();
    },
    all: (): readonly RefusedHotkey[] => refused,
    stop: rest,
  };
};

/** Explains which ability for hotkeys the owner turned off; undefined if none. */
const findDeniedAbility = ({ allowed }: AgentContext): string | undefined => {
  const name = (['keyboard', 'sound'] as const).find((one) => !allowed[one]);
  return name && `Turned off on that computer. Its agent was started with --no-${name}`;
};

/** Listens for the hotkeys of the account's categories, and changes the volume of their applications. */
export function startHotkeys(context: AgentContext): StartedAgentTool {
  const { drivers, isPaused, onChange, onConnect, openHotkeys, report, print } = context;
  const storedHotkeys = openStoredHotkeys(context.stateDir);
  const loudness = createLoudness(drivers);
  const refusals = createRefusalReport(context);
  const share = openHotkeys();
  const reason = findDeniedAbility(context);
  let current = '';
  let requestedCount = 0;
  /** Counts updates from the server, so that an outdated response changes nothing. */
  let updateCount = 0;

  const wishFor = ({ category, applications, action, hotkey }: CategoryHotkey) => ({
    chord: hotkey,
    label: `${category}: ${action}`,
    run: (isRepeated: boolean) => {
      if (isRepeated && action === 'mute') return;
      loudness
        .change(applications, action)
        .catch((error: unknown) => print(`Could not set a volume: ${String(error)}`));
    },
  });
  const listenFor = (categories: readonly HotkeyCategory[]): void => {
    const { hotkeys, refused } = categoryHotkeys(categories);
    const refusedBy = (findReason: (at: number) => string | undefined): readonly RefusedHotkey[] =>
      hotkeys.flatMap(({ category, action }, at) => {
        const why = findReason(at);
        return why === undefined ? [] : [{ category, action, reason: why }];
      });
    requestedCount = hotkeys.length + refused.length;
    if (reason !== undefined) {
      refusals.set([...refused, ...refusedBy(() => reason)]);
      return;
    }
    share.setHotkeys(hotkeys.map(wishFor), (reasons) =>
      refusals.set([...refused, ...refusedBy((at) => reasons.get(at))]),
    );
  };
  const take = (categories: readonly HotkeyCategory[]): void => {
    const next = JSON.stringify(categories);
    if (next === current) return;
    current = next;
    listenFor(categories);
    try {
      storedHotkeys.save(categories);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      print(
        `Hotkeys could not be stored, so after a restart they work only once the server is connected: ${error.message}`,
      );
    }
  };

  const before = storedHotkeys.load();
  current = JSON.stringify(before);
  listenFor(before);

  const ask = async (): Promise<void> => {
    const countBefore = updateCount;
    const { categories } = await report(askHotkeys, {});
    if (countBefore === updateCount) take(categories);
  };
  const askOrGoOn = (): void => {
    ask().catch(() => undefined); // if the server doesn't respond, the stored hotkeys stay active
  };
  onConnect(askOrGoOn);
  let wasPaused = isPaused();
  onChange(() => {
    // A paused agent receives no updates.
    if (wasPaused && !isPaused()) askOrGoOn();
    wasPaused = isPaused();
  });
  return {
    events: [
      handleEvent(hotkeysChanged, ({ categories }) => {
        updateCount += 1;
        take(categories);
      }),
    ],
    status: () => {
      if (requestedCount === 0) return [];
      const missing = refusals.all();
      return [
        `hotkeys: ${requestedCount - missing.length} of ${requestedCount} active`,
        ...missing.map((one) => `hotkeys: inactive: ${one.category}: ${one.action}: ${one.reason}`),
      ];
    },
    stop: async () => {
      refusals.stop();
      share.setHotkeys([], () => undefined);
    },
  };
}
