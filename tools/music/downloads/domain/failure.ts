import {
  cannotRead,
  FILE_REFUSED,
  KNOWN_FAILURES,
  NEEDS_UPDATE,
  OWN_PROGRAMS,
  PARTS_MISSING,
  withoutCommandLine,
} from './remedy.ts';

/** Why a try brought no song. `again`: it may go better in a while. */
export interface Failure {
  readonly means: 'again' | 'final';
  /** For the person, without an address in it. */
  readonly sentence: string;
  /** What the site said itself, in one line without addresses; left out where the sentence says it. */
  readonly details?: string;
}

/** How a run of yt-dlp ended that brought no file. */
export interface Outcome {
  /** 0 proves nothing. */
  readonly code: number | undefined;
  /** The signal that it died of. */
  readonly died: string | undefined;
  /** Which limit of ours ended it. */
  readonly stopped: 'time' | 'silence' | 'output' | undefined;
  /** Its last words. */
  readonly errors: string;
  /** Why its proxy let something not through. */
  readonly troubles: readonly ('inner' | 'port' | 'unreached' | 'bytes' | 'silent')[];
  /** What the page turned out to be, where it came so far. */
  readonly isLive: boolean;
  /** It had chosen what to fetch. */
  readonly hasBegun: boolean;
  /** Of yt-dlp. */
  readonly version: string;
  readonly limitBytes: number;
}

const final = (sentence: string): Failure => ({ means: 'final', sentence });
const again = (sentence: string): Failure => ({ means: 'again', sentence });

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
export function sizeInWords(bytes: number): string {
  return bytes >= GIB ? `${Number((bytes / GIB).toFixed(1))} GiB` : `${Number((bytes / MIB).toFixed(1))} MiB`;
}

export function tooLarge(limitBytes: number): Failure {
  return final(`Larger than ${sizeInWords(limitBytes)}`);
}
export function tooLong(hours: number): Failure {
  return final(`Longer than ${hours} hours`);
}
export const TOO_SLOW: Failure = again('Took too long');
export const LIVE: Failure = final('Live streams cannot be downloaded');
export const EMPTY_LIST: Failure = final('There is no song in this playlist');
const PRIVATE: Failure = final('This address leads into a private network');
const NO_PORT: Failure = final('This address names a port that downloads are not let through to');
const NOTHING: Failure = final('There is nothing to download under this address');
const NOT_REACHED: Failure = again('The site cannot be reached');
const NO_ROOM: Failure = again('There was no room on the disk of the server');
const BROKEN_OFF: Failure = again('The line broke off');
const NOT_CONVERTED: Failure = final('The server could not convert this into a song');

/** What a status of HTTP means for another try. */
export function ofStatus(status: number): Failure {
  return status >= 500 || status === 408 || status === 429
    ? again(`The site answered ${status}`)
    : final(`The site answered ${status}`);
}

const UNREACHED =
  /Name or service not known|name resolution|No route to host|Network is unreachable|Connection refused|Tunnel connection failed|CERTIFICATE_VERIFY_FAILED/i;
const BROKEN =
  /IncompleteRead|bytes read|Connection reset|Connection aborted|Remote end closed|Broken pipe|timed out|EOF occurred|Giving up after|BadStatusLine/i;
/** Some it would hand to ffmpeg, which is not let near the network. */
const NO_STREAM = /m3u8 download detected|ffmpeg (could not be found|is not installed)/i;
const FILE_TOO_LARGE = /File too large|Errno 27/;
const DISK_FULL = /No space left on device|Disk quota exceeded|Errno (?:28|122)\b/;

const MAX_MESSAGE_LENGTH = 200;

const lastErrorIn = (errors: string): string =>
  [...errors.matchAll(/^ERROR: (?:\[[^\]\n]*\] )?(?:[^\s:]+: )?(.*)$/gm)].at(-1)?.[1] ?? '';

/** What an extractor says in its own words: `ERROR: [Site] id: words`. Without addresses, in one line. */
const saidIn = (errors: string): string => {
  const words = withoutCommandLine(
    lastErrorIn(errors)
      .replaceAll(/https?:\/\/\S+/gi, '…')
      .replaceAll(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ')
      .trim(),
  );
  return Array.from(words).length > MAX_MESSAGE_LENGTH
    ? `${Array.from(words).slice(0, MAX_MESSAGE_LENGTH).join('')}…`
    : words;
};

const statusIn = (errors: string): number | undefined => {
  const status = [...errors.matchAll(/HTTP Error (\d{3})/g)].at(-1)?.[1];
  return status === undefined ? undefined : Number(status);
};

/** Limits of ours that it ran into. */
const ofLimits = ({ troubles, stopped, died, errors, limitBytes }: Outcome): Failure | undefined => {
  if (troubles.includes('bytes') || died === 'SIGXFSZ' || FILE_TOO_LARGE.test(errors)) return tooLarge(limitBytes);
  if (DISK_FULL.test(errors)) return NO_ROOM;
  if (stopped === 'time' || stopped === 'silence' || troubles.includes('silent')) return TOO_SLOW;
  // Killed at the end of its processor time.
  if (died === 'SIGXCPU' || died === 'SIGKILL') return TOO_SLOW;
  return stopped === 'output' ? final('The page says too much to be read') : undefined;
};

/** yt-dlp sees of what its proxy refuses a 403 alone, so the proxy is asked first. */
const ofProxy = ({ troubles }: Outcome): Failure | undefined => {
  if (troubles.includes('inner')) return PRIVATE;
  if (troubles.includes('port')) return NO_PORT;
  return troubles.includes('unreached') ? NOT_REACHED : undefined;
};

const ofNetwork = ({ errors }: Outcome): Failure | undefined => {
  const status = statusIn(errors);
  if (status === 502 || UNREACHED.test(errors)) return NOT_REACHED;
  if (status !== undefined) return ofStatus(status);
  return BROKEN.test(errors) || PARTS_MISSING.test(lastErrorIn(errors)) ? BROKEN_OFF : undefined;
};

/** What only the person can change, such as a sign-in that the site wants. */
const ofSite = ({ errors }: Outcome): Failure | undefined => {
  const last = lastErrorIn(errors).replaceAll(/https?:\/\/\S+/gi, '');
  // The words of a status ('Not Found') are no words of the site.
  const words = last.replaceAll(/\(caused by.*\)|HTTP Error \d{3}(?:: [\w ]+)?/g, '');
  if (OWN_PROGRAMS.test(words)) return undefined;
  const known = KNOWN_FAILURES.find(({ pattern }) => pattern.test(words));
  const isTooOld = NEEDS_UPDATE.test(words) && known?.isCertain !== true;
  // It tells the status of a part while it tries it again, before its last words.
  const isRefused =
    statusIn(last) === 403 ? FILE_REFUSED.pattern.test(words) : /\bGot error: HTTP Error 403/.test(errors);
  const refused = isRefused ? FILE_REFUSED : undefined;
  const found = refused ?? (isTooOld ? undefined : known);
  if (!found) return undefined;
  const details = saidIn(errors);
  return { means: found.means, sentence: found.sentence, ...(details === '' ? {} : { details }) };
};

/** Why a run of yt-dlp brought no file, in the words of the notes' table of failures. */
export function failureOf(outcome: Outcome): Failure {
  const limit = ofLimits(outcome);
  if (limit) return limit;
  if (outcome.isLive) return LIVE;
  // Above `--max-filesize` it leaves the file out, and ends as if all were well.
  if (outcome.code === 0) return outcome.hasBegun ? tooLarge(outcome.limitBytes) : NOTHING;
  const proxied = ofProxy(outcome);
  if (proxied) return proxied;
  const site = ofSite(outcome);
  if (site) return site;
  const network = ofNetwork(outcome);
  if (network) return network;
  if (NO_STREAM.test(outcome.errors)) return final('Streams of this kind cannot be downloaded');
  if (OWN_PROGRAMS.test(lastErrorIn(outcome.errors))) return NOT_CONVERTED;
  if (NEEDS_UPDATE.test(outcome.errors)) return final(cannotRead(outcome.version));
  const said = saidIn(outcome.errors);
  return said === '' ? again('The download broke off') : final(`The site says: ${said}`);
}
