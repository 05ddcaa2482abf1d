/** A day of a calendar: days since 1970-01-01. */
export type Day = number;

export const DAY_SECONDS = 86_400;
/** Every zone's day is a sum of slots: the clocks of all zones stand at whole quarters of an hour from UTC. */
export const SLOT_SECONDS = 900;
export const SLOTS_PER_DAY = DAY_SECONDS / SLOT_SECONDS;

/** The days of one zone. */
export interface ZoneDays {
  /** IANA name, or an offset such as `+05:45`. */
  readonly zone: string;
  /** The second since the epoch at which a day begins; it ends where the next one begins. One that was left out has no length. */
  readonly startOf: (day: Day) => number;
  /** The day on which a second since the epoch is. */
  readonly dayOf: (seconds: number) => Day;
}

/** Days whose starts are worked out at once. */
const BLOCK = 64;
const FURTHEST_HOURS = 15;

const workedOut = (zone: string, first: Day): readonly number[] => {
  const day = Temporal.PlainDate.from('1970-01-01').add({ days: first });
  return Array.from({ length: BLOCK }, (_, at) => {
    const { epochMilliseconds } = day.add({ days: at }).toZonedDateTime(zone);
    return Math.round(epochMilliseconds / 1000 / SLOT_SECONDS) * SLOT_SECONDS;
  });
};

const createDays = (zone: string): ZoneDays => {
  const blocks = new Map<number, readonly number[]>();
  const startOf = (day: Day): number => {
    const block = Math.floor(day / BLOCK);
    let starts = blocks.get(block);
    if (!starts) {
      starts = workedOut(zone, block * BLOCK);
      blocks.set(block, starts);
    }
    return starts[day - block * BLOCK] ?? Number.NaN;
  };
  return {
    zone,
    startOf,
    dayOf: (seconds) => {
      // No zone's day is further than this from UTC's.
      let day = Math.floor((seconds + FURTHEST_HOURS * 3600) / DAY_SECONDS);
      while (startOf(day) > seconds) day -= 1;
      return day;
    },
  };
};

const known = new Map<string, ZoneDays>();
const MAX_CACHED_ZONES = 200;

/** The days of a zone, worked out as they are asked for and kept. */
export const daysOf = (zone: string): ZoneDays => {
  const already = known.get(zone);
  if (already) return already;
  const days = createDays(zone);
  if (known.size >= MAX_CACHED_ZONES) known.clear();
  known.set(zone, days);
  return days;
};
