import type { ServerContext } from '#platform/server/tool.ts';
import { type Day, dayOf } from '../domain/day.ts';

/** Whose day it is: by the zone that a page names, else by the account's home. @throws Refusal for an unknown zone */
export const todayOf = async (
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  tz: string | undefined,
): Promise<Day> => {
  const { year, month, day: date } = now().toZonedDateTimeISO(await identity.resolveZone(account, tz));
  return dayOf({ year, month, date });
};
