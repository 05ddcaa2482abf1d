import { dropTargetForElements, draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview';
import { IconTrash, IconGripVertical } from '@tabler/icons-react';
import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type KeyboardEvent,
  type CSSProperties,
  useLayoutEffect,
} from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { UNASSIGNED } from '../../contract/limits.ts';
import { FilterList } from '../../web/FilterList.tsx';
import type { Box } from '../domain/categoryBoard.ts';
import type { SortingActions } from './useSorting.ts';
import styles from './CategoryBox.module.css';

/** The dragged application, and its category. */
export interface DraggedApplication {
  readonly application: string;
  readonly from: string;
}

const DRAG_DATA_KEY = Symbol('an application of /catsmmod');

function createDragData(dragged: DraggedApplication): Record<symbol, unknown> {
  return { [DRAG_DATA_KEY]: dragged };
}

/** Returns undefined for other dragged things. */
function findDraggedApplication(data: Record<string | symbol, unknown>): DraggedApplication | undefined {
  return data[DRAG_DATA_KEY] as DraggedApplication | undefined;
}

interface AppChipProps {
  readonly application: string;
  readonly category: string;
  /** CSS colour. */
  readonly colour: string | undefined;
  /** The tab stop of its box. */
  readonly isTabStop: boolean;
  /** Its 'Move to…' is open. */
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

const NO_COLOUR = 'var(--text-3)';

/** An application that moves by dragging, or by the menu that it opens. */
export function AppChip({ application, category, colour, isTabStop, isOpen, onOpen }: AppChipProps) {
  const chipRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = chipRef.current;
    if (!element) return undefined;
    return draggable({
      element,
      getInitialData: () => createDragData({ application, from: category }),
      onGenerateDragPreview: ({ nativeSetDragImage }) =>
        setCustomNativeDragPreview({
          nativeSetDragImage,
          getOffset: ({ container }) => ({ x: container.offsetWidth / 2, y: container.offsetHeight / 2 }),
          render: ({ container }) => {
            container.className = styles['dragPreview'] ?? '';
            container.append(element.cloneNode(true));
          },
        }),
      onDragStart: () => {
        element.dataset['dragged'] = '';
      },
      onDrop: () => delete element.dataset['dragged'],
    });
  }, [application, category]);
  return (
    // Some browsers can't drag a button.
    <div
      ref={chipRef}
      className={styles['chip']}
      style={{ '--c': colour ?? NO_COLOUR } as CSSProperties}
      role="button"
      tabIndex={isTabStop ? 0 : -1}
      aria-label={`${application}, move`}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      data-application={application}
      title={application}
      onClick={onOpen}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onOpen();
      }}
    >
      <IconGripVertical size={14} stroke={1.75} />
      <span className={styles['dot']} />
      <span className="ellipsis" dir="auto">
        {application}
      </span>
    </div>
  );
}

interface MoveToProps {
  readonly application: string;
  /** Categories that it is not in. */
  readonly categories: readonly string[];
  readonly onMove: (category: string) => void;
  /** `returnsFocus`: returns the focus to the chip. */
  readonly onClose: (returnsFocus: boolean) => void;
}

/** Menu of categories under a chip, an alternative to dragging. */
export function MoveTo({ application, categories, onMove, onClose }: MoveToProps) {
  const menuRef = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = menuRef.current;
    const container = box?.offsetParent;
    const chip = [...(container?.querySelectorAll<HTMLElement>('[data-application]') ?? [])].find(
      (element) => element.dataset['application'] === application,
    );
    if (!box || !container || !chip) return;
    box.style.top = `${chip.offsetTop + chip.offsetHeight + 6}px`;
    box.style.left = `${Math.max(0, Math.min(chip.offsetLeft, container.clientWidth - box.offsetWidth - 14))}px`;
  }, [application]);
  return (
    <div ref={menuRef} className={styles['move']} role="dialog" aria-label={`Move ${application} to…`}>
      <FilterList
        label="Move to…"
        placeholder="Move to…"
        choices={categories.map((name) => ({ value: name, label: name }))}
        onPick={onMove}
        onClose={onClose}
      />
    </div>
  );
}

/** Chips shown first, and added by each request for more. */
const CHIPS_PER_PAGE = 200;

interface CategoryBoxProps {
  readonly box: Box;
  /** Names of all categories. */
  readonly categories: readonly string[];
  readonly colours: ReadonlyMap<string, string>;
  /** Lower case; empty if all are shown. */
  readonly filter: string;
  /** The application whose 'Move to…' is open, in any box. */
  readonly moving: string | undefined;
  readonly onMoving: (application: string | undefined) => void;
  readonly actions: SortingActions;
}

/** Lists chips in page order, across boxes. */
const listChips = (root: ParentNode): readonly HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>('[data-application]'),
];

function focusChip(application: string): void {
  requestAnimationFrame(() =>
    listChips(document)
      .find((chip) => chip.dataset['application'] === application)
      ?.focus(),
  );
}

/** Arrows move between chips, also to the next box. */
function handleArrowKey(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const from = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-application]') : null;
  if (step === undefined || !from) return;
  const all = listChips(document);
  const next = all[all.indexOf(from) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** A category with its chips; a drop target. */
export function CategoryBox(props: CategoryBoxProps) {
  const { box, categories, colours, filter, moving, onMoving, actions } = props;
  const { name, applications } = box;
  const sectionRef = useRef<HTMLElement>(null);
  const [visibleCount, setVisibleCount] = useState(CHIPS_PER_PAGE);
  const [current, setCurrent] = useState<string>();
  const handleDrop = useEffectEvent((application: string) => actions.move(application, name));
  useEffect(() => {
    const element = sectionRef.current;
    if (!element) return undefined;
    const clearHighlight = (): void => void delete element.dataset['over'];
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => findDraggedApplication(source.data) !== undefined,
      onDragEnter: ({ source }) => {
        // Dropping on its own category does nothing.
        if (findDraggedApplication(source.data)?.from !== name) element.dataset['over'] = '';
      },
      onDragLeave: clearHighlight,
      onDrop: ({ source }) => {
        clearHighlight();
        const dragged = findDraggedApplication(source.data);
        if (dragged) handleDrop(dragged.application);
      },
    });
  }, [name]);

  const matches = filter === '' ? applications : applications.filter((appName) => foldSearch(appName).includes(filter));
  const visible = matches.slice(0, visibleCount);
  const hiddenCount = matches.length - visible.length;
  // Tab stops once per box; arrows move inside.
  const tabStop = current !== undefined && visible.includes(current) ? current : visible[0];
  const isOpen = moving !== undefined && visible.includes(moving);
  return (
    <section ref={sectionRef} className={`${styles['box']} surface`} aria-label={name} data-open={isOpen || undefined}>
      <header>
        <h2 className="ellipsis" dir="auto">
          {name}
        </h2>
        <span className={`${styles['count']} num`}>
          {filter === '' ? applications.length : `${matches.length} of ${applications.length}`}
        </span>
        {name === UNASSIGNED ? null : (
          <IconButton label={`Delete category ${name}`} size={28} onClick={() => actions.remove(name)}>
            <IconTrash size={16} stroke={1.75} />
          </IconButton>
        )}
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the chips take the keys */}
      <div
        className={styles['chips']}
        onKeyDown={handleArrowKey}
        onFocus={(event) => setCurrent(event.target.dataset['application'] ?? current)}
      >
        {visible.map((application) => (
          <AppChip
            key={application}
            application={application}
            category={name}
            colour={colours.get(application)}
            isTabStop={application === tabStop}
            isOpen={application === moving}
            onOpen={() => onMoving(application)}
          />
        ))}
        <span className={styles['slot']} />
        {applications.length === 0 ? <p className={styles['empty']}>No apps yet. Drag one here</p> : null}
        {hiddenCount > 0 ? (
          <button
            type="button"
            className={styles['more']}
            onClick={() => setVisibleCount(visibleCount + CHIPS_PER_PAGE)}
          >
            {hiddenCount > CHIPS_PER_PAGE
              ? `Show ${CHIPS_PER_PAGE} more of ${hiddenCount}`
              : `Show ${hiddenCount} more`}
          </button>
        ) : null}
        {isOpen ? (
          <MoveTo
            application={moving}
            categories={categories.filter((other) => other !== name)}
            onMove={(to) => {
              onMoving(undefined);
              actions.move(moving, to);
              focusChip(moving);
            }}
            onClose={(returnsFocus) => {
              onMoving(undefined);
              if (returnsFocus) focusChip(moving);
            }}
          />
        ) : null}
      </div>
    </section>
  );
}
