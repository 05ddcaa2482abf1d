import type { RequestInputOf } from '#platform/contract/call.ts';
import type { savespecific } from '#tools/timetable/contract.ts';
import { createRandom } from './random.ts';

type DaySlots = RequestInputOf<typeof savespecific>['data'];
type Rgb = [red: number, green: number, blue: number];

interface SlotTemplate {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly colour: Rgb;
  /** 1 is Monday. */
  readonly weekdays: readonly number[];
  readonly description?: string;
}

const WORKDAYS = [1, 2, 3, 4, 5];
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const WORK: Rgb = [59, 130, 196];
const SCHOOL: Rgb = [138, 92, 214];
const HOME: Rgb = [46, 158, 91];
const SPORT: Rgb = [194, 65, 59];
const LEISURE: Rgb = [183, 121, 31];

const SLOTS: readonly SlotTemplate[] = [
  { name: 'Breakfast and school run', start: '07:00', end: '08:15', colour: SCHOOL, weekdays: WORKDAYS },
  { name: 'Deep work', start: '08:30', end: '11:30', colour: WORK, weekdays: [1, 2, 4] },
  { name: 'Meetings', start: '09:00', end: '12:00', colour: WORK, weekdays: [3, 5] },
  { name: 'Lunch and a walk', start: '12:15', end: '13:15', colour: HOME, weekdays: WORKDAYS },
  { name: 'Writing', start: '13:30', end: '16:00', colour: WORK, weekdays: [1, 2, 3, 5] },
  { name: 'Swimming, Mia', start: '16:15', end: '17:00', colour: SPORT, weekdays: [4] },
  { name: 'Football, Leo', start: '17:00', end: '18:30', colour: SPORT, weekdays: [3] },
  { name: 'Homework together', start: '16:30', end: '17:30', colour: SCHOOL, weekdays: [1, 2] },
  { name: 'Big shop', start: '16:00', end: '17:30', colour: HOME, weekdays: [5], description: 'List: Weekly shop' },
  { name: 'Cook and eat', start: '18:30', end: '19:30', colour: HOME, weekdays: EVERY_DAY },
  { name: 'Choir practice', start: '19:30', end: '21:00', colour: LEISURE, weekdays: [2] },
  { name: 'Spanish', start: '20:00', end: '20:45', colour: LEISURE, weekdays: [1, 4], description: 'Unit 14' },
  { name: 'Run', start: '07:30', end: '08:30', colour: SPORT, weekdays: [6, 7] },
  { name: 'Clean the flat', start: '10:00', end: '12:00', colour: HOME, weekdays: [6] },
  { name: 'Out with the children', start: '13:30', end: '17:00', colour: LEISURE, weekdays: [7] },
  { name: 'Garden', start: '14:00', end: '16:30', colour: HOME, weekdays: [6] },
];

export interface TimetableDay {
  /** ISO date. */
  readonly date: string;
  readonly slots: DaySlots;
}

const toMonday = (date: Temporal.PlainDate): Temporal.PlainDate => date.subtract({ days: date.dayOfWeek - 1 });

/** Returns the state of a slot that was done as planned, or skipped. */
function getState(
  { start, end }: Pick<SlotTemplate, 'start' | 'end'>,
  date: Temporal.PlainDate,
  { now, isSkipped }: { readonly now: Temporal.PlainDateTime; readonly isSkipped: boolean },
): string {
  const isBeforeNow = (time: string): boolean =>
    Temporal.PlainDateTime.compare(date.toPlainDateTime(Temporal.PlainTime.from(time)), now) < 0;
  if (isBeforeNow(end)) return isSkipped ? 'Skipped' : 'Done';
  return isBeforeNow(start) ? 'In Progress' : 'Not Started';
}

/** Creates one week. The state of a slot says whether it was done by `now`. */
export function createTimetableWeek(now: Temporal.PlainDateTime, weekOffset: number): readonly TimetableDay[] {
  const random = createRandom(70 + weekOffset);
  const monday = toMonday(now.toPlainDate()).add({ weeks: weekOffset });
  return Array.from({ length: 7 }, (_, index) => {
    const date = monday.add({ days: index });
    const slots = SLOTS.filter(({ weekdays }) => weekdays.includes(date.dayOfWeek)).map(
      ({ weekdays: _weekdays, description = '', ...slot }, slotIndex) => {
        const state = getState(slot, date, { now, isSkipped: random.fraction() < 0.08 });
        return [`new${slotIndex}`, { ...slot, description, state, updatedid: 0 }] as const;
      },
    );
    return { date: date.toString(), slots: Object.fromEntries(slots) };
  });
}
