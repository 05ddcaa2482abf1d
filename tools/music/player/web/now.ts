import type { Library, PlayingSong } from '../../web/musicTypes.ts';

/** What of the player stands ready before anything plays: what pages show of it, and where it finds what songs are called. */
let playing: PlayingSong | undefined;
let library: () => Library | undefined = () => undefined;
const listeners = new Set<() => void>();

const isSame = (one: PlayingSong | undefined, other: PlayingSong | undefined): boolean =>
  one?.song === other?.song && one?.playlist === other?.playlist && one?.isPlaying === other?.isPlaying;

export const now = {
  playing: (): PlayingSong | undefined => playing,
  setPlaying: (next: PlayingSong | undefined): void => {
    if (isSame(playing, next)) return;
    playing = next;
    for (const tell of listeners) tell();
  },
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  library: (): Library | undefined => library(),
  readsLibrary: (from: () => Library | undefined): void => {
    library = from;
  },
};
