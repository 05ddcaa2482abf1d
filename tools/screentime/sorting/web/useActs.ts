import { useLayoutEffect, useMemo, useRef } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { canAdd, categoryOf, edited, inverseOf, type Box, type SortingEdit } from '../domain/categoryBoard.ts';
import type { Saver } from './saver.ts';

/** What can be done in the category view. */
export interface SortingActions {
  readonly move: (application: string, to: string) => void;
  readonly remove: (category: string) => void;
  /** Asks for a name, as the specification has it, and adds the category. */
  readonly add: () => void;
  /** Takes the last move or deletion back; false where there is none. */
  readonly undo: () => boolean;
}

const NO_CATEGORY = 'Category name already exists or is empty';

/** Acts on the boxes as they are shown. Each tells what it did, with a way back; only the last one has its notice. */
export const useActs = (boxes: readonly Box[] | undefined, saver: Saver): SortingActions => {
  const shown = useRef(boxes);
  useLayoutEffect(() => {
    shown.current = boxes;
  }, [boxes]);
  const last = useRef<{ readonly undo: SortingEdit; readonly notice: number | undefined }>(undefined);
  return useMemo(() => {
    const undo = (): boolean => {
      const before = last.current;
      if (!before) return false;
      last.current = undefined;
      if (before.notice !== undefined) notices.dismiss(before.notice);
      saver.edit(before.undo);
      return true;
    };
    const act = (edit: SortingEdit, said: string): void => {
      const way = shown.current && inverseOf(shown.current, edit);
      if (!way || !shown.current) return;
      // The next act may come before this one is drawn.
      shown.current = edited(shown.current, edit);
      saver.edit(edit);
      if (last.current?.notice !== undefined) notices.dismiss(last.current.notice);
      notices.addWithAction(said, 'Undo', () => undo());
      last.current = { undo: way, notice: notices.getShown()[0]?.id };
    };
    return {
      move: (application, to) => {
        if (shown.current && categoryOf(shown.current, application) !== to)
          act({ kind: 'move', application, to }, `${application} moved to ${to}`);
      },
      remove: (category) => act({ kind: 'remove', category }, `Deleted ${category}`),
      add: () => {
        // oxlint-disable-next-line no-alert -- the specification asks for the browser's prompt
        const name = window.prompt('Name of the new category');
        if (name === null || !shown.current) return;
        if (canAdd(shown.current, name)) act({ kind: 'add', category: name.trim() }, `Added ${name.trim()}`);
        // oxlint-disable-next-line no-alert -- the specification asks for the browser's alert
        else window.alert(NO_CATEGORY);
      },
      undo,
    };
  }, [saver]);
};
