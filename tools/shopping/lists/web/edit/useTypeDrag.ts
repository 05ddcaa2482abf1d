import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, type RefObject } from 'react';
import { inOrder } from '../../domain/order.ts';
import { useEdit } from './editContext.ts';
import { moveType } from './typeActs.ts';

const KEY = 'shopping.type';

/** Lets a type be carried by its grip, and others be put down before or behind it. */
export const useTypeDrag = (row: RefObject<HTMLElement | null>, id: string): void => {
  const edit = useEdit();
  useEffect(() => {
    const element = row.current;
    const grip = element?.querySelector('[data-grip]');
    if (!element || !grip) return undefined;
    const isBefore = (y: number): boolean => {
      const { top, height } = element.getBoundingClientRect();
      return y < top + height / 2;
    };
    const mark = (edge: 'before' | 'after' | undefined): void => {
      if (edge === undefined) delete element.dataset['edge'];
      else element.dataset['edge'] = edge;
    };
    const carry = draggable({
      element,
      dragHandle: grip,
      getInitialData: () => ({ [KEY]: id, list: edit }),
      onDragStart: () => {
        element.dataset['dragged'] = '';
      },
      onDrop: () => delete element.dataset['dragged'],
    });
    const place = dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data['list'] === edit && source.data[KEY] !== id,
      onDrag: ({ location }) => mark(isBefore(location.current.input.clientY) ? 'before' : 'after'),
      onDragLeave: () => mark(undefined),
      onDrop: ({ source, location }) => {
        mark(undefined);
        const carried = String(source.data[KEY]);
        const others = inOrder(edit.list().types).filter((each) => each !== carried);
        moveType(edit, carried, others.indexOf(id) + (isBefore(location.current.input.clientY) ? 0 : 1));
      },
    });
    return () => {
      carry();
      place();
    };
  }, [row, id, edit]);
};
