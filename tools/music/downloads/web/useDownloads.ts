import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { session } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { changedownload, downloadError, downloadProgress, downloads, pollDownloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { keepFile } from '../../library/web/pageActions.ts';
import { refreshLibrary } from '../../web/useLibrary.ts';
import type { Download } from '../domain/downloadPanel.ts';
import { panel } from './panelState.ts';

/** Specification 2, section 9. */
const POLL_MS = 1000;
const REFRESH_MS = 1000;

export const DOWNLOADS_KEY = ['music', 'downloads'];

/** What the server says of its downloader. */
export type DownloadsState = Omit<AnswerOf<typeof downloads>, 'downloads'>;

/** Says what this page is, and joins the room that hears of the account's downloads. */
const join = (): void => {
  const token = session.getCurrent()?.token;
  if (token === undefined) return;
  realtime.request(connectEvent, { message: 'musicdownloader' }).catch(() => undefined);
  realtime.request(roomInit, { id: `${token}music` }).catch(() => undefined);
};

/** Keeps the panel as it is on the server; gives what hinders downloads there, and by what they are made. Used once, by the page. */
export function useDownloads(): DownloadsState {
  const queries = useQueryClient();
  const asked = useQuery({
    queryKey: DOWNLOADS_KEY,
    queryFn: async () => {
      const { downloads: all, ...state } = await call(downloads, {});
      panel.takeAll(all);
      return state;
    },
  });
  useEffect(() => {
    const timers = new Map<number, ReturnType<typeof setTimeout>>();
    const refreshSoon = (finished: number): void => {
      const refresh = async (): Promise<void> => {
        await refreshLibrary(queries);
        timers.delete(finished);
        panel.refreshed(finished);
      };
      timers.set(
        finished,
        setTimeout(() => void refresh(), REFRESH_MS),
      );
    };
    const stops = [
      realtime.on(downloadProgress, ({ downloadid, status }) => {
        panel.take(downloadid, status);
        if (panel.isFinishing(downloadid) && !timers.has(downloadid)) refreshSoon(downloadid);
      }),
      realtime.on(downloadError, ({ downloadid, title, error }) => panel.fail(downloadid, title, error)),
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() !== 'connected') return;
        join();
        void queries.invalidateQueries({ queryKey: DOWNLOADS_KEY });
      }),
    ];
    if (realtime.getConnectionState() === 'connected') join();
    const poll = setInterval(() => {
      const token = session.getCurrent()?.token;
      if (!document.hidden && token !== undefined && realtime.getConnectionState() === 'connected')
        realtime.emit(pollDownloadProgress, { token });
    }, POLL_MS);
    return () => {
      clearInterval(poll);
      for (const [finished, timer] of timers) {
        clearTimeout(timer);
        panel.refreshed(finished);
      }
      for (const stop of stops) stop();
    };
  }, [queries]);
  return asked.data ?? { hindrance: '', tools: '' };
}

/** Gives whether it could. */
const turnTo = async ({ id }: Download, to: 'cancelled' | 'again' | 'saved'): Promise<boolean> => {
  try {
    await call(changedownload, { downloadid: id, to });
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
};

/** What can be done with a download. */
export const downloadActs = {
  cancel: async (download: Download): Promise<void> => {
    if (!(await turnTo(download, 'cancelled'))) return;
    panel.close(download.id);
    // Nor does it stand on the list as one that failed, once the page is loaded anew.
    await turnTo(download, 'saved');
  },
  again: (download: Download): Promise<boolean> => turnTo(download, 'again'),
  close: async (download: Download): Promise<void> => {
    // The server has seen the end of it with the saving, and may know it no more.
    if (download.code === codes.done || (await turnTo(download, 'saved'))) panel.close(download.id);
  },
  /** Keeps its songs as a file; it is done then. */
  save: async (download: Download, songs: readonly number[]): Promise<void> => {
    if ((await keepFile(download.title, { songs: [...songs] })) && (await turnTo(download, 'saved')))
      panel.saved(download.id);
  },
};
