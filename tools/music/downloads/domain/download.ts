import { codes, MAX_SONGS_PER_LINK, type Code } from '../../contract/limits.ts';
import { getAdvice, type Remedy } from './remedy.ts';

export type DownloadState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export type DownloadResult =
  | {
      readonly kind: 'song';
      readonly song: number;
      /** Whether it was in the library before. */
      readonly isKnown: boolean;
    }
  /** The link led to a list. Each of its songs got a separate download. */
  | {
      readonly kind: 'list';
      readonly songs: number;
      /** Whether the list had more songs than are downloaded. */
      readonly isCut: boolean;
      /** Number of songs in the list; undefined if the list doesn't report it. */
      readonly of: number | undefined;
    };

/** A download in the job queue. */
export interface QueuedDownload {
  readonly title: string;
  readonly state: DownloadState;
  /** Whether it turned out to be a list. */
  readonly isList: boolean;
  readonly percent: number | undefined;
  /** Why it failed or is waiting. */
  readonly error: string;
  readonly result: DownloadResult | undefined;
  /** Its song was saved, or it was closed. */
  readonly isDismissed: boolean;
}

/** Progress of the songs of a list. */
export interface ListProgress {
  readonly all: number;
  readonly open: number;
  readonly failed: number;
}

/** The state of a download for the user. */
export interface Status {
  /** One of the texts in `TEXTS`. */
  readonly status: string;
  readonly code: Code;
  readonly song: number | undefined;
  readonly percent: number | undefined;
  readonly reason: string | undefined;
  /** What can help, if it failed. */
  readonly remedy?: Remedy | undefined;
  /** The site's own message. */
  readonly details?: string | undefined;
}

/** Texts of docs/specification/music.md section 3.2. */
export const TEXTS = {
  queued: 'Queued for download',
  list: 'Playlist download pending',
  song: 'mp3 download pending',
  done: 'Downloaded! please save',
  failed: 'Download failed',
} as const;

/** Formats how much of a list is downloaded; '' for all of it. */
export function formatListPart({ isCut, of }: Pick<Extract<DownloadResult, { kind: 'list' }>, 'isCut' | 'of'>): string {
  if (!isCut) return '';
  return of === undefined ? `Only the first ${MAX_SONGS_PER_LINK}` : `First ${MAX_SONGS_PER_LINK} of ${of}`;
}

const formatFailedCount = ({ failed }: ListProgress): string =>
  failed === 0 ? '' : `${failed} ${failed === 1 ? 'song' : 'songs'} failed`;
const joinSentences = (...sentences: readonly string[]): string | undefined =>
  sentences.filter(Boolean).join('; ') || undefined;

function getListStatus(
  result: Extract<DownloadResult, { kind: 'list' }>,
  parts: ListProgress,
  isDismissed: boolean,
): Status {
  const reason = joinSentences(formatListPart(result), formatFailedCount(parts));
  const base = { song: undefined, reason };
  if (parts.open > 0)
    return {
      ...base,
      status: TEXTS.list,
      code: codes.pending,
      percent: Math.floor(((parts.all - parts.open) / parts.all) * 100),
    };
  if (parts.all > 0 && parts.failed === parts.all)
    return { ...base, status: TEXTS.failed, code: codes.failed, percent: undefined };
  return { ...base, status: TEXTS.done, code: isDismissed ? codes.done : codes.save, percent: 100 };
}

const NO_PARTS: ListProgress = { all: 0, open: 0, failed: 0 };

const getSongStatus = (
  result: Extract<DownloadResult, { kind: 'song' }> | undefined,
  isDismissed: boolean,
): Status => ({
  status: TEXTS.done,
  code: isDismissed ? codes.done : codes.save,
  song: result?.song,
  percent: 100,
  reason: result?.isKnown === true ? 'Already in your library' : undefined,
});

/** Parses a stored error: a sentence, and the site's own message on further lines. */
function parseError(error: string): Pick<Status, 'reason' | 'remedy' | 'details'> {
  const [firstLine = '', ...otherLines] = error.split('\n');
  const { sentence, remedy } = getAdvice(firstLine);
  const details = otherLines.join(' ');
  return {
    reason: joinSentences(sentence),
    ...(remedy === undefined ? {} : { remedy }),
    ...(details === '' ? {} : { details }),
  };
}

/**
 * Returns the state of a download for the user. Codes change from 4 to 5, 2 (only in events), 3 and 0, or end with 1.
 * @param parts progress of the songs, if it is a list
 */
export function getDownloadStatus(download: QueuedDownload, parts: ListProgress = NO_PARTS): Status {
  const { state, result, error, isDismissed, percent } = download;
  const base = { song: undefined, percent: undefined, reason: joinSentences(error) };
  switch (state) {
    case 'queued':
      return { ...base, status: TEXTS.queued, code: codes.queued };
    case 'running':
      return {
        ...base,
        status: download.isList ? TEXTS.list : TEXTS.song,
        code: codes.pending,
        percent: percent && Math.floor(percent),
        reason: undefined,
      };
    case 'failed':
      return { ...base, status: TEXTS.failed, code: codes.failed, ...parseError(error) };
    case 'cancelled':
      return { ...base, status: TEXTS.failed, code: codes.failed, reason: 'Cancelled' };
    case 'done':
      return result?.kind === 'list' ? getListStatus(result, parts, isDismissed) : getSongStatus(result, isDismissed);
  }
}
