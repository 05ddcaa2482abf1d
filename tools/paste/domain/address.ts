import { decodePercent } from '#platform/contract/percent.ts';
import { pastePage } from '../page.ts';
import { codeFrom } from './code.ts';

/** Where a piece is: its code, and the key where it is encrypted. */
export interface Place {
  readonly code: string;
  readonly key: string;
}

export const pathTo = ({ code, key }: Place): string =>
  `${pastePage.path}?code=${encodeURIComponent(code.toWellFormed())}${key === '' ? '' : `#${key}`}`;

/** What somebody typed as a code: a code, or a whole link to a piece. */
export const placeFrom = (typed: string): Place => {
  const link = /[?&]code=([^&#\s]+)(?:[^#\s]*#([\w-]+))?/.exec(typed);
  const code = link?.[1] ?? typed.trim();
  const written = link ? (decodePercent(code) ?? code) : code;
  return { code: codeFrom(written) ?? written, key: link?.[2] ?? '' };
};
