import { STATES, type Item, type State } from './list.ts';

export const isCheckbox = (state: State): boolean => state !== STATES.counted;

/** The other mode: a counted item becomes a checkbox with a tick, every checkbox is counted again. */
export const switched = (state: State): State => (isCheckbox(state) ? STATES.counted : STATES.tick);

const NEXT: Readonly<Record<State, State>> = {
  [STATES.counted]: STATES.counted,
  [STATES.tick]: STATES.cross,
  [STATES.cross]: STATES.question,
  [STATES.question]: STATES.tick,
};

/** The next answer of a checkbox: 1, 2, 3, 1. A counted item stays one. */
export const cycled = (state: State): State => NEXT[state];

/** Nothing more is to be bought of it: ticked, or as many as desired. A cross and a question mark are still open. */
export const isDone = ({ state, actual, desired }: Pick<Item, 'state' | 'actual' | 'desired'>): boolean =>
  isCheckbox(state) ? state === STATES.tick : actual >= desired;
