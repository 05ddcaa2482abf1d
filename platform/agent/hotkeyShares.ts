import { AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import type { KeyChord, HotkeysDriver } from './drivers/drivers.ts';

/** A key that a tool wants. */
export interface HotkeyRequest {
  readonly chord: KeyChord;
  /** What it does, as people read it: 'Games: up'. */
  readonly label: string;
  /** `isRepeated`: it is still held. */
  readonly run: (isRepeated: boolean) => void;
}

/** One tool's share of the keys of this computer. */
export interface HotkeyShare {
  /**
   * Exactly these from now on. `refused` is told how it stands with them, first and whenever that changes: for each that cannot be had,
   * by its place in the list, a sentence why.
   */
  readonly setHotkeys: (
    wishes: readonly HotkeyRequest[],
    refused: (reasons: ReadonlyMap<number, string>) => void,
  ) => void;
}

export interface HotkeyShares {
  readonly open: () => HotkeyShare;
  /** While the agent is paused it listens for none. */
  readonly setPaused: (isResting: boolean) => void;
}

interface ShareState {
  wishes: readonly HotkeyRequest[];
  refused: (reasons: ReadonlyMap<number, string>) => void;
  lastReport: string;
}
interface RequestedHotkey {
  readonly share: ShareState;
  readonly at: number;
  readonly wish: HotkeyRequest;
}

/** The same for chords that are the same keys. */
const getChordKey = ({ modifiers, key }: KeyChord): string => JSON.stringify([modifiers.toSorted(), key]);

/** Deals the one driver out to several tools: of two that want the same key the one that was there first has it. */
export function createHotkeyShares(driver: HotkeysDriver): HotkeyShares {
  const shares: ShareState[] = [];
  let isResting = false;
  let turn = 0;

  const tell = (reasonOf: (wished: RequestedHotkey) => string | undefined): void => {
    for (const share of shares) {
      const reasons = new Map<number, string>();
      for (const [at, wish] of share.wishes.entries()) {
        const reason = reasonOf({ share, at, wish });
        if (reason !== undefined) reasons.set(at, reason);
      }
      const telling = JSON.stringify([...reasons]);
      if (telling === share.lastReport) continue;
      share.lastReport = telling;
      share.refused(reasons);
    }
  };
  const deal = (): void => {
    turn += 1;
    const own = turn;
    const all = shares.flatMap((share) => share.wishes.map((wish, at): RequestedHotkey => ({ share, at, wish })));
    const dealt = new Map<string, { readonly wished: RequestedHotkey; readonly place: number }>();
    for (const wished of all) {
      const same = getChordKey(wished.wish.chord);
      if (!dealt.has(same)) dealt.set(same, { wished, place: dealt.size });
    }
    const reasonOf = (
      { share, at, wish }: RequestedHotkey,
      refused: ReadonlyMap<number, string>,
    ): string | undefined => {
      const owner = dealt.get(getChordKey(wish.chord));
      if (owner && (owner.wished.share !== share || owner.wished.at !== at))
        return `That key is used for ${owner.wished.wish.label} already`;
      return refused.get(owner?.place ?? -1);
    };
    if (isResting) {
      driver.listen([], { onPress: () => undefined, onStatus: () => tell(() => AGENT_PAUSED_MESSAGE) });
      return;
    }
    const asked = [...dealt.values()].map(({ wished }) => wished);
    driver.listen(
      asked.map(({ wish }) => wish.chord),
      {
        onPress: (place, isRepeated) => asked[place]?.wish.run(isRepeated),
        onStatus: (refused) => {
          // What was wished for before may still be on its way.
          if (own === turn) tell((wished) => reasonOf(wished, refused));
        },
      },
    );
  };

  return {
    open: () => {
      const share: ShareState = { wishes: [], refused: () => undefined, lastReport: '' };
      shares.push(share);
      return {
        setHotkeys: (wishes, refused) => {
          Object.assign(share, { wishes, refused, told: '' });
          deal();
        },
      };
    },
    setPaused: (next) => {
      if (next === isResting) return;
      isResting = next;
      deal();
    },
  };
}
