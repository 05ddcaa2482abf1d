/**
 * The spelling that a time zone itself has, of a name such as `europe/berlin`; undefined where there is no such zone. Not by
 * `Intl.DateTimeFormat`: the first one of a process takes up to a second, in which nobody else is answered.
 */
export const canonicalizeZone = (name: string): string | undefined => {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};
