import type { Day } from '#platform/contract/day.ts';
import { getWeekday } from './day.ts';
import { getStyle, type DayPattern } from './event.ts';

/** Readable on the light background, Monday first. The page has its own colours for the dark theme. */
const WEEKDAY_COLOURS = ['#1F5FC4', '#8A5C00', '#17703D', '#6E42B5', '#0C6B8A', '#B4420C', '#A12C5A'] as const;

export function getWeekdayColour(day: Day): string {
  return WEEKDAY_COLOURS[getWeekday(day) - 1] ?? WEEKDAY_COLOURS[0];
}

/** Colours of new tags, used in turn. */
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

/** Returns the colour of the tag that is created after `count` others. */
export function getNewTagColour(count: number): string {
  return PALETTE[count % PALETTE.length] ?? PALETTE[0];
}

/** Colour of events without a tag, and of spacers. */
export const UNTAGGED_COLOUR = '#6B7280';
export const TRANSPARENT = 'transparent';

/** Colours by type of history entry. */
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

/** Tags that follow from style and state, in display order. Users can't remove them. */
export const BUILT_IN_TAGS = ['Repeat', 'Duration', 'Pinned'] as const;
/** The chip that asks for a tag. It is not a tag of any event. */
export const PLACEHOLDER_TAG = 'CLICK TO CHANGE TAG';

/** Colour of the built-in tags and of the placeholder. */
export const BUILT_IN_COLOUR = '#666673';
export const PLACEHOLDER_COLOUR = '#B7791F';

export type BuiltInTag = (typeof BUILT_IN_TAGS)[number];

/** Whether users may not give a tag this name. */
export function isReservedTag(name: string): boolean {
  return name === PLACEHOLDER_TAG || BUILT_IN_TAGS.some((builtIn) => builtIn === name);
}

export function listBuiltInTags({
  pattern,
  pinned,
}: {
  readonly pattern: Pick<DayPattern, 'kind'>;
  readonly pinned: string | undefined;
}): readonly BuiltInTag[] {
  return [
    ...(getStyle(pattern) === 'repeat' ? (['Repeat'] as const) : []),
    ...(pattern.kind === 'duration' ? (['Duration'] as const) : []),
    ...(pinned === undefined ? [] : (['Pinned'] as const)),
  ];
}

interface SubscribedTag {
  readonly id: number;
  readonly name: string;
  readonly colour: string;
}

/**
 * Converts the names of subscribed calendars to tag names: without commas, and unique, so duplicates get a number.
 * `title` is the calendar's name.
 */
export function toSubscriptionTags(
  subscriptions: readonly SubscribedTag[],
  ownNames: readonly string[],
): readonly (SubscribedTag & { readonly title: string })[] {
  const taken = new Set(ownNames);
  return subscriptions.map(({ id, name, colour }) => {
    const baseName = name.replaceAll(',', ' ').replaceAll(/\s+/g, ' ').trim() || 'Subscription';
    let tagName = baseName;
    for (let count = 2; taken.has(tagName) || isReservedTag(tagName); count += 1) tagName = `${baseName} (${count})`;
    taken.add(tagName);
    return { id, name: tagName, colour, title: name };
  });
}
