import { decodePercent } from '#platform/contract/text.ts';
import { MAX_URL_LENGTH } from '../../contract/limits.ts';
import { toOneLine } from '../../library/domain/song.ts';

/** Why a link is refused. */
export const NOT_AN_ADDRESS = 'This is not a web address. Paste a link that begins with https://';

/** Parses a link. Returns undefined if it is not a web address, contains credentials, or is too long. */
export function parseLink(input: string): URL | undefined {
  const text = input.trim();
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
  if (!isWeb || url.username !== '' || url.password !== '' || url.href.length > MAX_URL_LENGTH) return undefined;
  return url;
}

/** Returns the address without its fragment, which is not sent to sites. Links to the same page have the same key. */
export function getLinkKey(url: URL): string {
  const address = new URL(url);
  address.hash = '';
  return address.href;
}

/** Decodes percent-encoding, unless the text contains an unescaped percent character. */
const decode = (text: string): string => decodePercent(text) ?? text;

/** Returns host and path, as a title until the real one is known. */
export function formatLinkTitle({ host, pathname }: URL): string {
  const path = toOneLine(decode(pathname)).replace(/\/$/, '');
  const title = `${host}${path}`;
  return Array.from(title).length > 100 ? `${Array.from(title).slice(0, 99).join('')}…` : title;
}

/** Returns whether the file extension is one of playlists or stream manifests. Only the content shows which. */
export function canBeList({ pathname }: URL): boolean {
  return /\.(m3u8?|pls|xspf)$/i.test(pathname);
}

const normalizeTitle = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\s_+]+/g, ' ')
    .trim()
    .toLowerCase();

/** Returns whether a title is just the file name of the address. */
export function isFileName(title: string, address: string): boolean {
  const name = decode(new URL(address).pathname.split('/').at(-1) ?? '');
  const names = [name, name.replace(/\.[a-z0-9]{1,5}$/i, '')];
  return names.map(normalizeTitle).includes(normalizeTitle(title));
}

/** Content that another app shares. Apps put the address into different fields. */
export interface SharedContent {
  readonly url?: string | null;
  readonly text?: string | null;
  readonly title?: string | null;
}

/** Characters that end an address: they must be encoded in it, or end it in prose, HTML, Markdown and JSON. */
const LINK_END_PATTERN =
  /[\s<>"“”„«»「」『』【】《》〈〉（）［］。，、；！？|\\^`\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
/**
 * Start of another address without a space before it. An address inside of another one (`…/web/2020/https://…`) is not
 * split.
 */
const NEXT_LINK_PATTERN = /(?<![/=])(?=https?:\/\/)|(?<=[,;])(?=(?:[a-z\d-]+\.)+[a-z]{2,}\/)/i;
const SCHEMELESS_PATTERN = /^(?:\/\/)?(?:[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?\.)+[a-z]{2,}(?::\d{1,5})?(?=[/?#]|$)/iu;
const OPENER_BY_CLOSER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Returns the text before the first closing bracket without an opening one. */
function cutAtUnmatchedBracket(text: string): string {
  const openBrackets: string[] = [];
  for (const [at, character] of Array.from(text).entries()) {
    if (Object.values(OPENER_BY_CLOSER).includes(character)) openBrackets.push(character);
    const opener = OPENER_BY_CLOSER[character];
    if (opener === undefined) continue;
    if (openBrackets.pop() !== opener) return Array.from(text).slice(0, at).join('');
  }
  return text;
}

/** Removes punctuation and markup around an address. */
function stripPunctuation(word: string, isEmphasized = word.startsWith('_')): string {
  const inner = word.replace(/^[([{'’‘*_~:,;.!?=-]+/, '');
  const cut = cutAtUnmatchedBracket(inner.replace(/\[\/[a-z]+\].*$/i, ''));
  const trimmed = cut.replace(/[.,;:!?'’*~…]+$/u, '');
  // Ids of videos can end with an underscore.
  return isEmphasized ? trimmed.replace(/_+$/, '') : trimmed;
}

/** Returns the addresses in a word. Without a scheme, the whole word must be an address. */
const findAddresses = (word: string, isAlone: boolean): readonly string[] =>
  word.split(NEXT_LINK_PATTERN).flatMap((part, index, parts) => {
    const at = part.search(/https?:\/\//i);
    const isEmphasized = /^\W*_+$/.test(parts[index - 1] ?? '');
    if (at >= 0) return [stripPunctuation(part.slice(at), isEmphasized)];
    const address = stripPunctuation(part);
    const host = SCHEMELESS_PATTERN.exec(address)?.[0];
    if (host === undefined) return [];
    const hasMore = address.length > host.length || /^(?:\/\/)?www\./i.test(host) || isAlone;
    return hasMore ? [`https://${address.replace(/^\/\//, '')}`] : [];
  });

/** Returns every link in a text, in order and each page once. Links without `https://` need a path. */
export function findLinks(text: string): readonly URL[] {
  const unescapedText = text.replaceAll('\\/', '/').replaceAll(/&amp;/gi, '&').replaceAll(/\]\(/g, '] (');
  const words = unescapedText.split(LINK_END_PATTERN).filter((word) => word !== '');
  const links = new Map<string, URL>();
  for (const address of words.flatMap((word) => findAddresses(word, words.length === 1))) {
    const link = parseLink(address);
    if (link && !links.has(getLinkKey(link))) links.set(getLinkKey(link), link);
  }
  return [...links.values()];
}

/** Returns the links of the first shared field that has any. */
export function findSharedLinks({ url, text, title }: SharedContent): readonly string[] {
  for (const field of [url, text, title]) {
    const links = findLinks(field ?? '').map(({ href }) => href);
    if (links.length > 0) return links;
  }
  return [];
}
