import type { ClipboardEvent } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { ytdownload } from '../../contract.ts';
import { panel } from './panelState.ts';

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Formats why a link was not queued (docs/specification/music.md section 5); undefined if the platform shows it. */
export function formatQueueFailure(error: unknown): string | undefined {
  if (error instanceof InvalidTokenRefusal) return undefined;
  if (error instanceof Refusal) return `Failed: ${error.message}`;
  if (error instanceof CallError && error.status !== 0) return `Error: ${error.status} - ${error.message}`;
  return `Network Error: ${getMessage(error)}`;
}

/** Formats why a song or playlist could not be downloaded as a file; undefined if the platform shows it. */
export function formatSaveFailure(error: unknown): string | undefined {
  if (error instanceof InvalidTokenRefusal) return undefined;
  const message = getMessage(error);
  return message === '' ? 'Download failed' : `Download failed: ${message}`;
}

/**
 * Returns the value of a one-line field after lines were pasted, with spaces between them: the browser would join their
 * links. Undefined if the browser can handle the paste.
 */
export function joinPastedLines(event: ClipboardEvent<HTMLInputElement>): string | undefined {
  const text = event.clipboardData.getData('text/plain');
  if (!/[\r\n]/.test(text)) return undefined;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  return `${value.slice(0, start)}${text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')}${value.slice(end)}`;
}

interface QueueOptions {
  /** The playlist that the songs are added to. */
  readonly playlist?: number | undefined;
  /** Whether the text is a single address, used unchanged. */
  readonly isExact?: boolean;
}

/** Queues every link in a text. The panel shows their progress, or why they were refused. */
export async function queueLinks(text: string, options: QueueOptions = {}): Promise<void> {
  const { playlist, isExact = false } = options;
  try {
    const answer = await call(ytdownload, {
      url: text,
      ...(playlist === undefined ? {} : { playlist }),
      ...(isExact ? { exact: true } : {}),
    });
    for (const { downloadid, title, status, failed } of [answer, ...(answer.more ?? [])])
      // Updates that arrived over the socket are newer.
      if (!panel.getState().downloads.has(downloadid))
        panel.update(downloadid, { title, status, failed, video_id: '' });
  } catch (error) {
    const reason = formatQueueFailure(error);
    if (reason !== undefined) panel.addFailedAction(text, reason, () => void queueLinks(text, options));
  }
}
