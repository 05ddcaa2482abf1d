import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** A feeder, or what a bird has in common with one: `colour` is '#rrggbb'. */
export interface Feeder {
  /** Random, 1 to 15000, unique among its kind. */
  readonly id: number;
  readonly name: string;
  readonly colour: string;
}

/** A bird hangs under the feeder that was chosen, with the date that stood in the form, when it was added. */
export interface Bird extends Feeder {
  readonly feeder: number | undefined;
  /** ISO date, or ''. */
  readonly date: string;
}

/** Everything of the page; it is kept nowhere else (specification 2, section 2.4). */
export interface Board {
  readonly birds: readonly Bird[];
  readonly feeders: readonly Feeder[];
}

/** A whole number from 0 to below. */
export type Random = (below: number) => number;
type FeederLook = Pick<Feeder, 'name' | 'colour'>;

/** Random ids go up to this (specification 2, section 9). */
export const MAX_ID = 15_000;
export const MAX_NAME_LENGTH = 60;
export const EMPTY: Board = { birds: [], feeders: [] };

/** A random colour to begin with (specification 2, section 2.4): any hue, of a lightness that shows on light and dark ground. */
export function randomColour(random: Random): string {
  const hue = random(360);
  // HSL with 60 percent saturation and 50 percent lightness, channel by channel.
  const channel = (offset: number): string => {
    const turn = (offset + hue / 30) % 12;
    const part = 0.5 - 0.3 * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
    return Math.round(part * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** @throws Refusal when every id is taken. */
const freeId = (taken: readonly Feeder[], random: Random): number => {
  const used = new Set(taken.map(({ id }) => id));
  if (used.size >= MAX_ID) throw new Refusal(`There is no room for more than ${MAX_ID}`);
  // The nth of those that are free, so that it ends however many are taken.
  let left = random(MAX_ID - used.size);
  let id = 1;
  while (used.has(id) || left > 0) {
    if (!used.has(id)) left -= 1;
    id += 1;
  }
  return id;
};

/** @throws Refusal for a name that is none or too long. */
const checkedName = (name: string): string => {
  const plain = name.trim();
  if (plain === '') throw new Refusal('Enter a name');
  if (countCodePoints(plain) > MAX_NAME_LENGTH)
    throw new Refusal(`Name is too long, limit is ${MAX_NAME_LENGTH} characters`);
  return plain;
};

/** @throws Refusal for a name that is none or too long (specification 2, section 5). */
export function newFeeder(board: Board, { name, colour }: FeederLook, random: Random): Feeder {
  return {
    name: checkedName(name),
    colour,
    id: freeId(board.feeders, random),
  };
}

/** @throws Refusal for a name that is none or too long (specification 2, section 5). */
export function newBird(
  board: Board,
  { name, colour, feeder, date }: FeederLook & Pick<Bird, 'feeder' | 'date'>,
  random: Random,
): Bird {
  return { name: checkedName(name), colour, feeder, date, id: freeId(board.birds, random) };
}

/** A feeder with the birds that hang under it; first, without a feeder, those that hang under none. */
export interface Column {
  readonly feeder: Feeder | undefined;
  readonly birds: readonly Bird[];
}

export function columnsOf({ birds, feeders }: Board): readonly Column[] {
  const under = (feeder: Feeder | undefined): Column => ({
    feeder,
    birds: birds.filter((bird) => bird.feeder === feeder?.id),
  });
  const loose = under(undefined);
  return [...(loose.birds.length > 0 ? [loose] : []), ...feeders.map(under)];
}

/** '21-11-2026' for the ISO date; '' for ''. */
export function shownDate(iso: string): string {
  return iso.split('-').toReversed().join('-');
}
