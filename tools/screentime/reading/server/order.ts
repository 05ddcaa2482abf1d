import { RECENT_DAYS } from '../../contract/limits.ts';
import { toIso } from '../../usage/domain/date.ts';
import { DAY_SECONDS, type Day } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { weekdayOf } from '../../usage/domain/weekday.ts';
import { numbersBetween } from '../../usage/server/store/own.ts';
import { blocksOf, boundsOf, type DayRange, type DaySums } from '../domain/daySums.ts';
import type { RequestClock } from './requestClock.ts';
import type { Sources } from './sources.ts';
import { DAYS_PER_BLOCK, lastOver, secondsByDay, type Scope } from './usageQueries.ts';
import { keptDays } from './usedDays.ts';

/** Days of a block on which something was only open or heard. Each is looked at itself: a day of UTC is not one of the zone. */
const unfocusedIn = async (sources: Sources, scope: Scope, block: DayRange, today: Day): Promise<readonly Day[]> => {
  const { segments } = sources.usage;
  const { account, device, days } = scope;
  const { from, until } = boundsOf(days, block);
  const bounds = { from: Math.floor(from / DAY_SECONDS), until: Math.floor((until - 1) / DAY_SECONDS) };
  const kept = await segments.keptDaysOf(account, { device, ...bounds });
  const asked = { ...block, applications: [ALL_APPLICATIONS] };
  const focus = (await secondsByDay(sources, scope, asked, today)).get(ALL_APPLICATIONS);
  const near = new Set(
    kept.flatMap((day) => numbersBetween(days.dayOf(day * DAY_SECONDS), days.dayOf((day + 1) * DAY_SECONDS - 1))),
  );
  const found: Day[] = [];
  for (const day of near) {
    if (day < block.from || day > block.until || (focus?.[day - block.from] ?? 0) > 0) continue;
    const own = await segments.between(account, { device, ...boundsOf(days, { from: day, until: day }) });
    if (own.some(({ tracks }) => tracks.length > 0)) found.push(day);
  }
  return found;
};

/** Days that are over on which something was only open or heard; they are looked for once. */
const unfocused = async (sources: Sources, whole: Scope, place: RequestClock): Promise<ReadonlySet<Day>> => {
  const scope = { ...whole, isWall: false };
  const { account, device, days } = scope;
  const { blocks } = blocksOf(await keptDays(sources, scope, place), lastOver(place.today), DAYS_PER_BLOCK);
  const found = new Set<Day>();
  for (const block of blocks) {
    const name = `unfocused ${device ?? 'all'} ${days.zone} ${block.from} ${block.until}`;
    const make = async () => {
      const value = await unfocusedIn(sources, scope, block, place.today);
      return { value, bytes: 200 + 8 * value.length };
    };
    for (const day of await sources.finished.of(account, { name, ...boundsOf(days, block) }, make)) found.add(day);
  }
  return found;
};

/**
 * The last 14 days and the earlier ones of which anything is kept, newest first.
 * @param focus seconds of all applications, which end with today.
 */
export const daysInOrder = async (
  sources: Sources,
  scope: Scope,
  place: RequestClock,
  focus: DaySums | undefined,
): Promise<readonly Day[]> => {
  const { today } = place;
  const others = await unfocused(sources, scope, place);
  const days: Day[] = [];
  const first = Math.min(today - Math.max(RECENT_DAYS, focus?.length ?? 0) + 1, ...others);
  for (let day = today; day >= first; day -= 1)
    if (day > today - RECENT_DAYS || (focus?.at(day - today - 1) ?? 0) > 0 || others.has(day)) days.push(day);
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
