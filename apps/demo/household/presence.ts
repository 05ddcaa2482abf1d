import { createRandom } from './random.ts';

type Status = 'online' | 'idle' | 'dnd' | 'offline';

/** Presence of a person from `at` on, in seconds since the epoch. */
export interface PresenceChange {
  readonly at: number;
  readonly presence: { readonly both: Status; readonly pc: Status; readonly mobile: Status };
}

const HOUR_SECONDS = 3600;

/** Creates the presence of a friend who is online in the day and sleeps at night, ordered by time. */
export function createPresence(now: Temporal.ZonedDateTime, days: number): readonly PresenceChange[] {
  const random = createRandom(31);
  const limit = Math.floor(now.epochMilliseconds / 1000);
  const changes: PresenceChange[] = [];
  const add = (at: number, pc: Status, mobile: Status): void => {
    const both = [pc, mobile].find((status) => status !== 'offline') ?? 'offline';
    changes.push({ at: Math.round(at), presence: { both, pc, mobile } });
  };
  for (let index = days; index >= 0; index -= 1) {
    const date = now.toPlainDate().subtract({ days: index });
    const midnight = date.toZonedDateTime(now.timeZoneId).epochMilliseconds / 1000;
    const at = (hour: number): number => midnight + (hour + random.fraction() * 0.9) * HOUR_SECONDS;
    const isWeekend = date.dayOfWeek > 5;
    add(at(isWeekend ? 8.5 : 6.6), 'offline', 'online');
    add(at(isWeekend ? 10 : 7.8), 'offline', 'idle');
    add(at(isWeekend ? 11 : 9), 'online', 'offline');
    add(at(12.2), 'idle', 'online');
    add(at(13.4), isWeekend ? 'online' : 'dnd', 'offline');
    add(at(16.2), 'offline', 'online');
    add(at(18.4), 'offline', 'idle');
    add(at(19.6), 'online', 'online');
    add(at(22.2), 'offline', 'offline');
  }
  return changes.filter((change) => change.at < limit);
}
