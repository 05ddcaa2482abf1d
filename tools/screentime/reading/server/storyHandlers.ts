import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { usagestory } from '../../contract.ts';
import type { StoryInterval } from '../../usage/domain/interval.ts';
import { type SecondRange, clipRanges } from '../../usage/domain/track.ts';
import { toWireName } from '../../usage/domain/usageReport.ts';
import type { StoredTitle } from '../../usage/server/store/titleStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { getRequestedDevice } from './requestFields.ts';
import type { UsageQueryDeps } from './usageQueries.ts';

/** A range of a focused interval, and its title. */
type TitledRange = SecondRange & Pick<StoryInterval, 'title'>;

/** Returns the parts of a focused interval between changes of its title. Titles must be sorted. */
function splitByTitle(interval: SecondRange, titles: readonly StoredTitle[]): readonly TitledRange[] {
  const parts: TitledRange[] = [];
  let { from } = interval;
  for (const storedTitle of titles) {
    const [part] = clipRanges([storedTitle], { from, until: interval.until });
    if (!part) continue;
    if (part.from > from) parts.push({ from, until: part.from });
    parts.push({ from: part.from, until: part.until, title: storedTitle.title });
    from = part.until;
  }
  return from < interval.until ? [...parts, { from, until: interval.until }] : parts;
}

/** Creates a function that returns all intervals between two seconds, sorted by time. */
export function createStoryReader({ segments, applications, titles }: UsageStore) {
  return async (
    account: number,
    query: SecondRange & { readonly device: number | undefined },
  ): Promise<readonly StoryInterval[]> => {
    const titlesByKey = Map.groupBy(
      await titles.listBetween(account, query),
      ({ device, application }) => `${device} ${application}`,
    );
    const tracksByDevice = await segments.listBetween(account, query);
    const nameById = new Map((await applications.list(account)).map(({ id, name }) => [id, toWireName(name)]));
    const intervals = tracksByDevice.flatMap(({ device, tracks }) =>
      tracks.flatMap(({ application, status, ranges }) => {
        const intervalTitles = status === 'on' ? (titlesByKey.get(`${device} ${application}`) ?? []) : [];
        const name = nameById.get(application) ?? '';
        return ranges
          .flatMap((range) => splitByTitle(range, intervalTitles))
          .map(({ from, until, title }): StoryInterval => ({
            device,
            application: name,
            status,
            from: from * 1000,
            until: until * 1000,
            ...(title !== undefined && { title }),
          }));
      }),
    );
    return intervals.toSorted((a, b) => a.from - b.from);
  };
}

const MAX_STORY_DAYS = 8;
/** The end of the year 9999, the last that dates support. */
const MAX_INSTANT_MS = 253_402_300_800_000;

function parseInstant(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim()) || value > MAX_INSTANT_MS)
    throw new Refusal('screentime.invalid_time', `${name}: must be in milliseconds since 1970`);
  return value;
}

/**
 * Parses the requested range.
 * @throws Refusal if it is invalid.
 */
function parseRange(from: string, until: string): SecondRange {
  const range = {
    from: Math.floor(parseInstant('from', from) / 1000),
    until: Math.ceil(parseInstant('until', until) / 1000),
  };
  if (range.until <= range.from) throw new Refusal('screentime.period_reversed', 'until: must be after from');
  if (range.until - range.from > MAX_STORY_DAYS * DAY_SECONDS)
    throw new Refusal('screentime.period_too_long', `Request at most ${MAX_STORY_DAYS} days at once`);
  return range;
}

export function createStoryHandlers(
  context: Pick<ServerContext, 'devices' | 'now'>,
  { usage }: Pick<UsageQueryDeps, 'usage'>,
): readonly Handler[] {
  const listStory = createStoryReader(usage);
  return [
    handle(usagestory, async ({ from, until, deviceid }, { account }) => {
      const range = parseRange(from, until);
      const device = await getRequestedDevice(context, usage, account, deviceid);
      // Removes the future: clocks of computers may be a little ahead.
      const end = Math.min(range.until, Math.max(range.from, Math.floor(context.now().epochMilliseconds / 1000)));
      return { stretches: [...(await listStory(account, { from: range.from, until: end, device }))] };
    }),
  ];
}

/** Days per batch. */
const DAYS_PER_BATCH = 8;

const formatInstant = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();

export const exportDescription =
  'All recorded use of your computers as intervals (on: in focus, off: open, s: playing sound, r: recording), with applications, categories, rules and goals.';

/**
 * Creates the account export of usage, as stored. An interval across midnight UTC at the end of a week is split in two.
 */
export function createUsageExporter(usage: UsageStore) {
  const listStory = createStoryReader(usage);
  const listIntervals = async function* (account: number): AsyncGenerator {
    const days = await usage.segments.listStoredDays(account);
    for (let index = 0; index < days.length;) {
      const from = days[index] ?? 0;
      const until = from + DAYS_PER_BATCH;
      const range = { from: from * DAY_SECONDS, until: until * DAY_SECONDS };
      const story = await listStory(account, { ...range, device: undefined });
      for (const interval of story)
        yield { ...interval, from: formatInstant(interval.from), until: formatInstant(interval.until) };
      while (index < days.length && (days[index] ?? 0) < until) index += 1;
    }
  };
  return async (account: number) => ({
    computers: await usage.devices.list(account),
    applications: (await usage.applications.list(account)).map(({ name, firstSeen }) => ({
      name: toWireName(name),
      firstSeen: formatInstant(Math.floor(firstSeen / 1000) * 1000),
    })),
    stretches: listIntervals(account),
  });
}
