import type { MouseEvent } from 'react';
import type { Day } from '../../events/domain/day.ts';

const dayAt = ({ target }: MouseEvent): { readonly day: Day; readonly isEmpty: boolean } | undefined => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
  return cell ? { day: Number(cell.dataset['cell']), isEmpty: cell.dataset['empty'] !== undefined } : undefined;
};

/** Presses on the free place of a day: an empty one makes an event; one with events takes the keys, and makes one at a double press. */
export const useDayPresses = (rest: (day: Day) => void, onNew: (day: Day) => void) => ({
  onFocus: ({ target }: { readonly target: Element }): void => {
    const { dataset } = target.closest<HTMLElement>('[data-cell], [data-day]') ?? {};
    if (dataset) rest(Number(dataset['cell'] ?? dataset['day']));
  },
  onClick: (event: MouseEvent): void => {
    const at = dayAt(event);
    if (!at) return;
    rest(at.day);
    if (at.isEmpty) onNew(at.day);
  },
  onDoubleClick: (event: MouseEvent): void => {
    const at = dayAt(event);
    if (at && !at.isEmpty && event.target instanceof Element && !event.target.closest('[data-entry], button'))
      onNew(at.day);
  },
});
