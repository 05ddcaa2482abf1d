/** As many digits as milliseconds since 1970 have until the year 2286, so that time and count never run into each other. */
const TIME_DIGITS = 13;

/**
 * Gives ids to things that the server does not know yet: 'new', the time and a count, as the specification makes them. The same one never
 * comes twice, however often in a millisecond it is asked and wherever the clock jumps. Items and types share one maker, as the server
 * maps both together.
 */
export const createNewIds = () => {
  let lastTime = 0;
  let lastCount = -1;
  /** `now` in milliseconds since 1970. `taken` are the ids in use, items and types, those of other tabs among them. */
  return (now: number, taken: { readonly size: number; has(id: string): boolean }): string => {
    // A clock set back goes on from the last time, counting.
    const time = Math.max(lastTime, Math.trunc(now));
    let count = time === lastTime ? Math.max(taken.size, lastCount + 1) : taken.size;
    const idOf = (): string => `new${String(time).padStart(TIME_DIGITS, '0')}${count}`;
    while (taken.has(idOf())) count += 1;
    lastTime = time;
    lastCount = count;
    return idOf();
  };
};
