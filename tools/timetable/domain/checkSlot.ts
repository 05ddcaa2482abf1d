import { countCodePoints } from '#platform/contract/fields.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { DELETED } from '../contract/limits.ts';
import { parseClock, parseEndClock, toClock } from './clockTime.ts';
import {
  MAX_DESCRIPTION_LENGTH,
  END_OF_DAY,
  MAX_NAME_LENGTH,
  NEW_SLOT,
  type Rgb,
  type Slot,
  isStatus,
  STATUSES,
} from './slot.ts';

/** A slot as `savespecific` receives it. Percents are ignored: the server computes them. */
export interface SlotInput {
  readonly name: string;
  /** Times as users type them. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly description?: string | undefined;
  readonly colour?: readonly number[] | undefined;
  readonly state?: string | undefined;
}

/** Colour of a new slot that is sent without one. */
const DEFAULT_COLOUR: Rgb = [128, 128, 128];

/** Quotes a text in a message: on one line, shortened to 40 characters. */
function quote(text: string): string {
  const characters = Array.from(replaceUnstorable(text).replaceAll(/\s+/gu, ' ').trim());
  return `“${characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('')}”`;
}

/** Returns how a message refers to the slot. */
export function quoteTitle(name: string): string {
  return name.trim() === '' ? 'The unnamed slot' : quote(name);
}

/** Returns whether a time is beyond the end of a day, such as 24:30 or 25:00. */
const isAfterDay = (text: string): boolean => Number(/^\s*(\d{2,3})[:.h]\d{1,2}\s*$/.exec(text)?.[1]) >= 24;

type SlotTimes = Pick<Slot, 'start' | 'end'>;

const formatUnreadableTime = (title: string, edge: keyof SlotTimes, text: string): string =>
  `${title} can't ${edge} at ${quote(text)}. ` +
  (isAfterDay(text) ? 'A day ends at 24:00. Add the rest to the next day' : 'Enter a time like 09:30');

function parseTimes(input: SlotInput, fallback: SlotTimes): SlotTimes | string {
  const title = quoteTitle(input.name);
  const start = input.start === undefined ? fallback.start : parseClock(input.start);
  const end = input.end === undefined ? fallback.end : parseEndClock(input.end);
  if (start === undefined) return formatUnreadableTime(title, 'start', input.start ?? '');
  if (end === undefined) return formatUnreadableTime(title, 'end', input.end ?? '');
  if (start === END_OF_DAY) return `${title} can't start at 24:00. Use 00:00 on the next day`;
  if (start === end) return `${title} starts and ends at ${toClock(start)}. Enter a later end`;
  if (end < start)
    return `${title} ends at ${toClock(end)}, before it starts at ${toClock(start)}. A slot can't cross midnight. End it by 24:00 and add the rest to the next day`;
  return { start, end };
}

const isRgb = (colour: readonly number[]): colour is Rgb =>
  colour.length === 3 && colour.every((part) => Number.isInteger(part) && part >= 0 && part <= 255);

function findTextProblem({ name, description = '' }: SlotInput): string | undefined {
  if (name === DELETED)
    return `A slot can't be called ${DELETED}, because that name marks deleted slots. Choose another name`;
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    return `The name ${quote(name)} is too long. Enter at most ${MAX_NAME_LENGTH} characters`;
  if (countCodePoints(description) > MAX_DESCRIPTION_LENGTH)
    return `The description of ${quoteTitle(name)} is too long. Enter at most ${MAX_DESCRIPTION_LENGTH.toLocaleString('en')} characters`;
  return undefined;
}

function findMissingTime(input: SlotInput): string | undefined {
  if ((input.start === undefined) === (input.end === undefined)) return undefined;
  const [present, missing] = input.end === undefined ? ['a start', 'end'] : ['an end', 'start'];
  return `${quoteTitle(input.name)} has ${present} but no ${missing}. Enter both`;
}

/**
 * Validates a slot. Returns it in stored form, or a message that says what is wrong.
 * @param existing the slot to change; it provides missing fields. New slots use defaults.
 */
export function checkSlot(input: SlotInput, existing?: Slot): Slot | string {
  const problem = findTextProblem(input) ?? (existing ? undefined : findMissingTime(input));
  if (problem !== undefined) return problem;
  const { description, colour, status: state } = existing ?? { ...NEW_SLOT, colour: DEFAULT_COLOUR };
  const times = parseTimes(input, existing ?? NEW_SLOT);
  if (typeof times === 'string') return times;
  const rgb = input.colour ?? colour;
  if (!isRgb(rgb))
    return `The colour of ${quoteTitle(input.name)} is not valid. Send red, green and blue as whole numbers from 0 to 255`;
  const status = input.state ?? state;
  if (!isStatus(status))
    return `${quoteTitle(input.name)} has the unknown status ${quote(status)}. Choose one of ${STATUSES.join(', ')}`;
  return {
    name: replaceUnstorable(input.name),
    description: replaceUnstorable(input.description ?? description),
    ...times,
    colour: [rgb[0], rgb[1], rgb[2]],
    status,
  };
}
