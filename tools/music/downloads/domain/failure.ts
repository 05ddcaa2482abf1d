import {
  formatUnreadableMessage,
  FILE_REFUSED,
  KNOWN_FAILURES,
  OUTDATED_PATTERN,
  OWN_PROGRAM_PATTERN,
  MISSING_PARTS_PATTERN,
  removeCommandLineAdvice,
} from './remedy.ts';

/** Why an attempt failed. `again`: a later attempt can succeed. */
export interface Failure {
  readonly retry: 'again' | 'final';
  /** For the user, without addresses. */
  readonly sentence: string;
  /** The site's own message in one line without addresses; absent if the sentence contains it. */
  readonly details?: string;
}

/** Outcome of a yt-dlp run that produced no file. */
export interface RunOutcome {
  /** Exit code. 0 doesn't mean success. */
  readonly code: number | undefined;
  /** The signal that ended it. */
  readonly exitSignal: string | undefined;
  /** The process limit that ended it. */
  readonly exceededLimit: 'time' | 'silence' | 'output' | undefined;
  /** The end of its error output. */
  readonly errors: string;
  /** Why the proxy blocked requests. */
  readonly proxyFaults: readonly ('inner' | 'port' | 'unreached' | 'bytes' | 'silent')[];
  /** Whether the page is a live stream, as far as known. */
  readonly isLive: boolean;
  /** Whether a format was selected, so that the download has started. */
  readonly hasStarted: boolean;
  /** Version of yt-dlp. */
  readonly version: string;
  readonly limitBytes: number;
}

const createFinalFailure = (sentence: string): Failure => ({ retry: 'final', sentence });
const createRetryableFailure = (sentence: string): Failure => ({ retry: 'again', sentence });

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
export function formatSizeInWords(bytes: number): string {
  return bytes >= GIB ? `${Number((bytes / GIB).toFixed(1))} GiB` : `${Number((bytes / MIB).toFixed(1))} MiB`;
}

export function createTooLargeFailure(limitBytes: number): Failure {
  return createFinalFailure(`This file is larger than ${formatSizeInWords(limitBytes)}`);
}
export function createTooLongFailure(hours: number): Failure {
  return createFinalFailure(`This file is longer than ${hours} hours`);
}
export const TOO_SLOW: Failure = createRetryableFailure('The download took too long');
export const LIVE_STREAM: Failure = createFinalFailure("Live streams can't be downloaded");
export const EMPTY_LIST: Failure = createFinalFailure('This playlist has no songs');
const PRIVATE_ADDRESS: Failure = createFinalFailure(
  "That address is in the server's own network. Ask the owner of this server to allow it",
);
const BLOCKED_PORT: Failure = createFinalFailure('Downloads from the port in this address are blocked');
const NOTHING_FOUND: Failure = createFinalFailure('There is nothing to download at this address');
const UNREACHABLE: Failure = createRetryableFailure('That address cannot be reached');
const DISK_FULL_FAILURE: Failure = createRetryableFailure('The server ran out of disk space');
const CONNECTION_LOST: Failure = createRetryableFailure('The connection to that site was lost');
const NOT_CONVERTED: Failure = createFinalFailure('The server could not convert this into a song');

/** Returns the failure for an HTTP status. */
export function createStatusFailure(status: number): Failure {
  return status >= 500 || status === 408 || status === 429
    ? createRetryableFailure(`The site responded with status ${status}`)
    : createFinalFailure(`The site responded with status ${status}`);
}

const UNREACHED_PATTERN =
  /Name or service not known|name resolution|No route to host|Network is unreachable|Connection refused|Tunnel connection failed|CERTIFICATE_VERIFY_FAILED/i;
const BROKEN_PATTERN =
  /IncompleteRead|bytes read|Connection reset|Connection aborted|Remote end closed|Broken pipe|timed out|EOF occurred|Giving up after|BadStatusLine/i;
/** yt-dlp would pass these streams to ffmpeg, which has no network access. */
const UNSUPPORTED_STREAM_PATTERN = /m3u8 download detected|ffmpeg (could not be found|is not installed)/i;
const FILE_TOO_LARGE_PATTERN = /File too large|Errno 27/;
const DISK_FULL_PATTERN = /No space left on device|Disk quota exceeded|Errno (?:28|122)\b/;

/** yt-dlp refuses its arguments, or Python can't run it. */
const NOT_STARTED_PATTERN =
  /^\S*yt-dlp\S*: error: |^(?:ImportError|ModuleNotFoundError|SyntaxError|zipimport\.ZipImportError)\b/m;
const NOT_STARTED: Failure = createFinalFailure(
  'yt-dlp does not start on this server. Ask the owner of this server to update it, and to check its options',
);

const MAX_MESSAGE_LENGTH = 200;

const findLastError = (errors: string): string =>
  [...errors.matchAll(/^ERROR: (?:\[[^\]\n]*\] )?(?:[^\s:]+: )?(.*)$/gm)].at(-1)?.[1] ?? '';

/** Returns the extractor's own message from `ERROR: [Site] id: message`, in one line without addresses. */
function getSiteMessage(errors: string): string {
  const message = removeCommandLineAdvice(
    findLastError(errors)
      .replaceAll(/https?:\/\/\S+/gi, '…')
      .replaceAll(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ')
      .trim(),
  );
  return Array.from(message).length > MAX_MESSAGE_LENGTH
    ? `${Array.from(message).slice(0, MAX_MESSAGE_LENGTH).join('')}…`
    : message;
}

function findHttpStatus(errors: string): number | undefined {
  const status = [...errors.matchAll(/HTTP Error (\d{3})/g)].at(-1)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Returns the failure if a limit was exceeded. */
function getLimitFailure(outcome: RunOutcome): Failure | undefined {
  const { proxyFaults, exceededLimit, exitSignal, errors, limitBytes } = outcome;
  if (proxyFaults.includes('bytes') || exitSignal === 'SIGXFSZ' || FILE_TOO_LARGE_PATTERN.test(errors))
    return createTooLargeFailure(limitBytes);
  if (DISK_FULL_PATTERN.test(errors)) return DISK_FULL_FAILURE;
  if (exceededLimit === 'time' || exceededLimit === 'silence' || proxyFaults.includes('silent')) return TOO_SLOW;
  // Killed after its processor time was used up.
  if (exitSignal === 'SIGXCPU' || exitSignal === 'SIGKILL') return TOO_SLOW;
  return exceededLimit === 'output' ? createFinalFailure('The response of this page is too large') : undefined;
}

/** Returns the failure if the proxy blocked a request. yt-dlp only sees a 403, so the proxy is checked first. */
function getProxyFailure({ proxyFaults }: RunOutcome): Failure | undefined {
  if (proxyFaults.includes('inner')) return PRIVATE_ADDRESS;
  if (proxyFaults.includes('port')) return BLOCKED_PORT;
  return proxyFaults.includes('unreached') ? UNREACHABLE : undefined;
}

function getNetworkFailure({ errors }: RunOutcome): Failure | undefined {
  const status = findHttpStatus(errors);
  if (status === 502 || UNREACHED_PATTERN.test(errors)) return UNREACHABLE;
  if (status !== undefined) return createStatusFailure(status);
  return BROKEN_PATTERN.test(errors) || MISSING_PARTS_PATTERN.test(findLastError(errors)) ? CONNECTION_LOST : undefined;
}

/**
 * Returns the failure for a message of the site, or of a yt-dlp that does not start. Often only the user can help, for
 * example by logging in.
 */
function getSiteFailure({ errors }: RunOutcome): Failure | undefined {
  if (findLastError(errors) === '' && NOT_STARTED_PATTERN.test(errors)) return NOT_STARTED;
  const lastError = findLastError(errors).replaceAll(/https?:\/\/\S+/gi, '');
  // The text of an HTTP status ('Not Found') is not a message of the site.
  const message = lastError.replaceAll(/\(caused by.*\)|HTTP Error \d{3}(?:: [\w ]+)?/g, '');
  if (OWN_PROGRAM_PATTERN.test(message)) return undefined;
  const knownFailure = KNOWN_FAILURES.find(({ pattern }) => pattern.test(message));
  const isTooOld = OUTDATED_PATTERN.test(message) && knownFailure?.isCertain !== true;
  // yt-dlp prints the status of a fragment while it retries it, before the last message.
  const isRefused =
    findHttpStatus(lastError) === 403 ? FILE_REFUSED.pattern.test(message) : /\bGot error: HTTP Error 403/.test(errors);
  const failure = isRefused ? FILE_REFUSED : isTooOld ? undefined : knownFailure;
  if (!failure) return undefined;
  const details = getSiteMessage(errors);
  return { retry: failure.retry, sentence: failure.sentence, ...(details === '' ? {} : { details }) };
}

/** Returns why a run of yt-dlp produced no file, for the failures of docs/design/tools.md section 10. */
export function classifyFailure(outcome: RunOutcome): Failure {
  const limitFailure = getLimitFailure(outcome);
  if (limitFailure) return limitFailure;
  if (outcome.isLive) return LIVE_STREAM;
  // yt-dlp skips files above `--max-filesize`, and exits with 0.
  if (outcome.code === 0) return outcome.hasStarted ? createTooLargeFailure(outcome.limitBytes) : NOTHING_FOUND;
  const proxyFailure = getProxyFailure(outcome);
  if (proxyFailure) return proxyFailure;
  const siteFailure = getSiteFailure(outcome);
  if (siteFailure) return siteFailure;
  const networkFailure = getNetworkFailure(outcome);
  if (networkFailure) return networkFailure;
  if (UNSUPPORTED_STREAM_PATTERN.test(outcome.errors))
    return createFinalFailure("This type of stream can't be downloaded");
  if (OWN_PROGRAM_PATTERN.test(findLastError(outcome.errors))) return NOT_CONVERTED;
  if (OUTDATED_PATTERN.test(outcome.errors)) return createFinalFailure(formatUnreadableMessage(outcome.version));
  const message = getSiteMessage(outcome.errors);
  return message === ''
    ? createRetryableFailure('The download was interrupted')
    : createFinalFailure(`The site says: ${message}`);
}
