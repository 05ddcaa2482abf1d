import type { ClipboardEvent } from 'react';
import { call } from '#platform/web/app/call.ts';
import { ytdownload } from '../../contract.ts';
import { notQueued } from './failures.ts';
import { panel } from './panelState.ts';

/**
 * What a field of one line holds after lines were pasted into it: with spaces between them, for the browser would join the links of two lines to one.
 * Undefined where the paste is the browser's own to do.
 */
export function pastedLines(event: ClipboardEvent<HTMLInputElement>): string | undefined {
  const text = event.clipboardData.getData('text/plain');
  if (!/[\r\n]/.test(text)) return undefined;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  return `${value.slice(0, start)}${text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')}${value.slice(end)}`;
}

interface QueueOptions {
  /** Into which the songs come. */
  readonly playlist?: number | undefined;
  /** The text is an address to its last character. */
  readonly isExact?: boolean;
}

/** Queues every link in a text, into a playlist where one is given. The panel shows how they go, and why they were not taken. */
export async function queueLinks(text: string, options: QueueOptions = {}): Promise<void> {
  const { playlist, isExact = false } = options;
  try {
    const asked = await call(ytdownload, {
      url: text,
      ...(playlist === undefined ? {} : { playlist }),
      ...(isExact ? { exact: true } : {}),
    });
    for (const { downloadid, title, status, failed } of [asked, ...(asked.more ?? [])])
      // What the socket told meanwhile is newer.
      if (!panel.shown().downloads.has(downloadid)) panel.take(downloadid, { title, status, failed, video_id: '' });
  } catch (error) {
    const why = notQueued(error);
    if (why !== undefined) panel.addMishap(text, why, () => void queueLinks(text, options));
  }
}
