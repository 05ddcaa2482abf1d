/** A song that a list names. */
export interface ListedSong {
  /** Empty where the list gives none. */
  readonly title: string;
  readonly url: string;
}

/** How a list is written; undefined where a text is none, or names the parts of a stream. */
export function listFormOf(text: string): 'm3u' | 'pls' | 'xspf' | undefined {
  const start = text.replace(/^\u{feff}/u, '').trimStart();
  if (start.slice(0, 10).toLowerCase() === '[playlist]') return 'pls';
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:[\w-]+:)?playlist[\s>]/i.test(start.slice(0, 4000)))
    return 'xspf';
  if (/^#EXT-X-/m.test(text)) return undefined;
  return /^#EXTM3U(?:\s|$)/i.test(start) || isBareM3u(start) ? 'm3u' : undefined;
}

/** Whether a list of a stream's parts goes on while it is heard: one that is whole says so at its end. */
export function isUnended(text: string): boolean {
  return /^#EXTINF:/m.test(text) && !/^#EXT-X-(?:ENDLIST|PLAYLIST-TYPE:\s*VOD)\b/m.test(text);
}

/** Old computers end lines with a carriage return alone. */
const LINE_END = /\r\n?|\n/;
/** Players of television write attributes before the title, with commas within their quotes. */
const TITLE = /^#EXTINF:(?:[^,"]*(?:"[^"]*"[^,"]*)*|[^,]*),(.*)$/i;

/** Old ones are nothing but addresses, one a line. */
const isBareM3u = (text: string): boolean => {
  const lines = text.split(LINE_END).map((line) => line.trim());
  const entries = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return entries.length > 0 && entries.every((line) => /^https?:\/\/\S+$/i.test(line));
};

const m3u = (text: string): readonly ListedSong[] => {
  const found: ListedSong[] = [];
  let title = '';
  for (const line of text.split(LINE_END).map((each) => each.trim())) {
    title = TITLE.exec(line)?.[1]?.trim() ?? title;
    if (line === '' || line.startsWith('#')) continue;
    found.push({ title, url: line });
    title = '';
  }
  return found;
};

const pls = (text: string): readonly ListedSong[] => {
  const titles = new Map<string, string>();
  const files: (readonly [string, string])[] = [];
  for (const line of text.split(LINE_END)) {
    const [, name, number = '', value = ''] = /^\s*(file|title)(\d+)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (name?.toLowerCase() === 'title') titles.set(number, value);
    if (name?.toLowerCase() === 'file') files.push([number, value]);
  }
  return files
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([number, url]) => ({ title: titles.get(number) ?? '', url }));
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const codePoint = (number: number): string =>
  number > 0 && number <= 0x10ffff ? String.fromCodePoint(number).toWellFormed() : '';

/** The text of an element: there is no markup in those that we read. */
const plain = (xml: string): string =>
  xml
    .replaceAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_whole, text: string) => text.replaceAll('&', '&amp;'))
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (_whole, ...groups: string[]) => {
      const [decimal, hex, name] = groups;
      if (decimal) return codePoint(Number(decimal));
      return hex ? codePoint(Number.parseInt(hex, 16)) : (ENTITIES[(name ?? '').toLowerCase()] ?? '');
    })
    .trim();

const element = (xml: string, name: string): string | undefined =>
  new RegExp(
    `<(?:[\\w-]+:)?${name}(?:\\s[^>]*)?>((?:(?!<(?:[\\w-]+:)?${name}[\\s>])[\\s\\S])*?)</(?:[\\w-]+:)?${name}>`,
    'i',
  ).exec(xml)?.[1];

const xspf = (text: string): readonly ListedSong[] =>
  text
    .split(/<(?:[\w-]+:)?track[\s>]/i)
    .slice(1)
    .flatMap((track) => {
      const url = element(track, 'location');
      return url === undefined ? [] : [{ title: plain(element(track, 'title') ?? ''), url: plain(url) }];
    });

const READERS = { m3u, pls, xspf } as const;

/** What stands behind so many is not even looked at. */
const MAX_ENTRIES = 10_000;

/**
 * The songs that a plain list names, in order, each address once; undefined where the text is no such list. Addresses that are not whole
 * begin at the list's own. What is not on the web is left out.
 */
export function readList(text: string, base: string): readonly ListedSong[] | undefined {
  const form = listFormOf(text);
  if (form === undefined) return undefined;
  const found = new Map<string, ListedSong>();
  for (const { title, url } of READERS[form](text.replace(/^\u{feff}/u, '')).slice(0, MAX_ENTRIES)) {
    const whole = URL.parse(url, base);
    if (whole === null || !/^https?:$/.test(whole.protocol) || found.has(whole.href)) continue;
    found.set(whole.href, { title, url: whole.href });
  }
  return [...found.values()];
}
