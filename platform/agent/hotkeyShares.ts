import { PAUSED } from './commands.ts';
import type { Chord, HotkeysDriver } from './drivers/drivers.ts';

/** A key that a tool wants. */
export interface HotkeyWish {
  readonly chord: Chord;
  /** What it does, as people read it: 'Games: up'. */
  readonly what: string;
  /** `isRepeated`: it is still held. */
  readonly run: (isRepeated: boolean) => void;
}

/** One tool's share of the keys of this computer. */
export interface HotkeyShare {
  /**
   * Exactly these from now on. `refused` is told how it stands with them, first and whenever that changes: for each that cannot be had,
   * by its place in the list, a sentence why.
   */
  readonly want: (wishes: readonly HotkeyWish[], refused: (reasons: ReadonlyMap<number, string>) => void) => void;
}

export interface HotkeyShares {
  readonly open: () => HotkeyShare;
  /** While the agent is paused it listens for none. */
  readonly rest: (isResting: boolean) => void;
}

interface Share {
  wishes: readonly HotkeyWish[];
  refused: (reasons: ReadonlyMap<number, string>) => void;
  told: string;
}
interface Wished {
  readonly share: Share;
  readonly at: number;
  readonly wish: HotkeyWish;
}

/** The same for chords that are the same keys. */
const sameness = ({ modifiers, key }: Chord): string => JSON.stringify([modifiers.toSorted(), key]);

/** Deals the one driver out to several tools: of two that want the same key the one that was there first has it. */
export const shareHotkeys = (driver: HotkeysDriver): HotkeyShares => {
  const shares: Share[] = [];
  let isResting = false;
  let turn = 0;

  const tell = (reasonOf: (wished: Wished) => string | undefined): void => {
    for (const share of shares) {
      const reasons = new Map<number, string>();
      for (const [at, wish] of share.wishes.entries()) {
        const reason = reasonOf({ share, at, wish });
        if (reason !== undefined) reasons.set(at, reason);
      }
      const telling = JSON.stringify([...reasons]);
      if (telling === share.told) continue;
      share.told = telling;
      share.refused(reasons);
    }
  };
  const deal = (): void => {
    turn += 1;
    const own = turn;
    const all = shares.flatMap((share) => share.wishes.map((wish, at): Wished => ({ share, at, wish })));
    const dealt = new Map<string, { readonly wished: Wished; readonly place: number }>();
    for (const wished of all) {
      const same = sameness(wished.wish.chord);
      if (!dealt.has(same)) dealt.set(same, { wished, place: dealt.size });
    }
    const reasonOf = ({ share, at, wish }: Wished, refused: ReadonlyMap<number, string>): string | undefined => {
      const owner = dealt.get(sameness(wish.chord));
      if (owner && (owner.wished.share !== share || owner.wished.at !== at))
        return `That key is used for ${owner.wished.wish.what} already`;
      return refused.get(owner?.place ?? -1);
    };
    if (isResting) {
      driver.listen([], { pressed: () => undefined, stands: () => tell(() => PAUSED) });
      return;
    }
    const asked = [...dealt.values()].map(({ wished }) => wished);
    driver.listen(
      asked.map(({ wish }) => wish.chord),
      {
        pressed: (place, isRepeated) => asked[place]?.wish.run(isRepeated),
        stands: (refused) => {
          // What was wished for before may still be on its way.
          if (own === turn) tell((wished) => reasonOf(wished, refused));
        },
      },
    );
  };

  return {
    open: () => {
      const share: Share = { wishes: [], refused: () => undefined, told: '' };
      shares.push(share);
      return {
        want: (wishes, refused) => {
          Object.assign(share, { wishes, refused, told: '' });
          deal();
        },
      };
    },
    rest: (next) => {
      if (next === isResting) return;
      isResting = next;
      deal();
    },
  };
};
