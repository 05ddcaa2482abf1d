import { useLayoutEffect, useMemo, useRef } from 'react';
import type { State } from '../../domain/list.ts';
import type { OpenList } from '../plannerTypes.ts';

/** Actions on an item in view mode. */
export interface ItemActions {
  readonly count: (id: string, by: number) => void;
  readonly set: (id: string, actual: number) => void;
  readonly answer: (id: string, state: State) => void;
}

/** Returns stable functions, so that rows are not rendered again. */
export function useActs(change: OpenList['change']): ItemActions {
  const latest = useRef(change);
  useLayoutEffect(() => {
    latest.current = change;
  });
  return useMemo(
    () => ({
      count: (id, by) => latest.current([{ kind: 'count', id, by }]),
      set: (id, actual) => latest.current([{ kind: 'item', id, field: 'actual', value: actual }]),
      answer: (id, state) => latest.current([{ kind: 'item', id, field: 'state', value: state }]),
    }),
    [],
  );
}
