import { handleEvent, type AgentContext, type StartedAgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { askHotkeys, hotkeyRefusals, hotkeysChanged } from '../contract.ts';
import {
  categoryHotkeys,
  type CategoryHotkey,
  type HotkeyCategory,
  type RefusedHotkey,
} from '../sorting/domain/categoryHotkeys.ts';
import { keepHotkeysIn } from './keptHotkeys.ts';
import { createLoudness } from './loudness.ts';

/** A report that was not taken is made again after this. */
const RETRY_DELAY_MS = 10_000;
const MAX_REASON_LENGTH = 300;

/** The server's account of the keys that this computer could not take. */
const createRefusalReport = ({ report, onConnect, onDisconnect }: AgentContext) => {
  let refused: readonly RefusedHotkey[] = [];
  /** What the server knows; undefined where it knows nothing of this connection. */
  let told: string | undefined;
  let isConnected = false;
  let isBusy = false;
  let again: NodeJS.Timeout | undefined;

  const tell = async (): Promise<void> => {
    if (isBusy || !isConnected) return;
    const saying = JSON.stringify(refused);
    if (saying === told) return;
    isBusy = true;
    try {
      await report(hotkeyRefusals, { refused: [...refused] });
      told = saying;
    } catch {
      // It is away, or of a version that knows nothing of hotkeys.
      if (isConnected) again = setTimeout(() => void tell(), RETRY_DELAY_MS);
      return;
    } finally {
      isBusy = false;
    }
    await tell();
  };
  onConnect(() => {
    isConnected = true;
    told = undefined;
    void tell();
  });
  const rest = (): void => {
    isConnected = false;
    clearTimeout(again);
  };
  onDisconnect(rest);
  return {
    set: (next: readonly RefusedHotkey[]): void => {
      refused = next.map((one) => ({ ...one, reason: one.reason.slice(0, MAX_REASON_LENGTH) }));
      void tell();
    },
    all: (): readonly RefusedHotkey[] => refused,
    stop: rest,
  };
};

/** What of this computer's keys and sound its owner keeps from the server; undefined where nothing. */
const forbidden = ({ allowed }: AgentContext): string | undefined => {
  const name = (['keyboard', 'sound'] as const).find((one) => !allowed[one]);
  return name && `Switched off on that computer; its agent was started with --no-${name}`;
};

/** Listens for the hotkeys of the account's categories, and acts on the volume of their applications. */
export const startHotkeys = (ground: AgentContext): StartedAgentTool => {
  const { drivers, isPaused, onChange, onConnect, openHotkeys, report, print } = ground;
  const kept = keepHotkeysIn(ground.stateDir);
  const loudness = createLoudness(drivers);
  const refusals = createRefusalReport(ground);
  const share = openHotkeys();
  const reason = forbidden(ground);
  let current = '';
  let wanted = 0;
  /** Counts what the server told, so that an answer that was overtaken changes nothing. */
  let told = 0;

  const wishFor = ({ category, applications, action, hotkey }: CategoryHotkey) => ({
    chord: hotkey,
    label: `${category}: ${action}`,
    run: (isRepeated: boolean) => {
      if (isRepeated && action === 'mute') return;
      loudness
        .change(applications, action)
        .catch((error: unknown) => print(`A volume could not be set: ${String(error)}`));
    },
  });
  const listenFor = (categories: readonly HotkeyCategory[]): void => {
    const { hotkeys, refused } = categoryHotkeys(categories);
    const refusedBy = (reasonOf: (at: number) => string | undefined): readonly RefusedHotkey[] =>
      hotkeys.flatMap(({ category, action }, at) => {
        const why = reasonOf(at);
        return why === undefined ? [] : [{ category, action, reason: why }];
      });
    wanted = hotkeys.length + refused.length;
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
      kept.save(categories);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      print(`Hotkeys are not known after a restart before the server tells them: ${error.message}`);
    }
  };

  const before = kept.load();
  current = JSON.stringify(before);
  listenFor(before);

  const ask = async (): Promise<void> => {
    const asked = told;
    const { categories } = await report(askHotkeys, {});
    if (asked === told) take(categories);
  };
  const askOrGoOn = (): void => {
    ask().catch(() => undefined); // where it does not answer, those that were kept go on
  };
  onConnect(askOrGoOn);
  let wasPaused = isPaused();
  onChange(() => {
    // A paused agent is told nothing.
    if (wasPaused && !isPaused()) askOrGoOn();
    wasPaused = isPaused();
  });
  return {
    events: [
      handleEvent(hotkeysChanged, ({ categories }) => {
        told += 1;
        take(categories);
      }),
    ],
    status: () => {
      if (wanted === 0) return [];
      const missing = refusals.all();
      return [
        `hotkeys: ${wanted - missing.length} of ${wanted} are listened for`,
        ...missing.map((one) => `hotkeys: not ${one.category}: ${one.action}: ${one.reason}`),
      ];
    },
    stop: async () => {
      refusals.stop();
      share.setHotkeys([], () => undefined);
    },
  };
};
