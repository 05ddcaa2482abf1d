import { DAY_SECONDS, HOUR_SECONDS } from '#platform/contract/duration.ts';
import type { Database } from '#platform/server/database/database.ts';
import { createSeededRandom } from '#testing/kits/random.ts';
import type { Status } from '#tools/screentime/contract/limits.ts';
import { createApplicationIds } from '#tools/screentime/usage/server/applicationIds.ts';
import { createUsageRecorder } from '#tools/screentime/usage/server/recording.ts';
import { createUsageStore } from '#tools/screentime/usage/server/store/usageStores.ts';
import { createUsageChanges } from '#tools/screentime/usage/server/usageChanges.ts';
import { createUsageIngest, type UsageIngest } from '#tools/screentime/usage/server/usageIngest.ts';

/** Size of a generated usage history. The same plan generates the same usage. */
export interface UsagePlan {
  readonly seed: number;
  readonly days: number;
  readonly devices: number;
  readonly applications: number;
  /** Midnight UTC after the last day, in seconds since the epoch. */
  readonly until: number;
}

export interface GeneratedSegment {
  readonly app: string;
  readonly status: Status;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** Usage of a device on one day, ordered by end. */
export interface GeneratedDay {
  readonly device: number;
  readonly segments: readonly GeneratedSegment[];
}

/** Returns the plan for benchmarks: five years of five devices with 200 applications. */
export function planFiveYears(until: number): UsagePlan {
  return { seed: 7, days: 1826, devices: 5, applications: 200, until };
}

/** A watcher repeats what it sees after this many seconds. */
const HEARTBEAT_SECONDS = 30;
const MAX_OPEN_APPLICATIONS = 9;

/** Returns a function that returns random numbers from 0 to 1, without 1. */
function createFractionGenerator(seed: number): () => number {
  const generator = createSeededRandom(seed);
  return () => generator.nextInt(2 ** 30) / 2 ** 30;
}

/** Returns this many distinct names of applications; 'total' is one of them. */
export function createApplicationNames(count: number): readonly string[] {
  const firstNames = 'Firefox Code Terminal Slack Thunderbird Spotify Chromium Steam Blender total'.split(' ');
  return Array.from({ length: count }, (_, index) => firstNames[index] ?? `Program ${index}`);
}

/**
 * Generates one day of one device: sessions between morning and night, with a few open programs, one of them focused.
 */
function generateDay(midnight: number, names: readonly string[], random: () => number): readonly GeneratedSegment[] {
  const nextInt = (max: number): number => Math.floor(random() * max);
  // Prefers the first ones, like people do, and sometimes chooses others.
  const pickApplication = (): string => names[Math.floor(random() ** 3 * names.length)] ?? '';
  const open = [...new Set(Array.from({ length: MAX_OPEN_APPLICATIONS }, pickApplication))];
  const segments: GeneratedSegment[] = [];
  function add(app: string, status: Status, from: number, until: number): void {
    if (until > from) segments.push({ app, status, from: from * 1000, until: until * 1000 });
  }
  let now = midnight + (6 + nextInt(3)) * HOUR_SECONDS + nextInt(HOUR_SECONDS);
  const end = midnight + (20 + nextInt(3)) * HOUR_SECONDS + nextInt(HOUR_SECONDS);
  const hiddenSince = new Map(open.map((app) => [app, now]));
  const startedAt = now;
  while (now < end) {
    if (random() < 0.02) open[nextInt(open.length)] = pickApplication();
    const app = open[Math.floor(random() ** 2 * open.length)] ?? '';
    const length = Math.min(end - now, 5 + Math.floor(-Math.log(1 - random()) * 110));
    add(app, 'off', hiddenSince.get(app) ?? now, now);
    add(app, 'on', now, now + length);
    now += length;
    hiddenSince.set(app, now);
    if (random() < 0.03) now += 180 + nextInt(2400);
  }
  for (const app of new Set(open)) add(app, 'off', hiddenSince.get(app) ?? end, end);
  if (random() < 0.6)
    add(
      'Spotify',
      's',
      startedAt + nextInt(HOUR_SECONDS),
      Math.min(end, startedAt + HOUR_SECONDS + nextInt(3 * HOUR_SECONDS)),
    );
  if (random() < 0.3)
    add('Slack', 'r', startedAt + 2 * HOUR_SECONDS, startedAt + 2 * HOUR_SECONDS + nextInt(HOUR_SECONDS));
  return segments.toSorted((a, b) => a.until - b.until);
}

/** Generates usage day by day, device by device. Devices are numbered from 1. */
export function* generateUsage({ seed, days, devices, applications, until }: UsagePlan): Generator<GeneratedDay> {
  const random = createFractionGenerator(seed);
  const names = createApplicationNames(applications);
  for (let day = 0; day < days; day += 1)
    for (let device = 1; device <= devices; device += 1)
      // Devices are sometimes unused for a day.
      if (random() > 0.3) yield { device, segments: generateDay(until - (days - day) * DAY_SECONDS, names, random) };
}

/** Counts the heartbeats that a watcher would send: focus every 30 s, everything else once at its start. */
export function countHeartbeats({ status, from, until }: GeneratedSegment): number {
  return status === 'on' ? Math.ceil((until - from) / 1000 / HEARTBEAT_SECONDS) : 1;
}

export interface FilledUsage {
  /** Ids as assigned by the server, in the order of the plan. */
  readonly devices: readonly number[];
  readonly heartbeats: number;
  readonly segments: number;
}

interface UsageHome {
  readonly account: number;
  /** Ids as assigned by the server, in the order of the plan. */
  readonly devices: readonly number[];
  readonly zone: string;
}

/** Creates the server's ingest without a server. */
export function createTestIngest(
  database: Database,
  { zone }: Pick<UsageHome, 'zone'>,
  { until }: Pick<UsagePlan, 'until'>,
): UsageIngest {
  const store = createUsageStore(database);
  return createUsageIngest({
    context: {
      database,
      identity: { resolveZone: async () => zone, findAccount: async () => undefined },
      devices: { getOwned: async (_account: number, id: string) => ({ name: `Computer ${id}` }) },
      now: () => Temporal.Instant.fromEpochMilliseconds(until * 1000),
    } as never,
    store,
    recording: createUsageRecorder(store),
    ids: createApplicationIds(store, async () => new Map()),
    changes: createUsageChanges(),
    onNewApplications: () => undefined,
    onHomeZoneMismatch: () => undefined,
  });
}

/** Stores the usage of a plan through the real ingest, as reports of the account's computers. */
export async function fillUsage(database: Database, home: UsageHome, plan: UsagePlan): Promise<FilledUsage> {
  const { account, devices } = home;
  const ingest = createTestIngest(database, home, plan);
  const sent = new Map<number, number>();
  let heartbeats = 0;
  let count = 0;
  for (const { device, segments } of generateUsage(plan)) {
    const id = devices[device - 1];
    if (id === undefined) continue;
    const seq = (sent.get(id) ?? 0) + 1;
    await ingest.ingest({ account, device: id, boot: 'generated', seq, dropped: false, segments });
    sent.set(id, seq - 1 + segments.length);
    count += segments.length;
    for (const segment of segments) heartbeats += countHeartbeats(segment);
  }
  return { devices, heartbeats, segments: count };
}
