import { AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import type { KeyChord, HotkeysDriver } from './drivers/drivers.ts';

/** A hotkey that a tool requests. */
export interface HotkeyRequest {
  readonly chord: KeyChord;
  /** What the hotkey does, as people read it: 'Games: up'. */
  readonly label: string;
  /** Runs on a press; `isRepeated` is true while the key is still held. */
  readonly run: (isRepeated: boolean) => void;
}

type RefusalListener = (reasons: ReadonlyMap<number, string>) => void;

/** The hotkeys of one tool. */
export interface HotkeyShare {
  /**
   * Replaces the hotkeys of the tool. `onRefused` gets the reason for each unavailable hotkey, by its index in the
   * list: once now, and again whenever the reasons change.
   */
  readonly setHotkeys: (hotkeys: readonly HotkeyRequest[], onRefused: RefusalListener) => void;
}

export interface HotkeyShares {
  readonly open: () => HotkeyShare;
  /** A paused agent listens for no hotkeys. */
  readonly setPaused: (isPaused: boolean) => void;
}

interface ShareState {
  hotkeys: readonly HotkeyRequest[];
  onRefused: RefusalListener;
  lastReport: string;
}
interface RequestedHotkey {
  readonly share: ShareState;
  /** Index in the hotkeys of the share. */
  readonly index: number;
  readonly hotkey: HotkeyRequest;
}

/** Returns a key that is equal for chords of the same keys. */
const getChordKey = ({ modifiers, key }: KeyChord): string => JSON.stringify([modifiers.toSorted(), key]);

/** Shares the one hotkey driver between the tools. If two tools request the same chord, the first one gets it. */
export function createHotkeyShares(driver: HotkeysDriver): HotkeyShares {
  const shares: ShareState[] = [];
  let isPaused = false;
  let currentGeneration = 0;

  function reportRefusals(getReason: (request: RequestedHotkey) => string | undefined): void {
    for (const share of shares) {
      const reasons = new Map<number, string>();
      for (const [index, hotkey] of share.hotkeys.entries()) {
        const reason = getReason({ share, index, hotkey });
        if (reason !== undefined) reasons.set(index, reason);
      }
      const report = JSON.stringify([...reasons]);
      if (report === share.lastReport) continue;
      share.lastReport = report;
      share.onRefused(reasons);
    }
  }
  function assignHotkeys(): void {
    currentGeneration += 1;
    const generation = currentGeneration;
    const requests = shares.flatMap((share) =>
      share.hotkeys.map((hotkey, index): RequestedHotkey => ({ share, index, hotkey })),
    );
    const grantedByChord = new Map<string, { readonly request: RequestedHotkey; readonly driverIndex: number }>();
    for (const request of requests) {
      const chordKey = getChordKey(request.hotkey.chord);
      if (!grantedByChord.has(chordKey)) grantedByChord.set(chordKey, { request, driverIndex: grantedByChord.size });
    }
    function getReason(
      { share, index, hotkey }: RequestedHotkey,
      refused: ReadonlyMap<number, string>,
    ): string | undefined {
      const owner = grantedByChord.get(getChordKey(hotkey.chord));
      if (owner && (owner.request.share !== share || owner.request.index !== index))
        return `That key is already used for ${owner.request.hotkey.label}. Choose another one`;
      return refused.get(owner?.driverIndex ?? -1);
    }
    if (isPaused) {
      driver.listen([], { onPress: () => undefined, onStatus: () => reportRefusals(() => AGENT_PAUSED_MESSAGE) });
      return;
    }
    const granted = [...grantedByChord.values()].map(({ request }) => request.hotkey);
    driver.listen(
      granted.map(({ chord }) => chord),
      {
        onPress: (index, isRepeated) => granted[index]?.run(isRepeated),
        onStatus: (refused) => {
          // A status for an earlier set of hotkeys may arrive late.
          if (generation === currentGeneration) reportRefusals((request) => getReason(request, refused));
        },
      },
    );
  }

  return {
    open: () => {
      const share: ShareState = { hotkeys: [], onRefused: () => undefined, lastReport: '' };
      shares.push(share);
      return {
        setHotkeys: (hotkeys, onRefused) => {
          Object.assign(share, { hotkeys, onRefused, lastReport: '' });
          assignHotkeys();
        },
      };
    },
    setPaused: (next) => {
      if (next === isPaused) return;
      isPaused = next;
      assignHotkeys();
    },
  };
}
