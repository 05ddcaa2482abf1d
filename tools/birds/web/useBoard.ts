import { useState } from 'react';
import { formatIsoDate } from '#platform/web/browser/formats.ts';
import { EMPTY, newBird, newFeeder, randomColour, type Board } from '../domain/board.ts';

/** Draft of a new bird or feeder. `why` is the reason for which it was refused. */
export interface NewEntryDraft {
  readonly name: string;
  readonly colour: string;
  readonly why?: string | undefined;
}

/** Contents of the form. They survive closing the form, but not the page. */
export interface SightingDraft {
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

export const NEW = 'new';

const random = (below: number): number => Math.floor(Math.random() * below);
const createBlankDraft = (): NewEntryDraft => ({ name: '', colour: randomColour(random) });
const today = (): string => formatIsoDate(new Date());

const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** State of the board and its form. It exists in memory only (docs/specification/birds.md section 4). */
export function useBoard() {
  const [board, setBoard] = useState<Board>(EMPTY);
  const [draft, setDraft] = useState<SightingDraft>(() => ({
    bird: NEW,
    feeder: NEW,
    date: today(),
    newBird: createBlankDraft(),
    newFeeder: createBlankDraft(),
    number: '',
  }));
  const change = (part: Partial<SightingDraft>): void => setDraft((before) => ({ ...before, ...part }));

  /** Returns the name of the added bird, or undefined if it was refused. */
  const addBird = (): string | undefined => {
    try {
      const feeder = draft.feeder === NEW ? undefined : Number(draft.feeder);
      const bird = newBird(board, { ...draft.newBird, feeder, date: draft.date }, random);
      setBoard({ ...board, birds: [...board.birds, bird] });
      change({ bird: String(bird.id), newBird: createBlankDraft() });
      return bird.name;
    } catch (error) {
      change({ newBird: { ...draft.newBird, why: getErrorMessage(error) } });
      return undefined;
    }
  };
  /** Returns the name of the added feeder, or undefined if it was refused. */
  const addFeeder = (): string | undefined => {
    try {
      const feeder = newFeeder(board, draft.newFeeder, random);
      setBoard({ ...board, feeders: [...board.feeders, feeder] });
      change({ feeder: String(feeder.id), newFeeder: createBlankDraft() });
      return feeder.name;
    } catch (error) {
      change({ newFeeder: { ...draft.newFeeder, why: getErrorMessage(error) } });
      return undefined;
    }
  };
  return { board, draft, change, addBird, addFeeder };
}
