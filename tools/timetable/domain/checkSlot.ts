import { countCodePoints } from '#platform/contract/fields.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { DELETED } from '../contract/limits.ts';
import { parseClock, parseEndClock, toClock } from './clockTime.ts';
import {
  DESCRIPTION_LIMIT,
  END_OF_DAY,
  NAME_LIMIT,
  NEW_SLOT,
  type Rgb,
  type Slot,
  isStatus,
  STATUSES,
} from './slot.ts';

/** A slot as `savespecific` sends it. Percents are not read: the server works them out. */
export interface SentSlot {
  readonly name: string;
  /** Times as people write them. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly description?: string | undefined;
  readonly colour?: readonly number[] | undefined;
  readonly state?: string | undefined;
}

/** Of a new slot that is sent without one. */
const NO_COLOUR: Rgb = [128, 128, 128];

/** As a sentence quotes it: on one line, its beginning where it is long. */
const quoted = (text: string): string => {
  const shown = Array.from(replaceUnstorable(text).replaceAll(/\s+/gu, ' ').trim());
  return `“${shown.length > 40 ? `${shown.slice(0, 40).join('')}…` : shown.join('')}”`;
};

/** What a sentence calls the slot. */
export function quotedTitle(name: string): string {
  return name.trim() === '' ? 'The slot without a name' : quoted(name);
}

/** A time that no day has: 24:30, 25:00. */
const isAfterDay = (text: string): boolean => Number(/^\s*(\d{2,3})[:.h]\d{1,2}\s*$/.exec(text)?.[1]) >= 24;

type Times = Pick<Slot, 'start' | 'end'>;

const unreadable = (title: string, edge: keyof Times, text: string): string =>
  `${title} cannot ${edge} at ${quoted(text)}: ` +
  (isAfterDay(text) ? 'a day ends at 24:00. Plan the rest on the next day' : 'write a time like 09:30');

const timesOf = (sent: SentSlot, known: Times): Times | string => {
  const title = quotedTitle(sent.name);
  const start = sent.start === undefined ? known.start : parseClock(sent.start);
  const end = sent.end === undefined ? known.end : parseEndClock(sent.end);
  if (start === undefined) return unreadable(title, 'start', sent.start ?? '');
  if (end === undefined) return unreadable(title, 'end', sent.end ?? '');
  if (start === END_OF_DAY) return `${title} cannot start at 24:00: that is 00:00 of the next day`;
  if (start === end) return `${title} starts and ends at ${toClock(start)}: let it end later`;
  if (end < start)
    return `${title} ends at ${toClock(end)}, before it starts at ${toClock(start)}. A slot cannot go over midnight: let it end at 24:00 at the latest and plan the rest on the next day`;
  return { start, end };
};

const isRgb = (colour: readonly number[]): colour is Rgb =>
  colour.length === 3 && colour.every((part) => Number.isInteger(part) && part >= 0 && part <= 255);

const wrongText = ({ name, description = '' }: SentSlot): string | undefined => {
  if (name === DELETED) return `No slot can be called ${DELETED}: that is how one is marked as deleted`;
  if (countCodePoints(name) > NAME_LIMIT)
    return `The name ${quoted(name)} is too long at ${countCodePoints(name)} characters, limit is ${NAME_LIMIT}`;
  if (countCodePoints(description) > DESCRIPTION_LIMIT)
    return `The description of ${quotedTitle(name)} is too long at ${countCodePoints(description)} characters, limit is ${DESCRIPTION_LIMIT}`;
  return undefined;
};

const timesLeftOut = (sent: SentSlot): string | undefined => {
  if ((sent.start === undefined) === (sent.end === undefined)) return undefined;
  const [has, lacks] = sent.end === undefined ? ['a start', 'end'] : ['an end', 'start'];
  return `${quotedTitle(sent.name)} has ${has} but no ${lacks}: say both`;
};

/**
 * A slot that was sent, as it is kept, or the sentence that says what is wrong with it. What is left out stays as it is in `before`, the
 * slot that it changes; a new slot has the defaults.
 */
export function checkSlot(sent: SentSlot, before?: Slot): Slot | string {
  const refused = wrongText(sent) ?? (before ? undefined : timesLeftOut(sent));
  if (refused !== undefined) return refused;
  const { description, colour, status: state } = before ?? { ...NEW_SLOT, colour: NO_COLOUR };
  const times = timesOf(sent, before ?? NEW_SLOT);
  if (typeof times === 'string') return times;
  const wanted = sent.colour ?? colour;
  if (!isRgb(wanted))
    return `The colour of ${quotedTitle(sent.name)} is none: give red, green and blue as whole numbers from 0 to 255`;
  const status = sent.state ?? state;
  if (!isStatus(status))
    return `${quoted(status)}, the status of ${quotedTitle(sent.name)}, is none: choose one of ${STATUSES.join(', ')}`;
  return {
    name: replaceUnstorable(sent.name),
    description: replaceUnstorable(sent.description ?? description),
    ...times,
    colour: [wanted[0], wanted[1], wanted[2]],
    status,
  };
}
