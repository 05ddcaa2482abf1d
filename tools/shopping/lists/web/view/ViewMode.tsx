import { Button } from '@mantine/core';
import { IconEyeOff, IconListCheck } from '@tabler/icons-react';
import {
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { SINGLE_LETTERS_KEY, useCommands, type Command } from '#platform/web/app/commands.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { type List, isDone, STATES, type State, isCheckbox } from '../../domain/list.ts';
import type { OpenList } from '../plannerTypes.ts';
import { ItemRow, useItemActions, type ItemActions } from './ItemRow.tsx';
import { countColumns, distributeBlocks, countVisibleRows, toBlocks, getRowsHeight, type Block } from './viewBlocks.ts';
import styles from './ViewMode.module.css';

interface TypeBlockProps {
  readonly block: Block;
  /** Number of rows to render, with space for the others; undefined renders all. */
  readonly rowCount?: number | undefined;
  readonly actions: ItemActions;
  readonly getKey: (id: string) => string;
  readonly flashing: ReadonlySet<string>;
}

/** A visible type with its items. */
function TypeBlock({ block, rowCount, actions, getKey, flashing }: TypeBlockProps) {
  const { id, type, items, doneCount } = block;
  const renderedItems = rowCount === undefined ? items : items.slice(0, rowCount);
  const [colour, darker] = type.colour;
  return (
    <section
      className={`${styles['block']} surface`}
      aria-label={type.name}
      style={{ '--type': colour, '--type-edge': darker } as CSSProperties}
    >
      <header className={styles['header']} data-flashing={flashing.has(id) || undefined}>
        <i className={styles['colour']} />
        <h2 className={styles['name']} dir="auto">
          {type.name}
        </h2>
        <span className={`${styles['count']} num`}>
          <span>
            {doneCount} of {items.length}
          </span>
        </span>
      </header>
      {items.length === 0 ? (
        <p className={styles['empty']}>No items of this type yet</p>
      ) : (
        <ul>
          {renderedItems.map(([itemId, item]) => (
            <ItemRow key={getKey(itemId)} id={itemId} item={item} isFlashing={flashing.has(itemId)} actions={actions} />
          ))}
          {renderedItems.length < items.length && (
            <li aria-hidden style={{ height: getRowsHeight(items.length - renderedItems.length) }} />
          )}
        </ul>
      )}
    </section>
  );
}

const ANSWERS: Readonly<Record<string, State>> = { 1: STATES.tick, 2: STATES.cross, 3: STATES.question };
/** '=' is the same key as '+' without Shift. */
const STEPS: Readonly<Record<string, 1 | -1>> = { '+': 1, '=': 1, '-': -1 };

/** Lists the visible rows. Bought ones may be hidden. */
const listVisibleRows = (container: HTMLElement | null): readonly HTMLElement[] =>
  [...(container?.querySelectorAll<HTMLElement>('[data-item]') ?? [])].filter((row) => row.checkVisibility());

interface ItemKeysOptions {
  readonly container: RefObject<HTMLElement | null>;
  readonly list: List;
  readonly actions: ItemActions;
}

/**
 * Keys for items (docs/design/appearance.md section 4.3): j and k move the focus;
 * plus, minus, 1, 2 and 3 change the focused item.
 */
function useItemKeys({ container, list, actions }: ItemKeysOptions) {
  const lastFocusedRow = useRef<HTMLElement>(undefined);
  const getFocusedRow = (): HTMLElement | undefined =>
    lastFocusedRow.current?.isConnected ? lastFocusedRow.current : undefined;
  function moveFocus(step: 1 | -1): void {
    const rows = listVisibleRows(container.current);
    const index = rows.findIndex((row) => row === getFocusedRow());
    const next = rows[index < 0 ? 0 : index + step];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }
  /** Changes the focused item. Returns whether the key has a meaning for it. */
  function handleItemKey(key: string): boolean {
    const id = getFocusedRow()?.dataset['item'] ?? '';
    const item = list.items.get(id);
    if (!item) return false;
    const answer = ANSWERS[key];
    const step = STEPS[key];
    const isItemKey = isCheckbox(item.state) ? answer !== undefined : step !== undefined;
    if (!isItemKey) return false;
    if (answer !== undefined && answer !== item.state) actions.setState(id, answer);
    if (step !== undefined) actions.count(id, step);
    return true;
  }

  const hasItem = (): boolean => getFocusedRow() !== undefined;
  const createItemCommand = (key: string, name: string, alternativeKey?: string): Command => ({
    id: `shopping.item.${key}`,
    name,
    keys: alternativeKey === undefined ? key : [key, alternativeKey],
    when: hasItem,
    run: () => void handleItemKey(key),
  });
  useCommands([
    { id: 'shopping.next', name: 'Next item', keys: 'j', run: () => moveFocus(1) },
    { id: 'shopping.previous', name: 'Previous item', keys: 'k', run: () => moveFocus(-1) },
    createItemCommand('+', 'Add one to the selected item', '='),
    createItemCommand('-', 'Take one from the selected item'),
    createItemCommand('1', 'Tick the selected item'),
    createItemCommand('2', 'Cross the selected item'),
    createItemCommand('3', 'Mark the selected item with a question mark'),
  ]);

  return {
    onFocus: ({ target }: FocusEvent): void => {
      lastFocusedRow.current = target.closest<HTMLElement>('[data-item]') ?? undefined;
    },
    // Key events instead of commands: a slider counts as a text field, and pressed keys must repeat.
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
      if (browserStorage.get(SINGLE_LETTERS_KEY) === 'off') return;
      const direction = event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      if (direction === undefined ? !handleItemKey(event.key) : false) return;
      event.preventDefault();
      if (direction !== undefined) moveFocus(direction);
    },
  };
}

interface ViewModeProps {
  readonly list: List;
  readonly openList: OpenList;
  readonly onEdit: () => void;
  /** Adds an item in edit mode. */
  readonly onAdd: () => void;
}

/** Returns how many columns fit into the referenced element; 0 until it is mounted. */
function useColumnCount() {
  const [count, setCount] = useState(0);
  const container = useRef<HTMLDivElement>(null);
  const ref = useCallback((element: HTMLDivElement) => {
    container.current = element;
    const measure = (): void => setCount(countColumns(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { count, container, ref };
}

/** False until the visible part was painted: a thousand rows take longer than the visible ones. */
function useIsComplete(): boolean {
  const [isComplete, setIsComplete] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setIsComplete(true)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isComplete;
}

/** Storage key: whether this browser hides bought items, 'on' or 'off'. */
export const HIDE_DONE_KEY = 'shopping.hideDone';

/** A list in view mode: one block per visible type (docs/specification/shopping.md section 1.2). */
export function ViewMode({ list, openList, onEdit, onAdd }: ViewModeProps) {
  const { change, getKey, flashing } = openList;
  const { blocks, hiddenCount } = useMemo(() => toBlocks(list), [list]);
  const actions = useItemActions(change);
  const { count, container, ref } = useColumnCount();
  const isComplete = useIsComplete();
  const [hideDone] = useBrowserStorage(HIDE_DONE_KEY);
  const doneCount = useMemo(() => [...list.items.values()].filter(isDone).length, [list]);
  const keys = useItemKeys({ container, list, actions });

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
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of the controls inside */}
      <div ref={ref} className={styles['columns']} data-hide-done={hideDone === 'on' || undefined} {...keys}>
        {count > 0 &&
          distributeBlocks(blocks, count).map((column, columnIndex) => {
            const visibleRowCounts = isComplete ? undefined : countVisibleRows(column, window.innerHeight);
            return (
              // oxlint-disable-next-line react/no-array-index-key -- columns have no identity
              <div key={columnIndex} className={styles['column']}>
                {column.map((block, index) => (
                  <TypeBlock
                    key={getKey(block.id)}
                    block={block}
                    rowCount={visibleRowCounts?.[index]}
                    actions={actions}
                    getKey={getKey}
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
          <Button size="compact-sm" variant="subtle" onClick={() => browserStorage.set(HIDE_DONE_KEY, 'off')}>
            Show done items
          </Button>
        </p>
      )}
      {hiddenCount > 0 && (
        <p className={styles['hidden']}>
          <IconEyeOff size={16} stroke={1.75} aria-hidden />
          {hiddenCount === 1
            ? '1 item is not shown: its types are not visible'
            : `${hiddenCount} items are not shown: their types are not visible`}
          <Button size="compact-sm" variant="subtle" onClick={onEdit}>
            Show types
          </Button>
        </p>
      )}
    </>
  );
}
