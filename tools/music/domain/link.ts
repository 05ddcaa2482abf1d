import { decodePercent } from '#platform/contract/percent.ts';
import { URL_LIMIT } from '../contract/limits.ts';
import { oneLine } from './words.ts';

/** Why a link is not taken. */
export const NOT_AN_ADDRESS = 'Not a web address';

/** The address of a link as somebody wrote it; undefined where it is none of the web, has a name or password in it, or is too long. */
export const linkIn = (written: string): URL | undefined => {
  const text = written.trim();
  if (text.length > URL_LIMIT || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
  if (!isWeb || url.username !== '' || url.password !== '' || url.href.length > URL_LIMIT) return undefined;
  return url;
};

/** What two links to the same page have in common: what stands behind # is not sent to any site. */
export const keyOfLink = (url: URL): string => {
  const plain = new URL(url);
  plain.hash = '';
  return plain.href;
};

/** A percent sign may stand for itself. */
const decoded = (text: string): string => decodePercent(text) ?? text;

/** Host and path, for as long as nobody knows a title. */
export const titleOfLink = ({ host, pathname }: URL): string => {
  const path = oneLine(decoded(pathname)).replace(/\/$/, '');
  const title = `${host}${path}`;
  return Array.from(title).length > 100 ? `${Array.from(title).slice(0, 99).join('')}…` : title;
};

/** Whether its ending says that it is a list of addresses, or of the parts of a stream: one look into it tells which. */
export const mayBeList = ({ pathname }: URL): boolean => /\.(m3u8?|pls|xspf)$/i.test(pathname);

const plainly = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\s_+]+/g, ' ')
    .trim()
    .toLowerCase();

/** Whether a title is nothing but the name of the file in the address. */
export const isNameOfFile = (title: string, address: string): boolean => {
  const name = decoded(new URL(address).pathname.split('/').at(-1) ?? '');
  const names = [name, name.replace(/\.[a-z0-9]{1,5}$/i, '')];
  return names.map(plainly).includes(plainly(title));
};

/** What another program on the phone shares: each of them puts the address where it likes. */
export interface Shared {
  readonly url?: string | null;
  readonly text?: string | null;
  readonly title?: string | null;
}

const count = (text: string, sign: string): number => text.split(sign).length - 1;

/** A word without what a sentence puts around it. A bracket that the word itself opens is a part of it. */
const bare = (word: string): string => {
  const inner = word.replace(/^[<("'«“„]+/, '').replace(/[>"'»”.,;:!?]+$/, '');
  return inner.endsWith(')') && count(inner, ')') > count(inner, '(') ? bare(inner.slice(0, -1)) : inner;
};

/** The address in what was shared; undefined where there is none. */
export const sharedLink = ({ url, text, title }: Shared): string | undefined => {
  for (const given of [url, text, title]) {
    const words = (given ?? '').split(/\s+/).map(bare);
    const link = words.filter((word) => /^https?:\/\//i.test(word)).find((word) => linkIn(word) !== undefined);
    if (link !== undefined) return link;
  }
  return undefined;
};
