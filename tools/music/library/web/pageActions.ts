import { createContext, useContext } from 'react';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { downloadticket } from '../../contract.ts';
import { notKept } from '../../downloads/web/failures.ts';
import { panel } from '../../downloads/web/panelState.ts';
import type { QueuePosition } from '../../player/domain/queue.ts';
import type { Overlay, Playlist, Song, SongActions } from '../../web/musicTypes.ts';
import type { Occurrence } from '../domain/playlist.ts';

const follow = (address: string, name: string): void => {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
};

/**
 * Gives a song, or a playlist as a zip, to the browser to be kept: it fetches the file itself, and can pause and go on with it. The panel
 * says why where it cannot. Gives whether it could.
 */
export async function keepFile(title: string, wanted: RequestInputOf<typeof downloadticket>): Promise<boolean> {
  try {
    const { address, name } = await call(downloadticket, wanted);
    follow(address, name);
    return true;
  } catch (error) {
    const text = notKept(error);
    if (text !== undefined) panel.addMishap(title, text, () => void keepFile(title, wanted));
    return false;
  }
}

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

export function useActs(): PageActions {
  const acts = useContext(ActsContext);
  if (!acts) throw new Error('the parts of the music page stand on it only');
  return acts;
}
