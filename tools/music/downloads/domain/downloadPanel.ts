import { groupBy } from '#platform/contract/groupBy.ts';
import { codes, type Code } from '../../contract/limits.ts';
import type { Remedy } from './remedy.ts';

/** A download in the panel. */
export interface Download {
  readonly id: number;
  readonly title: string;
  /** One of the texts of docs/specification/music.md section 3.2. */
  readonly status: string;
  readonly code: Code;
  /** Id of the song once it is stored. */
  readonly song: number | undefined;
  /** 0 to 100. */
  readonly percent: number | undefined;
  /** Why it failed or is waiting. */
  readonly reason: string | undefined;
  /** What can help, if it failed. */
  readonly remedy?: Remedy | undefined;
  /** The link, if there is a remedy. */
  readonly url?: string | undefined;
  /** The site's own message. */
  readonly details?: string | undefined;
  /** The download of the playlist that found it. */
  readonly parent: number | undefined;
  /** The upload of its file. */
  readonly upload: number | undefined;
}

export type Tone = 'green' | 'red' | 'teal' | 'blue' | 'orange';

/** Colours of docs/specification/music.md section 3.2. */
const TONES: Readonly<Record<Code, Tone>> = { 0: 'green', 1: 'red', 2: 'teal', 3: 'blue', 4: 'orange', 5: 'orange' };
/** Returns the colour of a code. */
export function getTone(code: Code): Tone {
  return TONES[code];
}

/** Returns whether a download is queued or running, and can be cancelled. */
export function isOngoing(code: Code): boolean {
  return code === codes.queued || code === codes.pending;
}

export function formatState({ code, status }: Pick<Download, 'code' | 'status'>): string {
  if (code === codes.done) return 'done';
  return code === codes.finished ? 'finished' : status;
}

/** Formats why a download failed or is waiting. */
export function formatDetail({ code, reason }: Pick<Download, 'code' | 'reason'>): string | undefined {
  if (reason === undefined || reason === '') return undefined;
  return code === codes.failed ? `Download failed: ${reason}` : reason;
}

/** A download, and the downloads that it found. */
export interface DownloadGroup {
  readonly download: Download;
  /** In the order of the playlist; empty for a single song. */
  readonly songDownloads: readonly Download[];
}

/** Groups downloads, newest first. Songs of a playlist are below its own download, in order. */
export function groupDownloads(downloads: readonly Download[]): readonly DownloadGroup[] {
  const ids = new Set(downloads.map(({ id }) => id));
  const parents = downloads.filter(({ parent }) => parent === undefined || !ids.has(parent));
  const downloadsByParent = groupBy(downloads, ({ parent }) => parent);
  return parents
    .toSorted((one, other) => other.id - one.id)
    .map((download) => ({
      download,
      songDownloads: (downloadsByParent.get(download.id) ?? []).toSorted((one, other) => one.id - other.id),
    }));
}

/** Returns the songs that can be saved: the download's own, or the finished ones of its list. */
export function listFinishedSongs({ download: { song }, songDownloads }: DownloadGroup): readonly number[] {
  return song === undefined ? songDownloads.flatMap((songDownload) => songDownload.song ?? []) : [song];
}

interface DownloadCounts {
  readonly ongoing: number;
  readonly failed: number;
  readonly toSave: number;
}

/** Counts downloads by what the user can do with them. */
export function countDownloads(downloads: readonly Download[]): DownloadCounts {
  return {
    ongoing: downloads.filter(({ code }) => isOngoing(code)).length,
    failed: downloads.filter(({ code }) => code === codes.failed).length,
    toSave: downloads.filter(({ code }) => code === codes.save).length,
  };
}

/**
 * Returns the uploads that are not downloads yet. A download can be announced before the answer to its last chunk
 * arrives.
 */
export function listUnannouncedUploads<Upload extends { readonly upload: number | undefined }>(
  uploads: readonly Upload[],
  downloads: readonly Download[],
): readonly Upload[] {
  // A failed upload can be sent again.
  const downloadedUploads = new Set(downloads.filter(({ code }) => code !== codes.failed).map(({ upload }) => upload));
  return uploads.filter(({ upload }) => upload === undefined || !downloadedUploads.has(upload));
}

/** Formats a summary: '3 in progress, 1 failed'; '' if there are no downloads. */
export function formatSummary({ ongoing, failed, toSave }: DownloadCounts): string {
  return [ongoing > 0 && `${ongoing} in progress`, toSave > 0 && `${toSave} to save`, failed > 0 && `${failed} failed`]
    .filter(Boolean)
    .join(', ');
}

/** Returns whether two downloads look the same, so that nothing has to be rendered. */
export function isSame(one: Download, other: Download): boolean {
  return (
    one.title === other.title &&
    one.status === other.status &&
    one.code === other.code &&
    one.song === other.song &&
    one.percent === other.percent &&
    one.reason === other.reason &&
    one.remedy === other.remedy &&
    one.url === other.url &&
    one.details === other.details &&
    one.parent === other.parent &&
    one.upload === other.upload
  );
}
