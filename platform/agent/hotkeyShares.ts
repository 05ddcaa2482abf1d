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

/** The hotkeys of one tool. */
export interface HotkeyShare {
  /**
   * Replaces the hotkeys of the tool. `refused` gets the reason for each unavailable hotkey, by its index in the list:
   * once now, and again whenever the reasons change.
   */
  readonly setHotkeys: (
    hotkeys: readonly HotkeyRequest[],
    refused: (reasons: ReadonlyMap<number, string>) => void,
  ) => void;
}

export interface HotkeyShares {
  readonly open: () => HotkeyShare;
  /** A paused agent listens for no hotkeys. */
  readonly setPaused: (isPaused: boolean) => void;
}

interface ShareState {
  hotkeys: readonly HotkeyRequest[];
  refused: (reasons: ReadonlyMap<number, string>) => void;
  lastReport: string;
}
interface RequestedHotkey {
  readonly share: ShareState;
  readonly at: number;
  readonly hotkey: HotkeyRequest;
}

/** Returns a key that is equal for chords of the same keys. */
const getChordKey = ({ modifiers, key }: KeyChord): string => JSON.stringify([modifiers.toSorted(), key]);

/** Shares the one hotkey driver between the tools. If two tools request the same chord, the first one gets it. */
export function createHotkeyShares(driver: HotkeysDriver): HotkeyShares {
  const shares: ShareState[] = [];
  let isPaused = false;
  let currentGeneration = 0;

  const reportRefusals = (getReason: (requested: RequestedHotkey) => string | undefined): void => {
    for (const share of shares) {
      const reasons = new Map<number, string>();
      for (const [at, hotkey] of share.hotkeys.entries()) {
        const reason = getReason({ share, at, hotkey });
        if (reason !== undefined) reasons.set(at, reason);
      }
      const report = JSON.stringify([...reasons]);
      if (report === share.lastReport) continue;
      share.lastReport = report;
      share.refused(reasons);
    }
  };
  const assignHotkeys = (): void => {
    currentGeneration += 1;
    const generation = currentGeneration;
    const all = shares.flatMap((share) => share.hotkeys.map((hotkey, at): RequestedHotkey => ({ share, at, hotkey })));
    const grantedByChord = new Map<string, { readonly requested: RequestedHotkey; readonly place: number }>();
    for (const requested of all) {
      const chordKey = getChordKey(requested.hotkey.chord);
      if (!grantedByChord.has(chordKey)) grantedByChord.set(chordKey, { requested, place: grantedByChord.size });
    }
    const getReason = (
      { share, at, hotkey }: RequestedHotkey,
      refused: ReadonlyMap<number, string>,
    ): string | undefined => {
      const owner = grantedByChord.get(getChordKey(hotkey.chord));
      if (owner && (owner.requested.share !== share || owner.requested.at !== at))
        return `That key is already used for ${owner.requested.hotkey.label}. Choose another one`;
      return refused.get(owner?.place ?? -1);
    };
    if (isPaused) {
      driver.listen([], { onPress: () => undefined, onStatus: () => reportRefusals(() => AGENT_PAUSED_MESSAGE) });
      return;
    }
    const granted = [...grantedByChord.values()].map(({ requested }) => requested);
    driver.listen(
      granted.map(({ hotkey }) => hotkey.chord),
      {
        onPress: (place, isRepeated) => granted[place]?.hotkey.run(isRepeated),
        onStatus: (refused) => {
          // A status for an earlier set of hotkeys may arrive late.
          if (generation === currentGeneration) reportRefusals((requested) => getReason(requested, refused));
        },
      },
    );
  };

  return {
    open: () => {
      const share: ShareState = { hotkeys: [], refused: () => undefined, lastReport: '' };
      shares.push(share);
      return {
        setHotkeys: (hotkeys, refused) => {
          Object.assign(share, { hotkeys, refused, lastReport: '' });
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
