import { codes, FIRST_OF_LINK, type Code } from '../../contract/limits.ts';
import { adviceOn, type Remedy } from './remedy.ts';

export type State = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** What came of a download. */
export type DownloadResult =
  | {
      readonly kind: 'song';
      readonly song: number;
      /** It was in the library before. */
      readonly isKnown: boolean;
    }
  /** The link led to a list: a download of its own was made for each of these songs. */
  | {
      readonly kind: 'list';
      readonly songs: number;
      /** There were more than are taken. */
      readonly isCut: boolean;
      /** Of how many; undefined where the list did not say. */
      readonly of: number | undefined;
    };

/** A download as it stands in the queue. */
export interface QueuedDownload {
  readonly title: string;
  readonly state: State;
  /** It has turned out to be a list. */
  readonly isList: boolean;
  readonly percent: number | undefined;
  /** Why it failed, or waits. */
  readonly error: string;
  readonly result: DownloadResult | undefined;
  /** Its song was saved, or it was closed. */
  readonly isDismissed: boolean;
}

/** How the songs of a list stand. */
export interface ListProgress {
  readonly all: number;
  readonly open: number;
  readonly failed: number;
}

/** A download as its owner is told of it. */
export interface Status {
  /** One of the specification's texts. */
  readonly status: string;
  readonly code: Code;
  readonly song: number | undefined;
  readonly percent: number | undefined;
  readonly reason: string | undefined;
  /** What helps, where it failed and something does. */
  readonly remedy?: Remedy | undefined;
  /** What the site said itself. */
  readonly details?: string | undefined;
}

/** Specification 2, section 4. */
export const TEXTS = {
  queued: 'Queued for download',
  list: 'Playlist download pending',
  song: 'mp3 download pending',
  done: 'Downloaded! please save',
  failed: 'Download failed',
} as const;

/** How much of a list is taken: '' for all of it. */
export function partOfList({ isCut, of }: Pick<Extract<DownloadResult, { kind: 'list' }>, 'isCut' | 'of'>): string {
  if (!isCut) return '';
  return of === undefined ? `The first ${FIRST_OF_LINK} of more` : `First ${FIRST_OF_LINK} of ${of}`;
}

const failedOf = ({ failed }: ListProgress): string =>
  failed === 0 ? '' : `${failed} ${failed === 1 ? 'song' : 'songs'} failed`;
const joined = (...sentences: readonly string[]): string | undefined =>
  sentences.filter((one) => one !== '').join('; ') || undefined;

const ofList = (
  result: Extract<DownloadResult, { kind: 'list' }>,
  parts: ListProgress,
  isDismissed: boolean,
): Status => {
  const reason = joined(partOfList(result), failedOf(parts));
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
};

const NO_PARTS: ListProgress = { all: 0, open: 0, failed: 0 };

const ofSong = (result: Extract<DownloadResult, { kind: 'song' }> | undefined, isDismissed: boolean): Status => ({
  status: TEXTS.done,
  code: isDismissed ? codes.done : codes.save,
  song: result?.song,
  percent: 100,
  reason: result?.isKnown === true ? 'It was in the library already' : undefined,
});

/** A stored error is a sentence, and on further lines what the site said itself. */
const failedFor = (error: string): Pick<Status, 'reason' | 'remedy' | 'details'> => {
  const [first = '', ...rest] = error.split('\n');
  const { sentence, remedy } = adviceOn(first);
  const details = rest.join(' ');
  return {
    reason: joined(sentence),
    ...(remedy === undefined ? {} : { remedy }),
    ...(details === '' ? {} : { details }),
  };
};

/** What a download's owner is told: the code, in order 4, 5, (2, then) 3 and 0, or 1, with its text. `parts` of a list. */
export function statusOf(download: QueuedDownload, parts: ListProgress = NO_PARTS): Status {
  const { state, result, error, isDismissed, percent } = download;
  const plain = { song: undefined, percent: undefined, reason: joined(error) };
  switch (state) {
    case 'queued':
      return { ...plain, status: TEXTS.queued, code: codes.queued };
    case 'running':
      return {
        ...plain,
        status: download.isList ? TEXTS.list : TEXTS.song,
        code: codes.pending,
        percent: percent && Math.floor(percent),
        reason: undefined,
      };
    case 'failed':
      return { ...plain, status: TEXTS.failed, code: codes.failed, ...failedFor(error) };
    case 'cancelled':
      return { ...plain, status: TEXTS.failed, code: codes.failed, reason: 'Cancelled' };
    case 'done':
      return result?.kind === 'list' ? ofList(result, parts, isDismissed) : ofSong(result, isDismissed);
  }
}
