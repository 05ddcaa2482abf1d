import { call } from '#platform/web/call.ts';
import { ytdownload } from '../../../contract.ts';
import { notQueued } from './failures.ts';
import { panel } from './panel.ts';

/** Queues a link, into a playlist where one is given. The panel shows how it goes, and why it was not taken. */
export const queueLink = async (url: string, playlist?: number): Promise<void> => {
  try {
    const asked = await call(ytdownload, { url, ...(playlist === undefined ? {} : { playlist }) });
    const { downloadid, title, status, failed } = asked;
    // What the socket told meanwhile is newer.
    if (!panel.shown().downloads.has(downloadid)) panel.take(downloadid, { title, status, failed, video_id: '' });
  } catch (error) {
    const text = notQueued(error);
    if (text !== undefined) panel.addMishap(url, text, () => void queueLink(url, playlist));
  }
};
