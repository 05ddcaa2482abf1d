import { toIso } from '../../usage/domain/date.ts';
import type { Day } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { wireName } from '../../usage/domain/wireName.ts';
import { blocksOf, boundsOf, type DayRange, type DaySums } from '../domain/daySums.ts';
import type { Sources } from './sources.ts';
import { DAYS_PER_BLOCK, lastOver, secondsByDay, type Scope } from './usageQueries.ts';

type Names = ReadonlyMap<number, string>;

/** `"2026-11-22":{"firefox":3600,"code":60},…` of the days on which anything was used. */
const written = (sums: ReadonlyMap<number, DaySums>, { from, until }: DayRange, keys: Names): string => {
  const days: string[] = [];
  const rows = [...sums].flatMap(([application, own]) => {
    const key = application === ALL_APPLICATIONS ? undefined : keys.get(application);
    return key === undefined ? [] : [{ key, own }];
  });
  for (let day = from; day <= until; day += 1) {
    let row = '';
    for (const { key, own } of rows) {
      const seconds = own[day - from] ?? 0;
      if (seconds > 0) row += `${row === '' ? '' : ','}${key}${seconds}`;
    }
    if (row !== '') days.push(`"${toIso(day)}":{${row}}`);
  }
  return days.join(',');
};

/**
 * Seconds by day and application as JSON, of a time that may be many years: it is written piece by piece, and the pieces that are over
 * once.
 */
export const soundDataText = async (sources: Sources, scope: Scope, range: DayRange, today: Day): Promise<string> => {
  const write = async (part: DayRange): Promise<string> => {
    const sums = await secondsByDay(sources, scope, part, today);
    const applications = await sources.usage.applications.list(scope.account);
    return written(sums, part, new Map(applications.map(({ id, name }) => [id, `${JSON.stringify(wireName(name))}:`])));
  };
  const { blocks, open } = blocksOf(range, lastOver(today), DAYS_PER_BLOCK);
  const pieces: string[] = [];
  for (const part of blocks) {
    const name = `sound ${scope.days.zone} ${part.from} ${part.until}`;
    const make = async () => {
      const value = await write(part);
      return { value, bytes: value.length };
    };
    pieces.push(await sources.finished.of(scope.account, { name, ...boundsOf(scope.days, part) }, make));
  }
  pieces.push(await write(open));
  return `{${pieces.filter((piece) => piece !== '').join(',')}}`;
};
