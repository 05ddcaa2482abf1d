import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, type RefObject } from 'react';
import type { Day } from '../../events/domain/day.ts';
import { useEntryActs } from './entryActions.ts';

/** Makes an element the place of a day, where carried entries are put down. */
export const useDropDay = (element: RefObject<HTMLElement | null>, day: Day): void => {
  const acts = useEntryActs();
  useEffect(() => {
    const place = element.current;
    if (!place) return undefined;
    const leave = (): void => void delete place.dataset['over'];
    return dropTargetForElements({
      element: place,
      onDragEnter: () => {
        place.dataset['over'] = '';
      },
      onDragLeave: leave,
      onDrop: () => {
        leave();
        acts.drop(day);
      },
    });
  }, [element, acts, day]);
};
