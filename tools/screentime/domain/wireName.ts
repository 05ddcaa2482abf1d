import { REAL_TOTAL, TOTAL } from '../contract/limits.ts';

/** What tells a program's own name from that of all together. */
const MARK = REAL_TOTAL.slice(TOTAL.length);
const marked = (name: string): boolean => {
  let rest = name;
  while (rest.endsWith(MARK)) rest = rest.slice(0, -MARK.length);
  return rest === TOTAL;
};

/** As the wire names an application: one that is really called `total` is not all of them together, and `total (app)` not that one. */
export const wireName = (name: string): string => (marked(name) ? name + MARK : name);

/** The name that an application was recorded under; undefined for all of them together. */
export const recordedName = (wire: string): string | undefined => {
  if (wire === TOTAL) return undefined;
  return marked(wire) ? wire.slice(0, -MARK.length) : wire;
};
