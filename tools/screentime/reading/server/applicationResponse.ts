import { RECENT_DAYS } from '../../contract/limits.ts';
import { coloursOf, statusColours, TOTAL_COLOURS } from '../../sorting/domain/applicationColours.ts';
import { toIso } from '../../usage/domain/date.ts';
import type { Day } from '../../usage/domain/days.ts';
import { SLOT_SECONDS } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import type { DayRange, DaySums } from '../domain/daySums.ts';
import { densityOf, HOUR_NAMES } from '../domain/density.ts';
import { lastUsedWords } from '../domain/lastUsed.ts';
import { statsOf } from '../domain/statistics.ts';
import { localMoment, wallHour } from '../domain/wallClock.ts';
import { openings } from './openings.ts';
import type { RequestClock } from './requestClock.ts';
import type { Sources } from './sources.ts';
import { timelines } from './timelines.ts';
import { secondsByDay, type Scope } from './usageQueries.ts';
import { allDays } from './usedDays.ts';

/** Undefined is all of them together. */
type ApplicationFilter = Application | undefined;
const idOf = (application: ApplicationFilter): number => application?.id ?? ALL_APPLICATIONS;

const coloursOnWire = (application: ApplicationFilter) => {
  const colours = application ? coloursOf(application.colour) : TOTAL_COLOURS;
  return { colouron: colours.on, colouroff: colours.off, ...statusColours(colours) };
};

export interface ApplicationQuery {
  readonly place: RequestClock;
  readonly scope: Scope;
  readonly application: ApplicationFilter;
  /** Whose segments are wanted. */
  readonly segmentsOf: DayRange;
}

export const recentDays = (today: Day): DayRange => ({ from: today - RECENT_DAYS + 1, until: today });

const total = (sums: DaySums | undefined): number => sums?.reduce((sum, seconds) => sum + seconds, 0) ?? 0;

/** The sums of the range's last days: so many, but for so many at the end. */
const ofLast = (sums: DaySums | undefined, count: number, but = 0): number =>
  sums === undefined ? 0 : total(sums.slice(Math.max(0, sums.length - count - but), Math.max(0, sums.length - but)));

/** On which hours of which days an application was in focus, of the last 14. */
const density = async (
  { slots }: UsageStore,
  { place, scope, application }: ApplicationQuery,
): Promise<readonly number[]> => {
  const { days, today } = place;
  const { from, until } = recentDays(today);
  const series = await slots.between(scope.account, {
    device: scope.device,
    applications: [idOf(application)],
    from: days.startOf(from),
    until: days.startOf(until + 1),
  });
  const used = series.flatMap((each) => each.slots).map((slot) => slot * SLOT_SECONDS);
  return densityOf(
    used.map((moment) => ({ day: days.dayOf(moment), hour: wallHour(days, moment) })),
    RECENT_DAYS,
  );
};

/**
 * All that is known of an application as JSON, as `returnspecificapplication` answers it: it has the days of years. Beside it the seconds of
 * all applications together, which say on which days anything was used.
 */
export const applicationAnswer = async (sources: Sources, question: ApplicationQuery) => {
  const { usage: store, reading } = sources;
  const { place, scope, application } = question;
  const { days, now, today } = place;
  const id = idOf(application);
  const range = await allDays(sources, scope, place);
  const [sums, opened, hours, timeline, last] = await Promise.all([
    secondsByDay(sources, scope, { ...range, applications: [...new Set([id, ALL_APPLICATIONS])] }, today),
    openings(sources, scope, { ...recentDays(today), applications: [id] }, today),
    density(store, question),
    timelines(sources, scope, { ...question.segmentsOf, wanted: application?.id, today, now }),
    reading.lastUse(scope.account, scope.device, id),
  ]);
  const [own, all] = [sums.get(id), sums.get(ALL_APPLICATIONS)];
  const playtime: string[] = [];
  for (const [at, seconds] of own?.entries() ?? [])
    if (seconds > 0) playtime.push(`"${toIso(range.from + at)}":${seconds}`);
  const { opened: timesopened = 0, longest: longeststretch = 0 } = opened.get(id) ?? {};
  const stats = {
    ...statsOf({
      recent: ofLast(own, RECENT_DAYS),
      before: ofLast(own, RECENT_DAYS, RECENT_DAYS),
      ever: total(own),
      all: { recent: ofLast(all, RECENT_DAYS), ever: total(all) },
    }),
    lastused: lastUsedWords(last === undefined ? undefined : localMoment(days, last), localMoment(days, now)),
    densityinfo: { enabled: hours.some((percent) => percent > 0), density: hours, divisionnames: HOUR_NAMES },
    timesopened,
    longeststretch,
  };
  const dates = [`"playtime":{${playtime.join(',')}}`, ...timeline].join(',');
  return {
    all,
    text: `{"metadata":${JSON.stringify({ colours: coloursOnWire(application) })},"stats":${JSON.stringify(stats)},"datespecific":{${dates}}}`,
  };
};
