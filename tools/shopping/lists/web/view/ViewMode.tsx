import { Button } from '@mantine/core';
import { IconEyeOff, IconListCheck } from '@tabler/icons-react';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import type { List } from '../../domain/list.ts';
import { isDone } from '../../domain/state.ts';
import type { OpenList } from '../plannerTypes.ts';
import { columnsIn, inColumns, rowsSeen } from './columns.ts';
import { TypeBlock } from './TypeBlock.tsx';
import { useItemKeys } from './useItemKeys.ts';
import { useActs } from './viewActions.ts';
import { blocksOf } from './viewBlocks.ts';
import styles from './ViewMode.module.css';

interface ViewModeProps {
  readonly list: List;
  readonly open: OpenList;
  readonly onEdit: () => void;
  /** Opens a new item, in edit mode. */
  readonly onAdd: () => void;
}

/** How many columns there is room for in the place that the ref is given to; 0 until it is there. */
const useColumns = () => {
  const [count, setCount] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const ref = useCallback((element: HTMLDivElement) => {
    place.current = element;
    const measure = (): void => setCount(columnsIn(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { count, place, ref };
};

/** False until what the window shows was painted: a thousand rows take longer than the few that are seen. */
const useIsWhole = (): boolean => {
  const [isWhole, setIsWhole] = useState(false);
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | undefined;
    const painted = requestAnimationFrame(() => {
      later = setTimeout(() => startTransition(() => setIsWhole(true)));
    });
    return () => {
      cancelAnimationFrame(painted);
      clearTimeout(later);
    };
  }, []);
  return isWhole;
};

/** Whether this browser hides what is bought: 'on' or 'off'. */
export const HIDE_DONE = 'shopping.hideDone';

/** A list while shopping: a block for each visible type (specification 1, section 2). */
export function ViewMode({ list, open, onEdit, onAdd }: ViewModeProps) {
  const { change, keyOf, flashing } = open;
  const { blocks, hidden } = useMemo(() => blocksOf(list), [list]);
  const acts = useActs(change);
  const { count, place, ref } = useColumns();
  const isWhole = useIsWhole();
  const [hideDone] = useBrowserStorage(HIDE_DONE);
  const doneCount = useMemo(() => [...list.items.values()].filter(isDone).length, [list]);
  const keys = useItemKeys({ place, list, acts });

  if (list.items.size === 0 && blocks.length === 0)
    return (
      <EmptyState icon={IconListCheck} text="Items appear here, grouped by type">
        <Button variant="primary" onClick={onAdd}>
          Add items
        </Button>
      </EmptyState>
    );
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the controls inside */}
      <div ref={ref} className={styles['columns']} data-hide-done={hideDone === 'on' || undefined} {...keys}>
        {count > 0 &&
          inColumns(blocks, count).map((column, at) => {
            const seen = isWhole ? undefined : rowsSeen(column, window.innerHeight);
            return (
              // oxlint-disable-next-line react/no-array-index-key -- columns are places
              <div key={at} className={styles['column']}>
                {column.map((block, index) => (
                  <TypeBlock
                    key={keyOf(block.id)}
                    block={block}
                    rows={seen?.[index]}
                    acts={acts}
                    keyOf={keyOf}
                    flashing={flashing}
                  />
                ))}
              </div>
            );
          })}
      </div>
      {hideDone === 'on' && doneCount > 0 && (
        <p className={styles['hidden']}>
          <IconEyeOff size={16} stroke={1.75} aria-hidden />
          {doneCount === 1 ? '1 done item is hidden' : `${doneCount} done items are hidden`}
          <Button size="compact-sm" variant="subtle" onClick={() => browserStorage.set(HIDE_DONE, 'off')}>
            Show done items
          </Button>
        </p>
      )}
      {hidden > 0 && (
        <p className={styles['hidden']}>
          <IconEyeOff size={16} stroke={1.75} aria-hidden />
          {hidden === 1
            ? '1 item is not shown: its types are not visible'
            : `${hidden} items are not shown: their types are not visible`}
          <Button size="compact-sm" variant="subtle" onClick={onEdit}>
            Show types
          </Button>
        </p>
      )}
    </>
  );
}
