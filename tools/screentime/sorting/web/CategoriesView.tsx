import { useMediaQuery } from '@mantine/hooks';
import { IconCategory2, IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { distributeColumns, type Box } from '../domain/categoryBoard.ts';
import { CategoryBox } from './CategoryBox.tsx';
import type { SortingActions } from './useSorting.ts';
import styles from './CategoriesView.module.css';

interface CategoriesViewProps {
  readonly boxes: readonly Box[];
  /** CSS colours by application. */
  readonly colours: ReadonlyMap<string, string>;
  /** Search text that filters applications. */
  readonly searchText: string;
  readonly actions: SortingActions;
}

const useColumns = (): number => {
  const three = useMediaQuery('(min-width: 981px)', undefined, { getInitialValueInEffect: false });
  const two = useMediaQuery('(min-width: 701px)', undefined, { getInitialValueInEffect: false });
  if (three) return 3;
  return two ? 2 : 1;
};

const focusedApplication = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-application]')?.dataset['application'];

/** Categories as boxes of chips, which move by dragging or by 'Move to…'. */
export function CategoriesView({ boxes, colours, searchText: target, actions }: CategoriesViewProps) {
  const [moving, setMoving] = useState<string>();
  const count = useColumns();
  const names = boxes.map(({ name }) => name);
  // Columns depend on the set of boxes only: a box keeps its place while applications move.
  const columns = useMemo(
    () => distributeColumns(boxes, count),
    // oxlint-disable-next-line react/exhaustive-deps -- only the names matter
    [count, names.join('\n')],
  );
  useCommands([
    {
      id: 'catsmmod.move',
      name: 'Move the focused app to…',
      keys: 'm',
      opensField: true,
      when: () => focusedApplication() !== undefined,
      run: () => setMoving(focusedApplication()),
    },
    {
      id: 'catsmmod.find',
      name: 'Find an app',
      keys: '/',
      opensField: true,
      run: () => document.querySelector<HTMLElement>('[data-find]')?.focus(),
    },
    { id: 'catsmmod.add', name: 'Add new category', run: actions.add },
    { id: 'catsmmod.undo', name: 'Undo the last move', keys: 'Mod+Z', run: () => void actions.undo() },
  ]);
  const filter = foldSearch(target).trim();
  const total = boxes.reduce((sum, { applications }) => sum + applications.length, 0);
  /** Nothing is sorted yet, and there is space for instructions. */
  const isNew = names.length === 1 && total > 0 && count > 1;
  const add = (
    <button type="button" className={styles['add']} onClick={actions.add}>
      <IconPlus size={16} stroke={1.75} />
      Add new category
    </button>
  );
  return (
    <>
      {total === 0 ? (
        <p className={styles['empty']}>Applications appear here when you use them on a paired computer</p>
      ) : null}
      <div className={styles['columns']} style={{ gridTemplateColumns: `repeat(${count}, minmax(0, 1fr))` }}>
        {columns.slice(0, isNew ? 1 : count).map((column, at, shown) => (
          <div key={at} className={styles['column']}>
            {column.map((name) => {
              const box = boxes.find((each) => each.name === name);
              return box ? (
                <CategoryBox
                  key={name}
                  box={box}
                  others={names}
                  colours={colours}
                  filter={filter}
                  moving={moving}
                  onMoving={setMoving}
                  actions={actions}
                />
              ) : null;
            })}
            {at === (names.length === 1 ? 0 : shown.length - 1) ? add : null}
          </div>
        ))}
        {isNew ? (
          <div style={{ gridColumn: `span ${count - 1}` }}>
            <EmptyState
              icon={IconCategory2}
              text="Your categories appear here. Add one and drag apps into it, or let rules sort them"
            />
          </div>
        ) : null}
      </div>
    </>
  );
}
