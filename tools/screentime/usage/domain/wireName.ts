import { REAL_TOTAL, TOTAL } from '../../contract/limits.ts';

/** What tells a program's own name from that of all together. */
const MARK = REAL_TOTAL.slice(TOTAL.length);
/** What JavaScript takes for something else where it is the key of an object, as the wire has applications. */
const NO_KEY = '__proto__';
const marked = (name: string): boolean => {
  let rest = name;
  while (rest.endsWith(MARK)) rest = rest.slice(0, -MARK.length);
  return rest === TOTAL || rest === NO_KEY;
};

/**
 * As the wire names an application: one that is really called `total` is not all of them together, and `total (app)`
 * not that one; nor is any called `__proto__`.
 */
export const wireName = (name: string): string => (marked(name) ? name + MARK : name);

/** The name that an application was recorded under; undefined for all of them together. */
export const recordedName = (wire: string): string | undefined => {
  if (wire === TOTAL) return undefined;
  return marked(wire) && wire.endsWith(MARK) ? wire.slice(0, -MARK.length) : wire;
};
