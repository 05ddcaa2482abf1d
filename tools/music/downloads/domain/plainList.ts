/** A song in a playlist file. */
export interface ListedSong {
  /** Empty if the file has none. */
  readonly title: string;
  readonly url: string;
}

/** Detects the format of a playlist file. Returns undefined for other files and stream manifests. */
export function detectListFormat(text: string): 'm3u' | 'pls' | 'xspf' | undefined {
  const start = text.replace(/^\u{feff}/u, '').trimStart();
  if (/^(?:[;#][^\r\n]*\s+)*\[playlist\]/i.test(start.slice(0, 4000))) return 'pls';
  if (
    /^(?:(?:<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>)\s*)*<(?:[\w-]+:)?playlist[\s>]/i.test(start.slice(0, 4000))
  )
    return 'xspf';
  if (/^#EXT-X-/m.test(text)) return undefined;
  return /^#EXTM3U(?:\s|$)/i.test(start) || isBareM3u(start) ? 'm3u' : undefined;
}

/** Returns whether a stream manifest belongs to a live stream. A complete one has a tag for its end. */
export function isLiveManifest(text: string): boolean {
  return /^#EXTINF:/m.test(text) && !/^#EXT-X-(?:ENDLIST|PLAYLIST-TYPE:\s*VOD)\b/m.test(text);
}

/** Classic Mac OS ended lines with a carriage return only. */
const LINE_END_PATTERN = /\r\n?|\n/;
/** IPTV playlists have attributes before the title, with commas inside of their quotes. */
const TITLE_PATTERN = /^#EXTINF:(?:[^,"]*(?:"[^"]*"[^,"]*)*|[^,]*),(.*)$/i;

/** Simple M3U files consist of addresses only, one per line. */
function isBareM3u(text: string): boolean {
  const lines = text.split(LINE_END_PATTERN).map((line) => line.trim());
  const entries = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return entries.length > 0 && entries.every((line) => /^https?:\/\/\S/i.test(line));
}

function parseM3u(text: string): readonly ListedSong[] {
  const songs: ListedSong[] = [];
  let title = '';
  for (const line of text.split(LINE_END_PATTERN).map((each) => each.trim())) {
    title = TITLE_PATTERN.exec(line)?.[1]?.trim() ?? title;
    if (line === '' || line.startsWith('#')) continue;
    songs.push({ title, url: line });
    title = '';
  }
  return songs;
}

function parsePls(text: string): readonly ListedSong[] {
  const titles = new Map<string, string>();
  const files: (readonly [string, string])[] = [];
  for (const line of text.split(LINE_END_PATTERN)) {
    const [, name, number = '', value = ''] = /^\s*(file|title)(\d+)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (name?.toLowerCase() === 'title') titles.set(number, value);
    if (name?.toLowerCase() === 'file') files.push([number, value]);
  }
  return files
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([number, url]) => ({ title: titles.get(number) ?? '', url }));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decodeCodePoint = (number: number): string =>
  number > 0 && number <= 0x10ffff ? String.fromCodePoint(number).toWellFormed() : '';

/** Returns the text of an element without nested markup. */
const decodeXmlText = (xml: string): string =>
  xml
    .replaceAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_whole, text: string) => text.replaceAll('&', '&amp;'))
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (_whole, ...groups: string[]) => {
      const [decimal, hex, name] = groups;
      if (decimal) return decodeCodePoint(Number(decimal));
      return hex ? decodeCodePoint(Number.parseInt(hex, 16)) : (ENTITIES[(name ?? '').toLowerCase()] ?? '');
    })
    .trim();

/** Returns the texts of all elements with a name. */
const listElements = (xml: string, name: string): readonly string[] =>
  Array.from(
    xml.matchAll(
      new RegExp(
        `<(?:[\\w-]+:)?${name}(?:\\s[^>]*)?>((?:(?!<(?:[\\w-]+:)?${name}[\\s>])[\\s\\S])*?)</(?:[\\w-]+:)?${name}>`,
        'gi',
      ),
    ),
    ([, text = '']) => decodeXmlText(text),
  );

/** Removes comments, but not from CDATA. */
const removeComments = (xml: string): string =>
  xml.replaceAll(/<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->/g, (part) => (part.startsWith('<!--') ? '' : part));

/** A track can have several locations: players take the first one that they can play. */
const parseXspf = (text: string): readonly ListedSong[] =>
  removeComments(text)
    .split(/<(?:[\w-]+:)?track[\s>]/i)
    .slice(1)
    .flatMap((track) => {
      const locations = listElements(track, 'location');
      const url = locations.find((location) => /^https?:/i.test(location)) ?? locations[0];
      return url === undefined ? [] : [{ title: listElements(track, 'title')[0] ?? '', url }];
    });

/** Decodes a playlist file: UTF-8, UTF-16 with a byte order mark, or else the Western charset of old players. */
export function decodeList(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const PARSERS = { m3u: parseM3u, pls: parsePls, xspf: parseXspf } as const;

/** Entries after these are ignored. */
const MAX_ENTRIES = 10_000;

/**
 * Parses a playlist file: its songs in order, each address once. Returns undefined for other texts.
 * Relative addresses start at `base`. Addresses outside of the web are skipped.
 */
export function parseList(text: string, base: string): readonly ListedSong[] | undefined {
  const format = detectListFormat(text);
  if (format === undefined) return undefined;
  const songByAddress = new Map<string, ListedSong>();
  for (const { title, url } of PARSERS[format](text.replace(/^\u{feff}/u, '')).slice(0, MAX_ENTRIES)) {
    const address = URL.parse(url, base);
    if (address === null || !/^https?:$/.test(address.protocol) || songByAddress.has(address.href)) continue;
    songByAddress.set(address.href, { title, url: address.href });
  }
  return [...songByAddress.values()];
}
