import { weekdayOf } from './day.ts';
import type { Day } from './day.ts';

/** Readable on the light background, Monday first; the page knows the dark ones. */
const WEEKDAYS = ['#1F5FC4', '#8A5C00', '#17703D', '#6E42B5', '#0C6B8A', '#B4420C', '#A12C5A'] as const;

export const weekdayColour = (day: Day): string => WEEKDAYS[weekdayOf(day) - 1] ?? WEEKDAYS[0];

/** Colours of new tags, given in turn. */
export const PALETTE = [
  '#8A5CD6',
  '#3B82C4',
  '#2E9E5B',
  '#B7791F',
  '#C2413B',
  '#C05299',
  '#0E8A8A',
  '#6B7280',
  '#5B6BD6',
  '#7A8B1F',
  '#A0522D',
  '#4A6FA5',
] as const;

/** Of the tag that is made after `count` others. */
export const newTagColour = (count: number): string => PALETTE[count % PALETTE.length] ?? PALETTE[0];

/** Of events without a tag, and of what is only a button, such as a week's spacer. */
export const UNTAGGED = '#6B7280';
export const TRANSPARENT = 'transparent';

/** Types of the edit history to their colours. */
export const EDIT_COLOURS: Readonly<Record<string, string>> = {
  created: '#2E9E5B',
  edited: '#3B82C4',
  moved: '#0E8A8A',
  imported: '#8A5CD6',
  caldav: '#C05299',
  subscription: '#B7791F',
  deleted: '#C2413B',
  restored: '#5B6BD6',
  accessed: '#6B7280',
};
