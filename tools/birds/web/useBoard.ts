import { useState } from 'react';
import { formatIsoDate } from '#platform/web/browser/formats.ts';
import { EMPTY_BOARD, createBird, createFeeder, createRandomColour, type Board } from '../domain/board.ts';

/** Draft of a new bird or feeder. `error` is the reason for which it was refused. */
export interface NewEntryDraft {
  readonly name: string;
  readonly colour: string;
  readonly error?: string | undefined;
}

/** Contents of the form. They survive closing the form, but not the page. */
export interface BirdFormDraft {
  /** Id as text, or 'new'. */
  readonly bird: string;
  readonly feeder: string;
  /** ISO date, or ''. */
  readonly date: string;
  readonly newBird: NewEntryDraft;
  readonly newFeeder: NewEntryDraft;
  /** Used in the number and date mode. */
  readonly number: string;
}

export const NEW_OPTION = 'new';

const random = (max: number): number => Math.floor(Math.random() * max);
const createBlankDraft = (): NewEntryDraft => ({ name: '', colour: createRandomColour(random) });
const getToday = (): string => formatIsoDate(new Date());

const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** State of the board and its form. It exists in memory only (docs/specification/birds.md section 4). */
export function useBoard() {
  const [board, setBoard] = useState<Board>(EMPTY_BOARD);
  const [draft, setDraft] = useState<BirdFormDraft>(() => ({
    bird: NEW_OPTION,
    feeder: NEW_OPTION,
    date: getToday(),
    newBird: createBlankDraft(),
    newFeeder: createBlankDraft(),
    number: '',
  }));
  const changeDraft = (part: Partial<BirdFormDraft>): void => setDraft((before) => ({ ...before, ...part }));

  /** Returns the name of the added bird, or undefined if it was refused. */
  function addBird(): string | undefined {
    try {
      const feeder = draft.feeder === NEW_OPTION ? undefined : Number(draft.feeder);
      const bird = createBird(board, { ...draft.newBird, feeder, date: draft.date }, random);
      setBoard({ ...board, birds: [...board.birds, bird] });
      changeDraft({ bird: String(bird.id), newBird: createBlankDraft() });
      return bird.name;
    } catch (error) {
      changeDraft({ newBird: { ...draft.newBird, error: getErrorMessage(error) } });
      return undefined;
    }
  }
  /** Returns the name of the added feeder, or undefined if it was refused. */
  function addFeeder(): string | undefined {
    try {
      const feeder = createFeeder(board, draft.newFeeder, random);
      setBoard({ ...board, feeders: [...board.feeders, feeder] });
      changeDraft({ feeder: String(feeder.id), newFeeder: createBlankDraft() });
      return feeder.name;
    } catch (error) {
      changeDraft({ newFeeder: { ...draft.newFeeder, error: getErrorMessage(error) } });
      return undefined;
    }
  }
  return { board, draft, changeDraft, addBird, addFeeder };
}
