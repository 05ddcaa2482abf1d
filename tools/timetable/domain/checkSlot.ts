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

/** A slot as `savespecific` receives it. Percents are ignored: the server computes them. */
export interface SentSlot {
  readonly name: string;
  /** Times as users type them. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly description?: string | undefined;
  readonly colour?: readonly number[] | undefined;
  readonly state?: string | undefined;
}

/** Colour of a new slot that is sent without one. */
const NO_COLOUR: Rgb = [128, 128, 128];

/** Quotes a text in a message: on one line, shortened to 40 characters. */
const quote = (text: string): string => {
  const characters = Array.from(replaceUnstorable(text).replaceAll(/\s+/gu, ' ').trim());
  return `“${characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('')}”`;
};

/** Returns how a message refers to the slot. */
export function quotedTitle(name: string): string {
  return name.trim() === '' ? 'The unnamed slot' : quote(name);
}

/** Returns whether a time is beyond the end of a day, such as 24:30 or 25:00. */
const isAfterDay = (text: string): boolean => Number(/^\s*(\d{2,3})[:.h]\d{1,2}\s*$/.exec(text)?.[1]) >= 24;

type SlotTimes = Pick<Slot, 'start' | 'end'>;

const formatUnreadableTime = (title: string, edge: keyof SlotTimes, text: string): string =>
  `${title} can't ${edge} at ${quote(text)}. ` +
  (isAfterDay(text) ? 'A day ends at 24:00. Add the rest to the next day' : 'Enter a time like 09:30');

const parseTimes = (sent: SentSlot, fallback: SlotTimes): SlotTimes | string => {
  const title = quotedTitle(sent.name);
  const start = sent.start === undefined ? fallback.start : parseClock(sent.start);
  const end = sent.end === undefined ? fallback.end : parseEndClock(sent.end);
  if (start === undefined) return formatUnreadableTime(title, 'start', sent.start ?? '');
  if (end === undefined) return formatUnreadableTime(title, 'end', sent.end ?? '');
  if (start === END_OF_DAY) return `${title} can't start at 24:00. Use 00:00 on the next day`;
  if (start === end) return `${title} starts and ends at ${toClock(start)}. Enter a later end`;
  if (end < start)
    return `${title} ends at ${toClock(end)}, before it starts at ${toClock(start)}. A slot can't cross midnight. End it by 24:00 and add the rest to the next day`;
  return { start, end };
};

const isRgb = (colour: readonly number[]): colour is Rgb =>
  colour.length === 3 && colour.every((part) => Number.isInteger(part) && part >= 0 && part <= 255);

const findTextProblem = ({ name, description = '' }: SentSlot): string | undefined => {
  if (name === DELETED)
    return `A slot can't be called ${DELETED}, because that name marks deleted slots. Choose another name`;
  if (countCodePoints(name) > NAME_LIMIT)
    return `The name ${quote(name)} is too long. Enter at most ${NAME_LIMIT} characters`;
  if (countCodePoints(description) > DESCRIPTION_LIMIT)
    return `The description of ${quotedTitle(name)} is too long. Enter at most ${DESCRIPTION_LIMIT.toLocaleString('en')} characters`;
  return undefined;
};

const findMissingTime = (sent: SentSlot): string | undefined => {
  if ((sent.start === undefined) === (sent.end === undefined)) return undefined;
  const [has, lacks] = sent.end === undefined ? ['a start', 'end'] : ['an end', 'start'];
  return `${quotedTitle(sent.name)} has ${has} but no ${lacks}. Enter both`;
};

/**
 * Validates a slot. Returns it in stored form, or a message that says what is wrong.
 * @param before the slot to change; it provides missing fields. New slots use defaults.
 */
export function checkSlot(sent: SentSlot, before?: Slot): Slot | string {
  const problem = findTextProblem(sent) ?? (before ? undefined : findMissingTime(sent));
  if (problem !== undefined) return problem;
  const { description, colour, status: state } = before ?? { ...NEW_SLOT, colour: NO_COLOUR };
  const times = parseTimes(sent, before ?? NEW_SLOT);
  if (typeof times === 'string') return times;
  const rgb = sent.colour ?? colour;
  if (!isRgb(rgb))
    return `The colour of ${quotedTitle(sent.name)} is not valid. Send red, green and blue as whole numbers from 0 to 255`;
  const status = sent.state ?? state;
  if (!isStatus(status))
    return `${quotedTitle(sent.name)} has the unknown status ${quote(status)}. Choose one of ${STATUSES.join(', ')}`;
  return {
    name: replaceUnstorable(sent.name),
    description: replaceUnstorable(sent.description ?? description),
    ...times,
    colour: [rgb[0], rgb[1], rgb[2]],
    status,
  };
}
