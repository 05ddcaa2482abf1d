import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { ALL_DEVICES } from '../../contract/limits.ts';
import { parseIso, type Day } from '../../usage/domain/days.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { countDays, type DayRange } from '../domain/daySums.ts';
import { createRequestClock, type RequestClock } from './requestClock.ts';
import type { Scope } from './usageQueries.ts';

/**
 * Parses the computer of a request, which may be removed if it has usage; undefined for all.
 * @throws Refusal if it is not a number, and with the same sentence for unknown and foreign ones.
 */
export async function getRequestedDevice(
  { devices }: Pick<ServerContext, 'devices'>,
  usage: Pick<UsageStore, 'devices'>,
  account: number,
  deviceid: string | undefined,
): Promise<number | undefined> {
  const text = deviceid?.trim() ?? '';
  if (text === '' || Number(text) === ALL_DEVICES) return undefined;
  if (!/^\d+$/.test(text))
    throw new Refusal(
      'screentime.invalid_device',
      `deviceid: must be the number of a computer, or ${ALL_DEVICES} for all computers`,
    );
  const storedDevices = await usage.devices.list(account);
  return storedDevices.find(({ id }) => id === Number(text))?.id ?? (await devices.getOwned(account, text)).id;
}

interface ScopeFields {
  readonly tz?: string | undefined;
  readonly tzoffset?: string | undefined;
  readonly deviceid?: string | undefined;
  readonly wall?: '0' | '1' | undefined;
}

/**
 * Parses the scope of a request: account, computer and zone.
 * @throws Refusal for an invalid zone, offset or computer.
 */
export async function loadScope(
  context: Pick<ServerContext, 'identity' | 'now' | 'devices'>,
  usage: UsageStore,
  account: number,
  { tz, tzoffset, deviceid, wall }: ScopeFields,
): Promise<{ readonly clock: RequestClock; readonly scope: Scope }> {
  const clock = await createRequestClock(context, account, { tz, tzoffset });
  const device = await getRequestedDevice(context, usage, account, deviceid);
  return { clock, scope: { account, device, days: clock.days, mergesComputers: wall === '1' } };
}

/** Max days of a period. */
export const MAX_PERIOD_DAYS = 36_600;

function parseDay(text: string): Day {
  const day = parseIso(text.trim());
  if (day === undefined)
    throw new Refusal('screentime.invalid_date', `'${text.slice(0, 20)}' is not a date. Write it like 2026-11-23`);
  return day;
}

/**
 * Parses a period.
 * @throws Refusal if it is invalid, reversed, or longer than `maxDays`.
 */
export function parsePeriod(from: string, until: string, maxDays: number): DayRange {
  const range = { from: parseDay(from), until: parseDay(until) };
  if (range.until < range.from)
    throw new Refusal('screentime.period_reversed', 'The last day must not be before the first day');
  if (countDays(range) > maxDays)
    throw new Refusal(
      'screentime.period_too_long',
      `The period is too long. Choose at most ${maxDays.toLocaleString('en')} days`,
    );
  return range;
}
