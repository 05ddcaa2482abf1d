import { decodePercent } from '#platform/contract/text.ts';
import { URL_LIMIT } from '../../contract/limits.ts';
import { oneLine } from '../../library/domain/song.ts';

/** Why a link is not taken. */
export const NOT_AN_ADDRESS = 'Not a web address';

/** The address of a link as somebody wrote it; undefined where it is none of the web, has a name or password in it, or is too long. */
export function linkIn(written: string): URL | undefined {
  const text = written.trim();
  if (text.length > URL_LIMIT || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
  if (!isWeb || url.username !== '' || url.password !== '' || url.href.length > URL_LIMIT) return undefined;
  return url;
}

/** What two links to the same page have in common: what stands behind # is not sent to any site. */
export function keyOfLink(url: URL): string {
  const plain = new URL(url);
  plain.hash = '';
  return plain.href;
}

/** A percent sign may stand for itself. */
const decoded = (text: string): string => decodePercent(text) ?? text;

/** Host and path, for as long as nobody knows a title. */
export function titleOfLink({ host, pathname }: URL): string {
  const path = oneLine(decoded(pathname)).replace(/\/$/, '');
  const title = `${host}${path}`;
  return Array.from(title).length > 100 ? `${Array.from(title).slice(0, 99).join('')}…` : title;
}

/** Whether its ending says that it is a list of addresses, or of the parts of a stream: one look into it tells which. */
export function mayBeList({ pathname }: URL): boolean {
  return /\.(m3u8?|pls|xspf)$/i.test(pathname);
}

const plainly = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\s_+]+/g, ' ')
    .trim()
    .toLowerCase();

/** Whether a title is nothing but the name of the file in the address. */
export function isNameOfFile(title: string, address: string): boolean {
  const name = decoded(new URL(address).pathname.split('/').at(-1) ?? '');
  const names = [name, name.replace(/\.[a-z0-9]{1,5}$/i, '')];
  return names.map(plainly).includes(plainly(title));
}

/** What another program on the phone shares: each of them puts the address where it likes. */
export interface SharedContent {
  readonly url?: string | null;
  readonly text?: string | null;
  readonly title?: string | null;
}

/** Characters that no address contains as they stand, or that mark its end in prose, HTML, Markdown and JSON. */
const END_OF_LINK =
  /[\s<>"“”„«»「」『』【】《》〈〉（）［］。，、；！？|\\^`\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
/** Where the next address begins without a space before it. One that another address contains (`…/web/2020/https://…`) stays in it. */
const NEXT_LINK = /(?<![/=])(?=https?:\/\/)|(?<=[,;])(?=(?:[a-z\d-]+\.)+[a-z]{2,}\/)/i;
const WITHOUT_SCHEME = /^(?:\/\/)?(?:[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?\.)+[a-z]{2,}(?::\d{1,5})?(?=[/?#]|$)/iu;
const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** The text up to the first bracket that it closes without having opened it. */
const upToForeignBracket = (text: string): string => {
  const open: string[] = [];
  for (const [at, sign] of Array.from(text).entries()) {
    if (Object.values(CLOSERS).includes(sign)) open.push(sign);
    const opener = CLOSERS[sign];
    if (opener === undefined) continue;
    if (open.pop() !== opener) return Array.from(text).slice(0, at).join('');
  }
  return text;
};

/** A word without what a sentence or a markup language puts around it. */
const bare = (word: string, isEmphasized = word.startsWith('_')): string => {
  const inner = word.replace(/^[([{'’‘*_~:,;.!?=-]+/, '');
  const cut = upToForeignBracket(inner.replace(/\[\/[a-z]+\].*$/i, ''));
  const trimmed = cut.replace(/[.,;:!?'’*~…]+$/u, '');
  // Ids of videos may end in an underscore.
  return isEmphasized ? trimmed.replace(/_+$/, '') : trimmed;
};

/** The addresses in a word: with a scheme anywhere in it, without one only where the whole word is an address. */
const addressesIn = (word: string, isAlone: boolean): readonly string[] =>
  word.split(NEXT_LINK).flatMap((part, index, parts) => {
    const at = part.search(/https?:\/\//i);
    const isEmphasized = /^\W*_+$/.test(parts[index - 1] ?? '');
    if (at >= 0) return [bare(part.slice(at), isEmphasized)];
    const plain = bare(part);
    const host = WITHOUT_SCHEME.exec(plain)?.[0];
    if (host === undefined) return [];
    const hasMore = plain.length > host.length || /^(?:\/\/)?www\./i.test(host) || isAlone;
    return hasMore ? [`https://${plain.replace(/^\/\//, '')}`] : [];
  });

/** Every link in a pasted text, in its order, each page once. Links without `https://` count where they have a path. */
export function linksIn(text: string): readonly URL[] {
  const plain = text.replaceAll('\\/', '/').replaceAll(/&amp;/gi, '&').replaceAll(/\]\(/g, '] (');
  const words = plain.split(END_OF_LINK).filter((word) => word !== '');
  const links = new Map<string, URL>();
  for (const address of words.flatMap((word) => addressesIn(word, words.length === 1))) {
    const link = linkIn(address);
    if (link && !links.has(keyOfLink(link))) links.set(keyOfLink(link), link);
  }
  return [...links.values()];
}

/** Every link in what was shared: those of the first part that has some. */
export function sharedLinks({ url, text, title }: SharedContent): readonly string[] {
  for (const given of [url, text, title]) {
    const links = linksIn(given ?? '').map(({ href }) => href);
    if (links.length > 0) return links;
  }
  return [];
}
