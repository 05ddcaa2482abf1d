import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { handleEvent, type AgentContext, type StartedAgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { hotkeysRequest, hotkeyRefusals, hotkeysChanged } from '../contract.ts';
import {
  parseCategoryHotkeys,
  type CategoryHotkey,
  type HotkeyCategory,
  type RefusedHotkey,
  type HotkeyAction,
  applyAction,
} from '../sorting/domain/categoryHotkeys.ts';
import { getSoundOwner } from '../usage/domain/measurement.ts';
import { writePrivateFile } from './writePrivateFile.ts';

const FILE_NAME = 'hotkeys.json';

/** The last hotkeys from the server, so that they work before it responds and without it. */
export interface HotkeyFile {
  readonly load: () => readonly HotkeyCategory[];
  readonly save: (categories: readonly HotkeyCategory[]) => void;
}

export function createHotkeyFile(folder: string): HotkeyFile {
  return {
    load: () => {
      try {
        return hotkeysRequest.answer.parse(JSON.parse(readFileSync(join(folder, FILE_NAME), 'utf8'))).categories;
      } catch {
        return []; // missing or invalid: the server will send them again
      }
    },
    save: (categories) => writePrivateFile(folder, FILE_NAME, { categories }),
  };
}

export interface VolumeControl {
  /** Makes those of these applications that play sound louder, quieter or silent. */
  readonly change: (applications: readonly string[], action: HotkeyAction) => Promise<void>;
}

const foldName = (name: string): string => name.toLowerCase();

/**
 * Creates the volume control of applications. It finds their sounds by window, by program or by the name of the sound.
 */
export function createVolumeControl({ audio, windows }: Pick<Drivers, 'audio' | 'windows'>): VolumeControl {
  /** Applications by mixer slider. A paused stream is no longer in use, but still belongs to its application. */
  const owners = new Map<string, Set<string>>();
  function updateOwners(): void {
    const currentSessions = new Set(audio.getState().sessions.map(({ name }) => name));
    for (const session of owners.keys()) if (!currentSessions.has(session)) owners.delete(session);
    const openWindows = windows.listOpen();
    for (const use of audio.listUses()) {
      if (use.kind !== 'playing') continue;
      const applications = owners.get(use.session) ?? new Set();
      owners.set(use.session, applications.add(foldName(getSoundOwner(use, openWindows))));
    }
  }
  audio.onUseChange(updateOwners);
  updateOwners();

  async function change(applications: readonly string[], action: HotkeyAction): Promise<void> {
    const requested = new Set(applications.map(foldName));
    updateOwners();
    const sounds = audio
      .getState()
      .sessions.filter(
        ({ name }) =>
          requested.has(foldName(name)) || [...(owners.get(name) ?? [])].some((owner) => requested.has(owner)),
      );
    await Promise.all(
      applyAction(action, sounds).map(({ name, level, muted }) => audio.set('sessions', name, { level, muted })),
    );
  }
  /** Serializes key presses: each continues from the level that the previous one has set. */
  const enqueue = createSerialQueue();

  return { change: (applications, action) => enqueue(() => change(applications, action)) };
}

/** Delay before a failed report is sent again. */
const RETRY_DELAY_MS = 10_000;
const MAX_REASON_LENGTH = 300;

/** Creates the report of hotkeys that this computer could not register. */
function createRefusalReport({ report, onConnect, onDisconnect }: AgentContext) {
  let refused: readonly RefusedHotkey[] = [];
  /** Last value the server has; undefined if it has none of this connection. */
  let lastSent: string | undefined;
  let isConnected = false;
  let isBusy = false;
  let retryTimer: NodeJS.Timeout | undefined;

  async function notify(): Promise<void> {
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
  }
  onConnect(() => {
    isConnected = true;
    lastSent = undefined;
    void notify();
  });
  function handleDisconnect(): void {
    isConnected = false;
    clearTimeout(retryTimer);
  }
  onDisconnect(handleDisconnect);
  return {
    set: (next: readonly RefusedHotkey[]): void => {
      refused = next.map((refusal) => ({ ...refusal, reason: refusal.reason.slice(0, MAX_REASON_LENGTH) }));
      void notify();
    },
    list: (): readonly RefusedHotkey[] => refused,
    stop: handleDisconnect,
  };
}

/** Explains which ability for hotkeys the owner turned off; undefined if none. */
function findDeniedReason({ allowed }: AgentContext): string | undefined {
  const ability = (['keyboard', 'sound'] as const).find((name) => !allowed[name]);
  return ability && `Turned off on that computer. Its agent was started with --no-${ability}`;
}

/** Listens for the hotkeys of the account's categories, and changes the volume of their applications. */
export function startHotkeys(context: AgentContext): StartedAgentTool {
  const { drivers, isPaused, onChange, onConnect, openHotkeys, report, print } = context;
  const hotkeyFile = createHotkeyFile(context.stateDir);
  const volumeControl = createVolumeControl(drivers);
  const refusals = createRefusalReport(context);
  const share = openHotkeys();
  const deniedReason = findDeniedReason(context);
  let requestedCount = 0;
  /** Counts updates from the server, so that an outdated response changes nothing. */
  let updateCount = 0;

  const toHotkeyRequest = ({ category, applications, action, hotkey }: CategoryHotkey) => ({
    chord: hotkey,
    label: `${category}: ${action}`,
    run: (isRepeated: boolean) => {
      if (isRepeated && action === 'mute') return;
      volumeControl
        .change(applications, action)
        .catch((error: unknown) => print(`Could not set a volume: ${String(error)}`));
    },
  });
  function registerHotkeys(categories: readonly HotkeyCategory[]): void {
    const { hotkeys, refused } = parseCategoryHotkeys(categories);
    const listRefused = (findReason: (index: number) => string | undefined): readonly RefusedHotkey[] =>
      hotkeys.flatMap(({ category, action }, index) => {
        const reason = findReason(index);
        return reason === undefined ? [] : [{ category, action, reason }];
      });
    requestedCount = hotkeys.length + refused.length;
    if (deniedReason !== undefined) {
      refusals.set([...refused, ...listRefused(() => deniedReason)]);
      return;
    }
    share.setHotkeys(hotkeys.map(toHotkeyRequest), (reasons) =>
      refusals.set([...refused, ...listRefused((index) => reasons.get(index))]),
    );
  }
  function applyCategories(categories: readonly HotkeyCategory[]): void {
    const json = JSON.stringify(categories);
    if (json === currentJson) return;
    currentJson = json;
    registerHotkeys(categories);
    try {
      hotkeyFile.save(categories);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      print(
        `Hotkeys could not be stored, so after a restart they work only once the server is connected: ${error.message}`,
      );
    }
  }

  const storedCategories = hotkeyFile.load();
  let currentJson = JSON.stringify(storedCategories);
  registerHotkeys(storedCategories);

  async function loadHotkeys(): Promise<void> {
    const countBefore = updateCount;
    const { categories } = await report(hotkeysRequest, {});
    if (countBefore === updateCount) applyCategories(categories);
  }
  function tryLoadHotkeys(): void {
    loadHotkeys().catch(() => undefined); // if the server doesn't respond, the stored hotkeys stay active
  }
  onConnect(tryLoadHotkeys);
  let wasPaused = isPaused();
  onChange(() => {
    // A paused agent receives no updates.
    if (wasPaused && !isPaused()) tryLoadHotkeys();
    wasPaused = isPaused();
  });
  return {
    events: [
      handleEvent(hotkeysChanged, ({ categories }) => {
        updateCount += 1;
        applyCategories(categories);
      }),
    ],
    status: () => {
      if (requestedCount === 0) return [];
      const missing = refusals.list();
      return [
        `hotkeys: ${requestedCount - missing.length} of ${requestedCount} active`,
        ...missing.map(({ category, action, reason }) => `hotkeys: inactive: ${category}: ${action}: ${reason}`),
      ];
    },
    stop: async () => {
      refusals.stop();
      share.setHotkeys([], () => undefined);
    },
  };
}
