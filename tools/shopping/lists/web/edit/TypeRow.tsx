import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { IconGripVertical, IconTrash } from '@tabler/icons-react';
import {
  memo,
  useId,
  useLayoutEffect,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  useEffect,
  useState,
  type RefObject,
} from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Popover } from '#platform/web/ui/Popover.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { NEW_TYPE, type Type, listIdsInOrder } from '../../domain/list.ts';
import { toHex, PALETTE, toColourPair } from '../../domain/typeColour.ts';
import { Chips } from './Chips.tsx';
import { useEdit, type EditActions } from './editContext.ts';
import { findNameProblem } from './itemChanges.ts';
import { moveType, removeType, stepType } from './listActions.ts';
import { Picker, type PickerOption } from './Picker.tsx';
import { useFieldDraft } from './useFieldDraft.ts';
import colourPickerStyles from './ColourPicker.module.css';
import fields from './Fields.module.css';
import styles from './Rows.module.css';

interface ColourPickerProps {
  /** '#rrggbb', if the colour could be parsed. */
  readonly hex: string | undefined;
  readonly onPick: (pair: readonly [string, string]) => void;
  readonly onClose: () => void;
}

/** Selects the colours of a type, from a palette or with the browser's picker. */
function ColourPicker({ hex, onPick, onClose }: ColourPickerProps) {
  const colourInput = useRef<HTMLInputElement>(null);
  const [pickedColour, setPickedColour] = useState(hex ?? '#808080');
  const latestOnPick = useRef(onPick);
  useEffect(() => {
    latestOnPick.current = onPick;
  });
  useEffect(() => {
    const field = colourInput.current;
    // React's `onChange` fires at every mouse move; the native event fires when the colour is selected.
    function handleChange(): void {
      const pair = field ? toColourPair(field.value) : undefined;
      if (pair) latestOnPick.current(pair);
    }
    field?.addEventListener('change', handleChange);
    return () => field?.removeEventListener('change', handleChange);
  }, []);
  return (
    <>
      <div className={colourPickerStyles['colours']} role="group" aria-label="Colours">
        {PALETTE.map(([paletteHex, name]) => (
          <button
            key={paletteHex}
            type="button"
            style={{ '--c': paletteHex } as CSSProperties}
            title={name}
            aria-label={name}
            aria-pressed={paletteHex === hex}
            onClick={() => {
              const pair = toColourPair(paletteHex);
              if (pair) onPick(pair);
              onClose();
            }}
          />
        ))}
      </div>
      <label className={colourPickerStyles['custom']}>
        <input
          ref={colourInput}
          type="color"
          value={pickedColour}
          onChange={(event) => setPickedColour(event.currentTarget.value)}
        />
        Choose another colour
      </label>
    </>
  );
}

const DRAG_DATA_KEY = 'shopping.type';

/** Makes a type draggable by its handle, and a drop target before or after which others can be dropped. */
function useTypeDrag(row: RefObject<HTMLElement | null>, id: string): void {
  const edit = useEdit();
  useEffect(() => {
    const element = row.current;
    const grip = element?.querySelector('[data-grip]');
    if (!element || !grip) return undefined;
    const isBefore = (y: number): boolean => {
      const { top, height } = element.getBoundingClientRect();
      return y < top + height / 2;
    };
    const showDropEdge = (edge: 'before' | 'after' | undefined): void => {
      if (edge === undefined) delete element.dataset['edge'];
      else element.dataset['edge'] = edge;
    };
    const cleanUpDraggable = draggable({
      element,
      dragHandle: grip,
      getInitialData: () => ({ [DRAG_DATA_KEY]: id, list: edit }),
      onDragStart: () => {
        element.dataset['dragged'] = '';
      },
      onDrop: () => delete element.dataset['dragged'],
    });
    const cleanUpDropTarget = dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data['list'] === edit && source.data[DRAG_DATA_KEY] !== id,
      onDrag: ({ location }) => showDropEdge(isBefore(location.current.input.clientY) ? 'before' : 'after'),
      onDragLeave: () => showDropEdge(undefined),
      onDrop: ({ source, location }) => {
        showDropEdge(undefined);
        const draggedId = String(source.data[DRAG_DATA_KEY]);
        const otherIds = listIdsInOrder(edit.getList().types).filter((otherId) => otherId !== draggedId);
        moveType(edit, draggedId, otherIds.indexOf(id) + (isBefore(location.current.input.clientY) ? 0 : 1));
      },
    });
    return () => {
      cleanUpDraggable();
      cleanUpDropTarget();
    };
  }, [row, id, edit]);
}

interface TypeRowProps {
  readonly id: string;
  readonly type: Type;
  readonly items: readonly PickerOption[];
  /** Number of items that only the built-in type shows, as they have no other. */
  readonly untypedCount: number;
  readonly hasMore: boolean;
  readonly isFlashing: boolean;
}

function listAddableItems(edit: EditActions, type: string): readonly PickerOption[] {
  const { items, links } = edit.getList();
  return [...items]
    .filter(([id]) => links.get(id)?.has(type) !== true)
    .map(([id, { name, emoji }]) => ({ id, label: name, emoji }));
}

/** Lists where a type can move: to the start, or after another one. Ids are indexes without the type itself. */
function listPositions(edit: EditActions, id: string): readonly PickerOption[] {
  const { types } = edit.getList();
  const otherIds = listIdsInOrder(types).filter((otherId) => otherId !== id);
  return [
    { id: '0', label: 'To the top' },
    ...otherIds.map((otherId, index) => ({ id: String(index + 1), label: `After ${types.get(otherId)?.name ?? ''}` })),
  ];
}

function TypeName({ id, name }: { readonly id: string; readonly name: string }) {
  const edit = useEdit();
  const problemId = useId();
  const field = useRef<HTMLInputElement>(null);
  const draft = useFieldDraft({
    value: name,
    findProblem: (text) => findNameProblem(text, 'type'),
    onSave: (text) => edit.change([{ kind: 'type', id, field: 'name', value: text.trim() }]),
  });
  useLayoutEffect(() => {
    if (edit.takeFocusRequest(id)) field.current?.focus();
  }, [edit, id]);
  function select(): void {
    if (field.current?.value === NEW_TYPE.name) field.current.select();
  }
  return (
    <div className={fields['name']}>
      <input
        ref={field}
        className={fields['field']}
        aria-label="Type name"
        aria-invalid={draft.problem !== undefined}
        {...(draft.problem === undefined ? {} : { 'aria-describedby': problemId })}
        dir="auto"
        autoComplete="off"
        enterKeyHint="done"
        value={draft.text}
        onFocus={() => {
          draft.startEditing();
          select();
        }}
        // Clicking a selected text would set the caret.
        onMouseUp={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget;
          if (selectionStart === selectionEnd) select();
        }}
        onBlur={draft.stopEditing}
        onChange={(event) => draft.setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') draft.flush();
        }}
      />
      {draft.problem !== undefined && (
        <p id={problemId} className={fields['problem']} role="alert">
          {draft.problem}
        </p>
      )}
    </div>
  );
}

function Row({ id, type, items, untypedCount, hasMore, isFlashing }: TypeRowProps) {
  const edit = useEdit();
  const row = useRef<HTMLLIElement>(null);
  const { name, colour, isVisible, isOwn } = type;
  useTypeDrag(row, id);
  function handleKeyDown(event: KeyboardEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    stepType(edit, id, event.key === 'ArrowUp' ? -1 : 1);
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles keys of its fields and buttons
    <li
      ref={row}
      className={styles['row']}
      aria-label={name}
      data-flash={isFlashing || undefined}
      onKeyDown={handleKeyDown}
    >
      <Popover
        label={`Move ${name} to…`}
        letter="m"
        renderButton={(props) => (
          <button
            type="button"
            className={styles['grip']}
            data-grip
            title="Drag to move, or press for 'Move to…'. You can also use Ctrl+Up and Ctrl+Down"
            aria-label={`Move ${name} to…`}
            {...props}
          >
            <IconGripVertical size={18} stroke={1.75} />
          </button>
        )}
      >
        {(close) => (
          <Picker
            label={`Move ${name} to…`}
            placeholder="Move to…"
            options={listPositions(edit, id)}
            onSelect={(cleanUpDropTarget) => {
              close();
              moveType(edit, id, Number(cleanUpDropTarget));
            }}
          />
        )}
      </Popover>
      <Popover
        label={`Colour of ${name}`}
        width={252}
        renderButton={(props) => (
          <button
            type="button"
            className={styles['swatch']}
            style={{ '--c1': colour[0], '--c2': colour[1] } as CSSProperties}
            aria-label={`Colour of ${name}`}
            title={`Colour of ${name}`}
            {...props}
          />
        )}
      >
        {(close) => (
          <ColourPicker
            hex={toHex(colour[0])}
            onPick={(pair) => edit.change([{ kind: 'type', id, field: 'colour', value: pair }])}
            onClose={close}
          />
        )}
      </Popover>
      <div className={styles['body']}>
        <div className={styles['line']}>
          <TypeName id={id} name={name} />
          <Switch
            label="Visible"
            isOn={isVisible}
            onChange={(value) => edit.change([{ kind: 'type', id, field: 'isVisible', value }])}
          />
          {isOwn ? (
            <IconButton
              label={`Delete ${name}`}
              className={styles['small']}
              onClick={(event) => removeType(edit, id, event.currentTarget)}
            >
              <IconTrash size={16} stroke={1.75} />
            </IconButton>
          ) : (
            <span className={styles['builtIn']}>
              <Badge>Built in</Badge>
            </span>
          )}
        </div>
        {!isOwn && (
          <p className={styles['note']}>
            Shows items without another type:{' '}
            {untypedCount === 1 ? '1 item' : `${untypedCount.toLocaleString('en')} items`}
          </p>
        )}
        <Chips
          label={`Items of ${name}`}
          chips={items}
          getName={(item) => `Remove ${item.label}`}
          onRemove={(item) => edit.change([{ kind: 'link', item, type: id, isLinked: false }])}
          add={
            hasMore
              ? {
                  label: 'Add new item',
                  placeholder: 'Find an item',
                  options: () => listAddableItems(edit, id),
                  onAdd: (item) => edit.change([{ kind: 'link', item, type: id, isLinked: true }]),
                  staysOpen: true,
                }
              : undefined
          }
        />
      </div>
    </li>
  );
}

const isSameType = (previous: Type, next: Type): boolean =>
  previous === next ||
  (previous.name === next.name &&
    previous.colour[0] === next.colour[0] &&
    previous.colour[1] === next.colour[1] &&
    previous.isVisible === next.isVisible &&
    previous.isOwn === next.isOwn);

export const TypeRow = memo(
  Row,
  (previous, next) =>
    previous.id === next.id &&
    previous.untypedCount === next.untypedCount &&
    previous.hasMore === next.hasMore &&
    previous.isFlashing === next.isFlashing &&
    isSameType(previous.type, next.type) &&
    previous.items.length === next.items.length &&
    previous.items.every((item, index) => item.id === next.items[index]?.id && item.label === next.items[index].label),
);
