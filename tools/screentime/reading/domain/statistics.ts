import { RECENT_DAYS } from '../../contract/limits.ts';
import { prettyTime } from './formats.ts';
import { changeOf, percentOf, rounded } from './percent.ts';

/** What is known of an application's use, in seconds of focus. */
export interface Use {
  /** Of the last 14 days. */
  readonly recent: number;
  /** Of the 14 days before them. */
  readonly before: number;
  readonly ever: number;
  /** Of all applications together. */
  readonly all: { readonly recent: number; readonly ever: number };
}

/** What the detail card says in numbers (specification 2, section 3). */
export const statsOf = ({ recent, before, ever, all }: Use) => {
  const { percent, text } = changeOf(recent, before);
  return {
    enabled: ever > 0,
    lasttwoweekshours: rounded(recent / 3600, 4),
    prettylasttwoweeks: prettyTime(recent),
    avgtwoweeks: prettyTime(recent / RECENT_DAYS),
    percentchange: percent,
    percentchangetext: text,
    prettytotaltime: prettyTime(ever),
    percenttimeusedtotal: percentOf(ever, all.ever),
    percenttimeusedlasttwoweeks: percentOf(recent, all.recent),
  };
};
