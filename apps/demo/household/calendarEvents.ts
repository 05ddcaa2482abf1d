import type { RequestInputOf } from '#platform/contract/call.ts';
import type { newevent } from '#tools/calendar/contract/events.ts';
import { createRandom } from './random.ts';

export type EventData = RequestInputOf<typeof newevent>['data'];

/** Tags with their colours. */
export const TAG_COLOURS: Readonly<Record<string, string>> = {
  Home: '#2E9E5B',
  Family: '#8A5CD6',
  School: '#3B82C4',
  Health: '#C2413B',
  Friends: '#C05299',
  Work: '#6B7280',
  Birthday: '#B7791F',
  Trips: '#0E8A8A',
  Money: '#7A8B1F',
};

interface EventTemplate {
  readonly name: string;
  readonly tags: readonly string[];
  readonly time?: string;
  readonly endtime?: string;
  readonly description?: string;
  readonly pinned?: string;
}

/** An event that repeats weekly, monthly or yearly. */
interface RepeatTemplate extends EventTemplate {
  readonly every: number;
  readonly unit: 'week' | 'month' | 'year' | 'day';
  /** 1 is Monday. Only for weeks. */
  readonly weekday?: number;
  readonly day?: number;
  readonly month?: number;
}

const REPEATS: readonly RepeatTemplate[] = [
  { name: 'Put the bins out', tags: ['Home'], time: '19:00', every: 1, unit: 'week', weekday: 1 },
  { name: 'Paper and glass', tags: ['Home'], time: '07:00', every: 2, unit: 'week', weekday: 5 },
  { name: 'Choir practice', tags: ['Friends'], time: '19:30', endtime: '21:00', every: 1, unit: 'week', weekday: 2 },
  { name: 'Swimming, Mia', tags: ['School'], time: '16:15', endtime: '17:00', every: 1, unit: 'week', weekday: 4 },
  { name: 'Football, Leo', tags: ['School'], time: '17:00', endtime: '18:30', every: 1, unit: 'week', weekday: 3 },
  { name: 'Vegetable box', tags: ['Home'], time: '10:00', every: 1, unit: 'week', weekday: 6 },
  { name: 'Call with Grandma', tags: ['Family'], time: '17:30', every: 2, unit: 'week', weekday: 7 },
  { name: 'Team lunch', tags: ['Work'], time: '12:30', endtime: '13:30', every: 2, unit: 'week', weekday: 4 },
  { name: 'Pay the rent', tags: ['Money'], every: 1, unit: 'month', day: 1 },
  { name: 'Read the meters', tags: ['Home', 'Money'], every: 1, unit: 'month', day: 28 },
  { name: 'Mia’s birthday', tags: ['Birthday', 'Family'], every: 1, unit: 'year', month: 3, day: 14 },
  { name: 'Leo’s birthday', tags: ['Birthday', 'Family'], every: 1, unit: 'year', month: 9, day: 2 },
  { name: 'Grandpa’s birthday', tags: ['Birthday', 'Family'], every: 1, unit: 'year', month: 12, day: 4 },
  { name: 'Ben’s birthday', tags: ['Birthday', 'Family'], every: 1, unit: 'year', month: 6, day: 21 },
  { name: 'Clara’s birthday', tags: ['Birthday', 'Friends'], every: 1, unit: 'year', month: 11, day: 18 },
  { name: 'Jonas’ birthday', tags: ['Birthday', 'Friends'], every: 1, unit: 'year', month: 1, day: 27 },
  { name: 'Wedding anniversary', tags: ['Family'], every: 1, unit: 'year', month: 7, day: 16, pinned: 'Family' },
  { name: 'Car insurance is due', tags: ['Money'], every: 1, unit: 'year', month: 12, day: 15 },
];

/** Events of several days, placed relative to today. */
const DURATIONS: readonly (EventTemplate & { readonly from: number; readonly days: number })[] = [
  { name: 'Skiing in the Alps', tags: ['Trips', 'Family'], from: -290, days: 7 },
  { name: 'Easter with the grandparents', tags: ['Family', 'Trips'], from: -228, days: 5 },
  { name: 'Cycling along the river', tags: ['Trips', 'Friends'], from: -171, days: 4 },
  { name: 'Summer holiday by the sea', tags: ['Trips', 'Family'], from: -118, days: 14 },
  { name: 'New kitchen', tags: ['Home'], from: -64, days: 10, description: 'The fitters come every day at eight.' },
  {
    name: 'Library books on loan',
    tags: ['School'],
    from: -9,
    days: 21,
    description: 'Five books, on the hall shelf.',
  },
  { name: 'Grandma visits', tags: ['Family'], from: 4, days: 5, description: 'She sleeps in the study.' },
  { name: 'Winter holiday', tags: ['Trips', 'Family'], from: 32, days: 8 },
  { name: 'Conference', tags: ['Work', 'Trips'], from: 61, days: 3 },
];

type EventTemplates = readonly [EventTemplate, ...EventTemplate[]];

const WEEKDAY_EVENTS: EventTemplates = [
  { name: 'Dentist', tags: ['Health'], time: '08:30', endtime: '09:15', description: 'Bring the insurance card.' },
  { name: 'Haircut', tags: ['Home'], time: '17:15' },
  { name: 'Parents’ evening', tags: ['School'], time: '19:00', endtime: '20:30', description: 'Room 12, first floor.' },
  { name: 'Dinner at Clara’s', tags: ['Friends'], time: '19:00', description: 'We are bringing dessert.' },
  { name: 'Project review', tags: ['Work'], time: '10:00', endtime: '11:30' },
  { name: 'Boiler service', tags: ['Home'], time: '09:00', endtime: '11:00' },
  { name: 'Optician, Ben', tags: ['Health'], time: '16:00' },
  { name: 'Bike repair', tags: ['Home'], time: '08:00', description: 'Rear brake, and a new chain.' },
  { name: 'Cinema', tags: ['Friends'], time: '20:15', endtime: '22:30' },
  { name: 'School concert', tags: ['School', 'Family'], time: '18:00', endtime: '19:30' },
  { name: 'Cat to the vet', tags: ['Health', 'Home'], time: '15:45' },
  { name: 'Flu jab', tags: ['Health'], time: '11:20' },
  { name: 'Parcel for Mia', tags: ['Home'] },
  { name: 'Home office', tags: ['Work'] },
  { name: 'Pottery course', tags: ['Friends'], time: '18:30', endtime: '20:30' },
];

const WEEKEND_EVENTS: EventTemplates = [
  { name: 'Flea market', tags: ['Friends'], time: '09:00', endtime: '13:00' },
  { name: 'Hike to the lake', tags: ['Trips', 'Family'], time: '09:30', description: 'Trains leave at :07 and :37.' },
  { name: 'Board games at Jonas’', tags: ['Friends'], time: '15:00', endtime: '19:00' },
  { name: 'Football match, Leo', tags: ['School', 'Family'], time: '10:30', endtime: '12:30' },
  { name: 'Brunch', tags: ['Friends'], time: '10:30' },
  { name: 'Museum', tags: ['Family'], time: '14:00', endtime: '17:00' },
  { name: 'Bake for the fair', tags: ['School', 'Home'], time: '15:00' },
  { name: 'Tidy the cellar', tags: ['Home'] },
  { name: 'Lena’s party', tags: ['Friends'], time: '19:30', description: 'Bring the big speaker.' },
  { name: 'Theatre', tags: ['Friends'], time: '19:30', endtime: '22:00' },
  { name: 'Change the tyres', tags: ['Home'], time: '11:00' },
];

/** Days after today that get single events. */
const AHEAD_DAYS = 70;
/** Distance between two events from the same template. */
const MIN_REPEAT_DAYS = 25;

function toRepeat(template: RepeatTemplate, start: Temporal.PlainDate): EventData {
  const { every, unit, weekday, day, month, tags, ...data } = template;
  let date = start;
  if (weekday !== undefined) date = start.add({ days: (weekday - start.dayOfWeek + 7) % 7 });
  if (day !== undefined) date = start.with({ day, ...(month === undefined ? {} : { month }) });
  if (Temporal.PlainDate.compare(date, start) < 0) date = date.add(unit === 'year' ? { years: 1 } : { months: 1 });
  return {
    id: 0,
    ...data,
    date: date.toString(),
    participants: [...tags],
    style: 'repeat',
    repeateveryamount: every,
    repeatevery: unit,
    repeatfromtype: 'absoloute',
    repeatfrom: date.toString(),
    repeatuntilltype: 'forever',
  };
}

/** Creates single events: three or four a week, and more in the coming days. */
function createSingles(today: Temporal.PlainDate, days: number): readonly EventData[] {
  const random = createRandom(20);
  const lastDays = new Map<string, number>();
  return Array.from({ length: days + AHEAD_DAYS }, (_, index) => index - days).flatMap((offset): EventData[] => {
    const date = today.add({ days: offset });
    const isWeekend = date.dayOfWeek > 5;
    const isNear = offset >= 0 && offset < 14;
    const template = random.pick(isWeekend ? WEEKEND_EVENTS : WEEKDAY_EVENTS);
    const isWanted = random.fraction() < (isNear ? 0.75 : isWeekend ? 0.65 : 0.5);
    if (!isWanted || offset - (lastDays.get(template.name) ?? -Infinity) < MIN_REPEAT_DAYS) return [];
    lastDays.set(template.name, offset);
    const { tags, ...data } = template;
    return [{ id: 0, ...data, date: date.toString(), participants: [...tags], style: 'calendar' }];
  });
}

/** Creates the events of a household from `days` before today on. */
export function createCalendarEvents(today: Temporal.PlainDate, days: number): readonly EventData[] {
  const start = today.subtract({ days });
  const durations = DURATIONS.filter(({ from, days: length }) => from + length > -days).map(
    ({ from, days: length, tags, ...data }): EventData => ({
      id: 0,
      ...data,
      date: today.add({ days: from }).toString(),
      participants: [...tags],
      style: 'duration',
      duration: length,
      durationtype: 'days',
    }),
  );
  return [...REPEATS.map((template) => toRepeat(template, start)), ...durations, ...createSingles(today, days)];
}
