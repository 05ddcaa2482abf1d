import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { session } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { changedownload, downloadError, downloadProgress, downloads, pollDownloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { saveFile } from '../../library/web/pageActions.ts';
import { refreshLibrary } from '../../web/useLibrary.ts';
import type { Download } from '../domain/downloadPanel.ts';
import { panel } from './panelState.ts';

/** Specified in docs/specification/music.md section 6. */
const POLL_INTERVAL_MS = 1000;
const REFRESH_DELAY_MS = 1000;

export const DOWNLOADS_KEY = ['music', 'downloads'];

/** State of the server's downloader. */
export type DownloadsState = Omit<AnswerOf<typeof downloads>, 'downloads'>;

/** Announces the kind of this page, and joins the room with the account's downloads. */
function joinRoom(): void {
  const token = session.getCurrent()?.token;
  if (token === undefined) return;
  realtime.request(connectEvent, { message: 'musicdownloader' }).catch(() => undefined);
  realtime.request(roomInit, { id: `${token}music` }).catch(() => undefined);
}

/**
 * Keeps the panel up to date. Returns the setup problem and the state of the downloader. Only the page uses it, once.
 */
export function useDownloads(): DownloadsState {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: DOWNLOADS_KEY,
    queryFn: async () => {
      const { downloads: all, ...state } = await call(downloads, {});
      panel.replaceAll(all);
      return state;
    },
  });
  useEffect(() => {
    const timers = new Map<number, ReturnType<typeof setTimeout>>();
    function refreshSoon(finished: number): void {
      async function refresh(): Promise<void> {
        await refreshLibrary(queryClient);
        timers.delete(finished);
        panel.showDelayed(finished);
      }
      timers.set(
        finished,
        setTimeout(() => void refresh(), REFRESH_DELAY_MS),
      );
    }
    const stops = [
      realtime.on(downloadProgress, ({ downloadid, status }) => {
        panel.update(downloadid, status);
        if (panel.isFinishing(downloadid) && !timers.has(downloadid)) refreshSoon(downloadid);
      }),
      realtime.on(downloadError, ({ downloadid, title, error }) => panel.markFailed(downloadid, title, error)),
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() !== 'connected') return;
        joinRoom();
        void queryClient.invalidateQueries({ queryKey: DOWNLOADS_KEY });
      }),
    ];
    if (realtime.getConnectionState() === 'connected') joinRoom();
    const pollTimer = setInterval(() => {
      const token = session.getCurrent()?.token;
      if (!document.hidden && token !== undefined && realtime.getConnectionState() === 'connected')
        realtime.emit(pollDownloadProgress, { token });
    }, POLL_INTERVAL_MS);
    return () => {
      clearInterval(pollTimer);
      for (const [finished, timer] of timers) {
        clearTimeout(timer);
        panel.showDelayed(finished);
      }
      for (const stop of stops) stop();
    };
  }, [queryClient]);
  return query.data ?? { hindrance: '', tools: '' };
}

/** Changes the state of a download. Returns whether it succeeded. */
async function changeDownload({ id }: Download, to: 'cancelled' | 'again' | 'saved'): Promise<boolean> {
  try {
    await call(changedownload, { downloadid: id, to });
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

export const downloadActions = {
  cancel: async (download: Download): Promise<void> => {
    if (!(await changeDownload(download, 'cancelled'))) return;
    panel.close(download.id);
    // Otherwise it would be listed as failed after a reload.
    await changeDownload(download, 'saved');
  },
  retry: (download: Download): Promise<boolean> => changeDownload(download, 'again'),
  close: async (download: Download): Promise<void> => {
    // The server already knows that it was saved, and may have forgotten it.
    if (download.code === codes.done || (await changeDownload(download, 'saved'))) panel.close(download.id);
  },
  /** Saves its songs as a file, and marks it as done. */
  save: async (download: Download, songs: readonly number[]): Promise<void> => {
    if ((await saveFile(download.title, { songs: [...songs] })) && (await changeDownload(download, 'saved')))
      panel.markSaved(download.id);
  },
};
