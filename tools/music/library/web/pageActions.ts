import { createContext, useContext } from 'react';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { downloadticket } from '../../contract.ts';
import { panel } from '../../downloads/web/panelState.ts';
import { formatSaveFailure } from '../../downloads/web/queueLinks.ts';
import type { QueuePosition } from '../../player/domain/queue.ts';
import type { Overlay, Playlist, Song, SongActions } from '../../web/musicTypes.ts';
import type { Occurrence } from '../domain/playlist.ts';

function startDownload(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

/**
 * Saves a song, or a playlist as a zip, with the browser's own download, which can pause and resume.
 * Returns whether the download started; the panel shows why not.
 */
export async function saveFile(title: string, request: RequestInputOf<typeof downloadticket>): Promise<boolean> {
  try {
    const { address, name } = await call(downloadticket, request);
    startDownload(toSitePath(address), name);
    return true;
  } catch (error) {
    const text = formatSaveFailure(error);
    if (text !== undefined) panel.addFailedAction(title, text, () => void saveFile(title, request));
    return false;
  }
}

/** Actions of the page. The object stays the same while the page is mounted. */
export interface PageActions {
  readonly open: (overlay: Overlay) => void;
  /** Plays the shown songs of a block from this one on; pauses if it plays already. */
  readonly play: (block: string, occurrence: Occurrence) => void;
  /** Plays all songs of a block. */
  readonly playAll: (block: string) => void;
  /** Inserts a song into the play queue. */
  readonly addToQueue: (song: Song, playlist: Playlist, position: QueuePosition) => void;
  readonly songs: SongActions;
}

export const PageActionsContext = createContext<PageActions | undefined>(undefined);

export function usePageActions(): PageActions {
  const actions = useContext(PageActionsContext);
  if (!actions) throw new Error('page actions are only available on the music page');
  return actions;
}
