import type { Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { getExtent, type DeviceRecord } from '../domain/deviceRecord.ts';
import type { StoryInterval, UsageInterval } from '../domain/interval.ts';
import type { SecondRange } from '../domain/track.ts';
import { MIN_REPORT_SECONDS, toStoredTitle, toRecordedName } from '../domain/usageReport.ts';
import { toStoredName } from './applicationIds.ts';
import type { UsageWriterDeps } from './recording.ts';

/** An interval of the computer that is corrected. */
type Correction = Omit<StoryInterval, 'device'>;

export interface Corrections {
  readonly account: number;
  readonly device: number;
  readonly remove: readonly Correction[];
  readonly add: readonly Correction[];
}

/**
 * Converts to seconds.
 * @throws Refusal if the range is invalid.
 */
function toSecondRange({ from, until, application }: Correction): SecondRange {
  const range = { from: Math.round(from / 1000), until: Math.round(until / 1000) };
  if (range.from >= range.until)
    throw new Refusal('screentime.end_before_start', `The end of ${application} must be after its start`);
  if (range.until - range.from > DAY_SECONDS)
    throw new Refusal('screentime.entry_too_long', `The entry for ${application} is longer than a day. Split it`);
  return range;
}

/**
 * Validates an added interval. Removals need no check, as recorded usage is valid.
 * @throws Refusal if it is invalid.
 */
function validateAddition({ from, until, application }: Correction, now: number): void {
  if (from < MIN_REPORT_SECONDS * 1000)
    throw new Refusal(
      'screentime.entry_too_early',
      `The entry for ${application} is before the year 2000. Change its times`,
    );
  if (until > now)
    throw new Refusal(
      'screentime.entry_in_future',
      `The entry for ${application} ends in the future. Change its times`,
    );
}

function validateApplicationName({ application }: Correction): string {
  const name = toStoredName(toRecordedName(application) ?? '');
  if (name === undefined)
    throw new Refusal(
      'screentime.application_name_invalid',
      `An application can't be called ${application}. Enter another name`,
    );
  return name;
}

/**
 * Applies a correction.
 * @throws Refusal if removed usage does not exist, or added usage conflicts.
 */
function correctRecord(record: DeviceRecord, remove: readonly UsageInterval[], add: readonly UsageInterval[]): void {
  for (const interval of remove) {
    if (!record.has(interval))
      throw new Refusal(
        'screentime.entry_conflict',
        'This entry was changed elsewhere after you opened it. Check the day, then try again',
      );
    record.remove(interval);
  }
  for (const interval of add) {
    if (!record.isFree(interval))
      throw new Refusal(
        'screentime.entry_overlap',
        interval.status === 'on'
          ? 'Another application is in focus at that time. Delete that entry first, or change the times'
          : 'There is already an entry for this application at that time. Change the times',
      );
    if (record.add(interval) === undefined)
      throw new Refusal('screentime.day_full', 'This day has the maximum number of entries. Delete some first');
  }
}

/** Creates the function that removes and adds intervals by hand. */
export function createUsageCorrector(deps: UsageWriterDeps) {
  const { store, recording, ids, changes, onNewApplications } = deps;
  const { database, devices, identity, now } = deps.context;

  /**
   * Returns the name of a computer that has no usage yet; undefined for a known one.
   * @throws Refusal if it is unknown.
   */
  async function findNewComputerName(account: number, device: number): Promise<string | undefined> {
    const storedDevices = await store.devices.list(account);
    if (storedDevices.some(({ id }) => id === device)) return undefined;
    const { kind, name } = await devices.getOwned(account, String(device));
    if (kind !== 'computer') throw new Refusal('device.not_found', 'There is no such device');
    return name;
  }

  async function resolveApplications(
    tx: Transaction<unknown>,
    account: number,
    { remove, add }: Pick<Corrections, 'remove' | 'add'>,
  ) {
    const time = now().epochMilliseconds;
    for (const interval of add) validateAddition(interval, time);
    const removedNames = [...new Set(remove.map(validateApplicationName))];
    const removedApplications = await store.applications.listByNames(account, removedNames, tx);
    const applicationIds = await ids.findOrCreate(tx, account, { names: add.map(validateApplicationName), now: time });
    const all = new Map([...removedApplications.map(({ name, id }) => [name, id] as const), ...applicationIds.ids]);
    function toInterval(correction: Correction) {
      const application = all.get(validateApplicationName(correction));
      if (application === undefined)
        throw new Refusal('screentime.application_not_found', `There is no application “${correction.application}”`);
      return { application, status: correction.status, ...toSecondRange(correction), title: toStoredTitle(correction) };
    }
    return { applicationIds, remove: remove.map(toInterval), add: add.map(toInterval) };
  }

  /**
   * Applies removals and additions atomically.
   * @throws Refusal if either is invalid.
   */
  return async ({ account, device, remove, add }: Corrections): Promise<void> => {
    const zone = await identity.resolveZone(account);
    const name = await findNewComputerName(account, device);
    await database.transaction(async ({ tx, afterCommit }) => {
      const revision = await store.revisions.increment(tx, account, zone);
      if (name !== undefined) await store.devices.save(tx, account, { id: device, name, hostname: undefined });
      const resolved = await resolveApplications(tx, account, { remove, add });
      const intervals = [...resolved.remove, ...resolved.add];
      if (intervals.length === 0) return;
      await recording.record({ tx, device, revision }, intervals, (record) =>
        correctRecord(record, resolved.remove, resolved.add),
      );
      for (const interval of resolved.remove)
        if (interval.status === 'on') await store.titles.removeOverlapping(tx, device, interval);
      const titles = resolved.add.flatMap(({ title, ...interval }) =>
        title === undefined ? [] : { ...interval, title },
      );
      await store.titles.save(tx, device, titles);
      const extent = getExtent(intervals);
      afterCommit(() => {
        resolved.applicationIds.cacheIds();
        if (resolved.applicationIds.hasNew) onNewApplications(account);
        if (extent) changes.publish({ account, device, ...extent });
      });
    });
  };
}
