interface Weekday {
  readonly name: string;
  /** CSS, readable on the light ground; a page knows those for the dark one. */
  readonly colour: string;
}

/** Monday first, with the colours that they have in the calendar. */
const WEEKDAYS = [
  { name: 'Monday', colour: '#1F5FC4' },
  { name: 'Tuesday', colour: '#8A5C00' },
  { name: 'Wednesday', colour: '#17703D' },
  { name: 'Thursday', colour: '#6E42B5' },
  { name: 'Friday', colour: '#0C6B8A' },
  { name: 'Saturday', colour: '#B4420C' },
  { name: 'Sunday', colour: '#A12C5A' },
] as const;
const WEEK = WEEKDAYS.length;

/** Of a day, as days since 1970-01-01, which was a Thursday. */
export const weekdayOf = (day: number): Weekday => WEEKDAYS[(((day + 3) % WEEK) + WEEK) % WEEK] ?? WEEKDAYS[0];
