import { useRef, type FocusEvent, type KeyboardEvent, type RefObject } from 'react';
import { SINGLE_LETTERS_KEY, useCommands, type Command } from '#platform/web/app/commands.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { STATES, type List, type State } from '../../domain/list.ts';
import { isCheckbox } from '../../domain/state.ts';
import type { ItemActions } from './viewActions.ts';

const ANSWERS: Readonly<Record<string, State>> = { 1: STATES.tick, 2: STATES.cross, 3: STATES.question };
/** Where '+' needs Shift, '=' is the same key without it. */
const STEPS: Readonly<Record<string, 1 | -1>> = { '+': 1, '=': 1, '-': -1 };

/** The rows that are seen: done ones may be hidden. */
const rowsIn = (place: HTMLElement | null): readonly HTMLElement[] =>
  [...(place?.querySelectorAll<HTMLElement>('[data-item]') ?? [])].filter((row) => row.checkVisibility());

interface ItemKeysOptions {
  readonly place: RefObject<HTMLElement | null>;
  readonly list: List;
  readonly acts: ItemActions;
}

/** The keys of the items (look.md section 6): j and k go through them, plus, minus, 1, 2 and 3 change the one in focus, wherever in it the focus is. */
export const useItemKeys = ({ place, list, acts }: ItemKeysOptions) => {
  const last = useRef<HTMLElement>(undefined);
  const current = (): HTMLElement | undefined => (last.current?.isConnected ? last.current : undefined);
  const go = (by: 1 | -1): void => {
    const rows = rowsIn(place.current);
    const at = rows.findIndex((row) => row === current());
    const next = rows[at < 0 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  /** Whether the key meant something here. */
  const act = (key: string): boolean => {
    const id = current()?.dataset['item'] ?? '';
    const item = list.items.get(id);
    if (!item) return false;
    const answer = ANSWERS[key];
    const step = STEPS[key];
    const fits = isCheckbox(item.state) ? answer !== undefined : step !== undefined;
    if (!fits) return false;
    if (answer !== undefined && answer !== item.state) acts.answer(id, answer);
    if (step !== undefined) acts.count(id, step);
    return true;
  };

  const hasItem = (): boolean => current() !== undefined;
  const changing = (key: string, name: string, alike?: string): Command => ({
    id: `shopping.item.${key}`,
    name,
    keys: alike === undefined ? key : [key, alike],
    when: hasItem,
    run: () => void act(key),
  });
  useCommands([
    { id: 'shopping.next', name: 'Next item', keys: 'j', run: () => go(1) },
    { id: 'shopping.previous', name: 'Item before', keys: 'k', run: () => go(-1) },
    changing('+', 'One more of the item in focus', '='),
    changing('-', 'One less of the item in focus'),
    changing('1', 'Tick the item in focus'),
    changing('2', 'Cross the item in focus'),
    changing('3', 'Question mark at the item in focus'),
  ]);

  return {
    onFocus: ({ target }: FocusEvent): void => {
      last.current = target.closest<HTMLElement>('[data-item]') ?? undefined;
    },
    // Here and not only as commands: a slider counts as a field, and a key that is held repeats.
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
      if (browserStorage.get(SINGLE_LETTERS_KEY) === 'off') return;
      const goes = event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      if (goes === undefined ? !act(event.key) : false) return;
      event.preventDefault();
      if (goes !== undefined) go(goes);
    },
  };
};
