import { RECENT_DAYS } from '../contract/limits.ts';
import { toIso } from '../domain/date.ts';
import type { Day } from '../domain/days.ts';
import type { DaySums } from '../domain/daySums.ts';
import { weekdayOf } from '../domain/weekday.ts';

/** The last 14 days and the earlier ones that anything was used on, newest first. `sums` are of all applications, and end with today. */
export const daysInOrder = (sums: DaySums | undefined, today: Day): readonly Day[] => {
  const days: Day[] = [];
  const length = Math.max(RECENT_DAYS, sums?.length ?? 0);
  for (let ago = 0; ago < length; ago += 1)
    if (ago < RECENT_DAYS || (sums?.at(-1 - ago) ?? 0) > 0) days.push(today - ago);
  return days;
};

/** As answers carry them: JSON, written as it is because every answer has all the days of years. */
export const orderText = (days: readonly Day[]): string => {
  const order: string[] = [];
  const weekdays: string[] = [];
  const colours: string[] = [];
  for (const day of days) {
    const iso = toIso(day);
    const { name, colour } = weekdayOf(day);
    order.push(`"${iso}"`);
    weekdays.push(`"${iso}":"${name}"`);
    colours.push(`"${iso}":"${colour}"`);
  }
  return `{"order":[${order.join(',')}],"weekdays":{${weekdays.join(',')}},"weekdaycolours":{${colours.join(',')}}}`;
};
