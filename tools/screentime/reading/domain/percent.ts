/** Rounded to so many decimals, as answers carry them. */
export const rounded = (value: number, decimals: number): number => {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
};

/** How much of the whole a part is, in percent with one decimal; of nothing it is 0. */
export const percentOf = (part: number, whole: number): number => (whole > 0 ? rounded((part / whole) * 100, 1) : 0);

interface Change {
  /** Below 0 where it became less. */
  readonly percent: number;
  /** Words behind the number: '12%' 'less than before'. Where it is 0, all of the text. */
  readonly text: string;
}

/** How much more or less it became, in whole percent. */
export const changeOf = (now: number, before: number): Change => {
  if (before <= 0) return now > 0 ? NOTHING_BEFORE : SAME;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return SAME;
  return { percent, text: percent > 0 ? 'more than before' : 'less than before' };
};
/** Any percentage of nothing would be made up. */
const NOTHING_BEFORE: Change = { percent: 0, text: 'nothing before to compare with' };
const SAME: Change = { percent: 0, text: 'the same as before' };
