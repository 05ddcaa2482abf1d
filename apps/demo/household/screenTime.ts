import type { RequestInputOf } from '#platform/contract/call.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import type { reportusage } from '#tools/screentime/contract.ts';
import { createRandom, type Random } from './random.ts';

type Segment = RequestInputOf<typeof reportusage>['segments'][number];

/** Applications by category. */
export const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  Work: ['Writer', 'Code', 'Terminal', 'Calc'],
  Internet: ['Firefox', 'Thunderbird'],
  Talking: ['Signal'],
  Creative: ['GIMP', 'Ardour', 'Inkscape'],
  Media: ['VLC', 'Music player'],
  Games: ['Luanti', 'SuperTuxKart'],
};

type Choices = readonly [string, ...string[]];

interface Sitting {
  /** Hours of the day. */
  readonly from: number;
  readonly until: number;
  /** From 0 to 1. */
  readonly chance: number;
  /** Those that are used more often come first. */
  readonly apps: Choices;
  /** Application that plays sound meanwhile. */
  readonly sound?: string;
}

interface ComputerTemplate {
  readonly seed: number;
  readonly weekday: readonly Sitting[];
  readonly weekend: readonly Sitting[];
}

const OFFICE: Choices = ['Writer', 'Firefox', 'Code', 'Thunderbird', 'Terminal', 'Signal', 'Calc'];
const EVENING: Choices = ['Firefox', 'Signal', 'GIMP', 'Ardour', 'Thunderbird'];
const SOFA: Choices = ['VLC', 'Firefox', 'Signal'];
const PLAY: Choices = ['Luanti', 'SuperTuxKart', 'Firefox'];

/** The computers of the household: Anna's in the study, and the one that all use in the living room. */
export const COMPUTERS = {
  study: {
    seed: 11,
    weekday: [
      { from: 8.5, until: 12, chance: 0.95, apps: OFFICE, sound: 'Music player' },
      { from: 13.4, until: 16.2, chance: 0.9, apps: OFFICE },
      { from: 20.2, until: 22, chance: 0.45, apps: EVENING, sound: 'Music player' },
    ],
    weekend: [
      { from: 10, until: 11.8, chance: 0.7, apps: EVENING },
      { from: 19.5, until: 21.5, chance: 0.5, apps: EVENING, sound: 'Music player' },
    ],
  },
  livingRoom: {
    seed: 23,
    weekday: [
      { from: 16.6, until: 17.8, chance: 0.6, apps: PLAY, sound: 'Luanti' },
      { from: 20, until: 22.2, chance: 0.7, apps: SOFA, sound: 'VLC' },
    ],
    weekend: [
      { from: 9.2, until: 11, chance: 0.6, apps: PLAY, sound: 'Luanti' },
      { from: 15, until: 16.5, chance: 0.5, apps: ['Inkscape', 'Firefox', 'GIMP'] },
      { from: 19.6, until: 22.6, chance: 0.9, apps: SOFA, sound: 'VLC' },
    ],
  },
} as const satisfies Readonly<Record<string, ComputerTemplate>>;

const MEAN_FOCUS_MS = 11 * MINUTE_MS;
const MAX_FOCUS_MS = 55 * MINUTE_MS;
const MAX_SHIFT_MS = 35 * MINUTE_MS;

/** Picks an application at random; the first ones more often. */
const pickApp = (apps: Choices, random: Random): string =>
  apps[Math.floor(random.fraction() ** 1.8 * apps.length)] ?? apps[0];

/** Creates what one sitting at a computer records: focus in turn, and open in the background otherwise. */
function createSitting(midnight: number, sitting: Sitting, random: Random): readonly Segment[] {
  const { apps, sound } = sitting;
  const getShift = (): number => Math.round((random.fraction() - 0.5) * 2 * MAX_SHIFT_MS);
  const start = midnight + sitting.from * HOUR_MS + getShift();
  const end = midnight + sitting.until * HOUR_MS + getShift();
  const segments: Segment[] = [];
  const hiddenSince = new Map<string, number>();
  function addHidden(app: string, until: number): void {
    const from = hiddenSince.get(app);
    if (from !== undefined && until > from) segments.push({ app, status: 'off', from, until });
  }
  for (let now = start; now < end;) {
    const app = pickApp(apps, random);
    const focusEnd = Math.min(
      end,
      now + Math.min(MAX_FOCUS_MS, MINUTE_MS - Math.log(1 - random.fraction()) * MEAN_FOCUS_MS),
    );
    const focus = { from: Math.round(now), until: Math.round(focusEnd) };
    addHidden(app, focus.from);
    segments.push({ app, status: 'on', ...focus });
    hiddenSince.set(app, focus.until);
    now = focusEnd;
    // Coffee, the phone, the children.
    if (random.fraction() < 0.12) now += random.between(4, 18) * MINUTE_MS;
  }
  for (const app of hiddenSince.keys()) addHidden(app, Math.round(end));
  if (sound !== undefined) segments.push({ app: sound, status: 's', from: Math.round(start), until: Math.round(end) });
  return segments;
}

/** Creates the usage of a computer on the `days` days up to `now`, ordered by end. Times are in milliseconds. */
export function createScreenTime(
  { seed, weekday, weekend }: ComputerTemplate,
  now: Temporal.ZonedDateTime,
  days: number,
): readonly Segment[] {
  const random = createRandom(seed);
  const limit = now.epochMilliseconds;
  return Array.from({ length: days }, (_, index) => now.toPlainDate().subtract({ days: days - 1 - index }))
    .flatMap((date) => {
      const midnight = date.toZonedDateTime(now.timeZoneId).epochMilliseconds;
      // A day out now and then.
      const isAway = random.fraction() < 0.07;
      const sittings = date.dayOfWeek > 5 ? weekend : weekday;
      return sittings.flatMap((sitting) =>
        random.fraction() < sitting.chance && !isAway ? createSitting(midnight, sitting, random) : [],
      );
    })
    .filter(({ from }) => from < limit)
    .map((segment) => ({ ...segment, until: Math.min(segment.until, limit) }))
    .filter(({ from, until }) => until > from)
    .toSorted((one, other) => one.until - other.until);
}

/** A goal with the fields of its call. */
interface GoalTemplate {
  readonly target: string;
  readonly type: 'app' | 'cat';
  readonly goalseconds: string;
  readonly daysaffected: string;
  readonly goaltype: '0' | '1';
  readonly limit?: '1';
}

export const GOALS: readonly GoalTemplate[] = [
  { target: 'Writer', type: 'app', goalseconds: '7200', daysaffected: '1', goaltype: '0' },
  { target: 'Creative', type: 'cat', goalseconds: '10800', daysaffected: '7', goaltype: '0' },
  { target: 'Games', type: 'cat', goalseconds: '3600', daysaffected: '1', goaltype: '0', limit: '1' },
  { target: 'Thunderbird', type: 'app', goalseconds: '12', daysaffected: '1', goaltype: '1', limit: '1' },
];
