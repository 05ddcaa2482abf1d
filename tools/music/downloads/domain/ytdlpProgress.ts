/** What yt-dlp says of the song that it has found. */
export interface FoundSong {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** Seconds that the page announces. */
  readonly seconds: number | undefined;
  /** The site, and its own name for this; empty where the address is the only name that it has. */
  readonly site: string;
  readonly siteId: string;
  readonly isLive: boolean;
  /** The address leads to a list, of which this is the first. */
  readonly isOfList: boolean;
}

/** A line of yt-dlp that means something to us. */
export type YtdlpLine =
  | { readonly kind: 'found'; readonly found: FoundSong }
  /** It has chosen what to fetch. `stream`: the address of a list that names its parts; undefined where it is one file. */
  | { readonly kind: 'begins'; readonly stream: string | undefined }
  /** 0 to 100; undefined where nobody knows how long it is. */
  | { readonly kind: 'bytes'; readonly percent: number | undefined }
  /** Its file is whole, as far as yt-dlp knows. */
  | { readonly kind: 'file'; readonly name: string };

/** What stands in front of the JSON of a line, by what the line means; `yt-dlp` is told to write so (server/downloads/ytdlp.ts). */
export const PREFIX = { found: 'PI', begins: 'PS', bytes: 'PB', file: 'PF' } as const;

type Fields = Readonly<Record<string, unknown>>;

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined; // a line of something else that begins alike
  }
};

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
};
const positiveIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
};

/** Extractors that read any page: what they take for an id is a part of the address, and not the only one of its kind. */
const ANY_PAGE = ['', 'Generic', 'HTML5MediaEmbed', 'GenericEmbeds'];

/** The site's own name for a song; both empty where it gives none. */
export function siteOf(extractor: string, id: string): { readonly site: string; readonly siteId: string } {
  return ANY_PAGE.includes(extractor) || id === '' || id.length > 200 || extractor.length > 200
    ? { site: '', siteId: '' }
    : { site: extractor, siteId: id };
}

const foundIn = (fields: Fields): FoundSong => ({
  title: textIn(fields, 'track') || textIn(fields, 'title'),
  artist: textIn(fields, 'artist'),
  album: textIn(fields, 'album'),
  seconds: positiveIn(fields, 'duration'),
  ...siteOf(textIn(fields, 'extractor_key'), textIn(fields, 'id')),
  isLive: fields['is_live'] === true || fields['live_status'] === 'is_live' || fields['live_status'] === 'is_upcoming',
  isOfList: textIn(fields, 'playlist_id') !== '' || positiveIn(fields, 'n_entries') !== undefined,
});

const percentIn = (fields: Fields): number | undefined => {
  if (fields['status'] === 'finished') return 100;
  const total = positiveIn(fields, 'total_bytes') ?? positiveIn(fields, 'total_bytes_estimate');
  const done = positiveIn(fields, 'downloaded_bytes') ?? 0;
  return total === undefined ? undefined : Math.min(100, (done / total) * 100);
};

/** Names that we told it to give: nothing from a page is among them. */
const OWN_FILE = /(?:^|\/)(media\.[a-z0-9]{1,12})$/i;

/** What a line of yt-dlp means; undefined for all others. */
export function readLine(line: string): YtdlpLine | undefined {
  const value = parsed(line.slice(PREFIX.found.length));
  if (value === undefined) return undefined;
  const fields = fieldsOf(value);
  switch (line.slice(0, PREFIX.found.length)) {
    case PREFIX.found:
      return { kind: 'found', found: foundIn(fields) };
    case PREFIX.begins:
      return {
        kind: 'begins',
        stream: textIn(fields, 'protocol').startsWith('m3u8') ? textIn(fields, 'url') : undefined,
      };
    case PREFIX.bytes:
      return { kind: 'bytes', percent: percentIn(fields) };
    case PREFIX.file: {
      const name = typeof value === 'string' ? OWN_FILE.exec(value)?.[1] : undefined;
      return name === undefined ? undefined : { kind: 'file', name };
    }
    default:
      return undefined;
  }
}

/** Of a download, the share that fetching takes; the rest is checking and converting. */
const FETCHING = 70;
export function whileFetching(percent: number): number {
  return Math.round((percent * FETCHING) / 100);
}
export function whileFinishing(percent: number): number {
  return Math.round(FETCHING + (percent * (100 - FETCHING)) / 100);
}
