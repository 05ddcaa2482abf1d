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

function useColumnCount(): number {
  const hasThreeColumns = useMediaQuery('(min-width: 981px)', undefined, { getInitialValueInEffect: false });
  const hasTwoColumns = useMediaQuery('(min-width: 701px)', undefined, { getInitialValueInEffect: false });
  if (hasThreeColumns) return 3;
  return hasTwoColumns ? 2 : 1;
}

const getFocusedApplication = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-application]')?.dataset['application'];

/** Categories as boxes of chips, which move by dragging or by 'Move to…'. */
export function CategoriesView({ boxes, colours, searchText, actions }: CategoriesViewProps) {
  const [moving, setMoving] = useState<string>();
  const columnCount = useColumnCount();
  const names = boxes.map(({ name }) => name);
  // Columns depend on the set of boxes only: a box keeps its place while applications move.
  const columns = useMemo(
    () => distributeColumns(boxes, columnCount),
    // oxlint-disable-next-line react/exhaustive-deps -- only the names matter
    [columnCount, names.join('\n')],
  );
  useCommands([
    {
      id: 'catsmmod.move',
      name: 'Move the focused app to…',
      keys: 'm',
      opensField: true,
      when: () => getFocusedApplication() !== undefined,
      run: () => setMoving(getFocusedApplication()),
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
  const filter = foldSearch(searchText).trim();
  const total = boxes.reduce((sum, { applications }) => sum + applications.length, 0);
  /** Nothing is sorted yet, and there is space for instructions. */
  const isNew = names.length === 1 && total > 0 && columnCount > 1;
  const addButton = (
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
      <div className={styles['columns']} style={{ gridTemplateColumns: `repeat(${columnCount}, minmax(0, 1fr))` }}>
        {columns.slice(0, isNew ? 1 : columnCount).map((column, index, visibleColumns) => (
          <div key={index} className={styles['column']}>
            {column.map((name) => {
              const box = boxes.find((candidate) => candidate.name === name);
              return box ? (
                <CategoryBox
                  key={name}
                  box={box}
                  categories={names}
                  colours={colours}
                  filter={filter}
                  moving={moving}
                  onMoving={setMoving}
                  actions={actions}
                />
              ) : null;
            })}
            {index === (names.length === 1 ? 0 : visibleColumns.length - 1) ? addButton : null}
          </div>
        ))}
        {isNew ? (
          <div style={{ gridColumn: `span ${columnCount - 1}` }}>
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
