/** What yt-dlp reports about a song. */
export interface FoundSong {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** Duration that the page announces, in seconds. */
  readonly seconds: number | undefined;
  /** The site, and its own id for this; empty if only the address identifies it. */
  readonly site: string;
  readonly siteId: string;
  readonly isLive: boolean;
  /** Whether the address leads to a list that starts with this song. */
  readonly isOfList: boolean;
}

/** A parsed line of yt-dlp's output. */
export type YtdlpLine =
  | { readonly kind: 'found'; readonly found: FoundSong }
  /** A format was selected. `stream` is the address of a stream manifest; undefined for a single file. */
  | { readonly kind: 'begins'; readonly stream: string | undefined }
  /** 0 to 100; undefined if the size is unknown. */
  | { readonly kind: 'bytes'; readonly percent: number | undefined }
  /** The file is complete, as far as yt-dlp knows. */
  | { readonly kind: 'file'; readonly name: string };

/** Prefixes of the JSON lines that yt-dlp is configured to print (downloads/server/ytdlp.ts). */
export const LINE_PREFIXES = { found: 'PI', started: 'PS', bytes: 'PB', file: 'PF' } as const;

type Fields = Readonly<Record<string, unknown>>;

/** A text of JSON, or a number that Python writes but JSON doesn't have. */
const PYTHON_NUMBER_PATTERN = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/** Parses the JSON of a Python program; undefined if it is invalid. Numbers without a value, such as NaN, are null. */
export function parsePythonJson(json: string): unknown {
  try {
    return JSON.parse(json.replaceAll(PYTHON_NUMBER_PATTERN, (part) => (part.startsWith('"') ? part : 'null')));
  } catch {
    return undefined;
  }
}

const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
function getText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}
function getPositiveNumber(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Extractors that read any page. Their id is a part of the address and not unique. */
const GENERIC_EXTRACTORS = ['', 'Generic', 'HTML5MediaEmbed', 'GenericEmbeds'];

/** Returns the site's own id for a song; both empty if there is none. */
export function parseSiteId(extractor: string, id: string): { readonly site: string; readonly siteId: string } {
  return GENERIC_EXTRACTORS.includes(extractor) || id === '' || id.length > 200 || extractor.length > 200
    ? { site: '', siteId: '' }
    : { site: extractor, siteId: id };
}

const toFoundSong = (fields: Fields): FoundSong => ({
  title: getText(fields, 'track') || getText(fields, 'title'),
  artist: getText(fields, 'artist'),
  album: getText(fields, 'album'),
  seconds: getPositiveNumber(fields, 'duration'),
  ...parseSiteId(getText(fields, 'extractor_key'), getText(fields, 'id')),
  isLive: fields['is_live'] === true || fields['live_status'] === 'is_live' || fields['live_status'] === 'is_upcoming',
  isOfList: getText(fields, 'playlist_id') !== '' || getPositiveNumber(fields, 'n_entries') !== undefined,
});

function getPercent(fields: Fields): number | undefined {
  if (fields['status'] === 'finished') return 100;
  const total = getPositiveNumber(fields, 'total_bytes') ?? getPositiveNumber(fields, 'total_bytes_estimate');
  const received = getPositiveNumber(fields, 'downloaded_bytes') ?? 0;
  return total === undefined ? undefined : Math.min(100, (received / total) * 100);
}

/** File names that yt-dlp is configured to use. They contain nothing from the page. */
const OWN_FILE_PATTERN = /(?:^|\/)(media\.[a-z0-9]{1,12})$/i;

/** Parses a line of yt-dlp's output; undefined for all others. */
export function parseLine(line: string): YtdlpLine | undefined {
  const value = parsePythonJson(line.slice(LINE_PREFIXES.found.length));
  if (value === undefined) return undefined;
  const fields = toFields(value);
  switch (line.slice(0, LINE_PREFIXES.found.length)) {
    case LINE_PREFIXES.found:
      return { kind: 'found', found: toFoundSong(fields) };
    case LINE_PREFIXES.started:
      return {
        kind: 'begins',
        stream: getText(fields, 'protocol').startsWith('m3u8') ? getText(fields, 'url') : undefined,
      };
    case LINE_PREFIXES.bytes:
      return { kind: 'bytes', percent: getPercent(fields) };
    case LINE_PREFIXES.file: {
      const name = typeof value === 'string' ? OWN_FILE_PATTERN.exec(value)?.[1] : undefined;
      return name === undefined ? undefined : { kind: 'file', name };
    }
    default:
      return undefined;
  }
}

/** Share of fetching in the progress of a download, in percent; checking and converting are the rest. */
const FETCHING_PERCENT = 70;
/** Converts the progress of fetching to that of the whole download. */
export function toFetchProgress(percent: number): number {
  return Math.round((percent * FETCHING_PERCENT) / 100);
}
/** Converts the progress of processing to that of the whole download. */
export function toProcessingProgress(percent: number): number {
  return Math.round(FETCHING_PERCENT + (percent * (100 - FETCHING_PERCENT)) / 100);
}
