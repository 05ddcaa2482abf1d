import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { getunuseddatesttbl } from '../contract.ts';
import { WEEKS } from '../contract/limits.ts';
import { mondayOf, weeksAround, weeksFrom } from '../domain/week.ts';
import { dayIn } from './ground.ts';
import { placeOf } from './requestClock.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { META, weeksOf } from './weeks.ts';

/** Weeks that are answered at once at most. */
const MAX_WEEKS = 12;

const countOf = (weeks: string | undefined): number => {
  const count = Number(weeks ?? WEEKS.before + 1 + WEEKS.after);
  if (!Number.isInteger(count) || count < 1 || count > MAX_WEEKS)
    throw new Refusal(`weeks is a number from 1 to ${MAX_WEEKS}`);
  return count;
};

export const weekCalls = (ground: ServerContext, { slots }: TimetableStore): readonly Handler[] => [
  handle(getunuseddatesttbl, async ({ from, weeks, ...asked }, { account }) => {
    const place = await placeOf(ground, account, asked);
    const mondays =
      from === undefined && weeks === undefined
        ? weeksAround(place.today, WEEKS)
        : weeksFrom(from === undefined ? place.today : dayIn(from), countOf(weeks));
    const first = mondays[0] ?? mondayOf(place.today);
    const last = mondays.at(-1) ?? first;
    return {
      data: weeksOf(mondays, await slots.between(account, { from: first, until: last + 6 }), place),
      meta: META,
    };
  }),
];
