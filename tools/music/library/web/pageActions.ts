import { createContext, useContext } from 'react';
import type { QueuePosition } from '../../player/domain/queue.ts';
import type { Overlay, Playlist, Song, SongActions } from '../../web/musicTypes.ts';
import type { Occurrence } from '../domain/occurrence.ts';

/** What the parts of the page do; the same object as long as the page stands. */
export interface PageActions {
  readonly open: (overlay: Overlay) => void;
  /** Plays the songs of a block as they are shown, from this one on; holds it where it plays from there already. */
  readonly play: (block: string, one: Occurrence) => void;
  /** Plays all of a block. */
  readonly playAll: (block: string) => void;
  /** Puts a song into what plays. */
  readonly putIn: (song: Song, playlist: Playlist, behind: QueuePosition) => void;
  readonly songs: SongActions;
}

export const ActsContext = createContext<PageActions | undefined>(undefined);

export const useActs = (): PageActions => {
  const acts = useContext(ActsContext);
  if (!acts) throw new Error('the parts of the music page stand on it only');
  return acts;
};
