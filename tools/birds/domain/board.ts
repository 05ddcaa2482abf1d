import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** An entry of the board: a bird or a feeder. */
export interface BoardEntry {
  /** Random, from 1 to 15000, unique among birds or among feeders. */
  readonly id: number;
  readonly name: string;
  readonly colour: string;
}

export type Feeder = BoardEntry;

/** A bird, with the feeder and the date that the form had when the bird was added. */
export interface Bird extends BoardEntry {
  /** Id of its feeder. Undefined for none. */
  readonly feeder: number | undefined;
  /** ISO date, or '' for none. */
  readonly date: string;
}

/** All data of the page. It exists in memory only (docs/specification/birds.md section 4). */
export interface Board {
  readonly birds: readonly Bird[];
  readonly feeders: readonly Feeder[];
}

/** Returns a random whole number from 0 to `max` - 1. */
export type Random = (max: number) => number;
type EntryFields = Pick<BoardEntry, 'name' | 'colour'>;

/** Highest random id (docs/specification/birds.md section 6). */
export const MAX_ID = 15_000;
export const MAX_NAME_LENGTH = 60;
export const EMPTY_BOARD: Board = { birds: [], feeders: [] };

/**
 * Returns a random hue as '#rrggbb', with a lightness that is visible in light and dark mode
 * (docs/specification/birds.md section 1).
 */
export function createRandomColour(random: Random): string {
  const hue = random(360);
  // HSL with 60% saturation and 50% lightness, converted channel by channel.
  function getChannel(offset: number): string {
    const position = (offset + hue / 30) % 12;
    const part = 0.5 - 0.3 * Math.max(-1, Math.min(position - 3, 9 - position, 1));
    return Math.round(part * 255)
      .toString(16)
      .padStart(2, '0');
  }
  return `#${getChannel(0)}${getChannel(8)}${getChannel(4)}`;
}

/**
 * Returns an unused id.
 * @throws Refusal if every id is taken.
 */
function pickUnusedId(entries: readonly BoardEntry[], random: Random): number {
  const usedIds = new Set(entries.map(({ id }) => id));
  if (usedIds.size >= MAX_ID)
    throw new Refusal(
      'birds.board_full',
      `The board is full. It can have at most ${MAX_ID.toLocaleString('en')} of each kind`,
    );
  // Picks the nth unused id, so the loop ends however many ids are taken.
  let remaining = random(MAX_ID - usedIds.size);
  let id = 1;
  while (usedIds.has(id) || remaining > 0) {
    if (!usedIds.has(id)) remaining -= 1;
    id += 1;
  }
  return id;
}

/**
 * Returns the trimmed name.
 * @throws Refusal if the name is empty or too long.
 */
function validateName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new Refusal('birds.name_empty', 'Enter a name');
  if (countCodePoints(trimmed) > MAX_NAME_LENGTH)
    throw new Refusal('birds.name_too_long', `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters`);
  return trimmed;
}

/**
 * Creates a feeder (docs/specification/birds.md section 4).
 * @throws Refusal if the name is empty or too long.
 */
export function createFeeder(board: Board, { name, colour }: EntryFields, random: Random): Feeder {
  return { name: validateName(name), colour, id: pickUnusedId(board.feeders, random) };
}

/**
 * Creates a bird (docs/specification/birds.md section 4).
 * @throws Refusal if the name is empty or too long.
 */
export function createBird(
  board: Board,
  { name, colour, feeder, date }: EntryFields & Pick<Bird, 'feeder' | 'date'>,
  random: Random,
): Bird {
  return { name: validateName(name), colour, feeder, date, id: pickUnusedId(board.birds, random) };
}

/** A feeder and its birds. The first column has no feeder if some birds have none. */
export interface Column {
  readonly feeder: Feeder | undefined;
  readonly birds: readonly Bird[];
}

export function getColumns({ birds, feeders }: Board): readonly Column[] {
  const toColumn = (feeder: Feeder | undefined): Column => ({
    feeder,
    birds: birds.filter((bird) => bird.feeder === feeder?.id),
  });
  const unassigned = toColumn(undefined);
  return [...(unassigned.birds.length > 0 ? [unassigned] : []), ...feeders.map(toColumn)];
}
