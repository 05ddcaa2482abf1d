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

/** Colours of a type: a palette and the browser's picker. Black is ignored, as pickers report it when they open. */
export function ColourPicker({ hex, onPick, onClose }: ColourPickerProps) {
  const own = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(hex ?? '#808080');
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  useEffect(() => {
    const field = own.current;
    // React's `onChange` fires at every mouse move; the native event fires when the colour is selected.
    const chosen = (): void => {
      const pair = field ? toColourPair(field.value) : undefined;
      if (pair) pick.current(pair);
    };
    field?.addEventListener('change', chosen);
    return () => field?.removeEventListener('change', chosen);
  }, []);
  return (
    <>
      <div className={colourPickerStyles['colours']} role="group" aria-label="Colours">
        {PALETTE.map(([each, name]) => (
          <button
            key={each}
            type="button"
            style={{ '--c': each } as CSSProperties}
            title={name}
            aria-label={name}
            aria-pressed={each === hex}
            onClick={() => {
              const pair = toColourPair(each);
              if (pair) onPick(pair);
              onClose();
            }}
          />
        ))}
      </div>
      <label className={colourPickerStyles['custom']}>
        <input ref={own} type="color" value={shown} onChange={(event) => setShown(event.currentTarget.value)} />
        Choose another colour
      </label>
    </>
  );
}

const KEY = 'shopping.type';

/** Makes a type draggable by its handle, and a drop target before or after which others can be dropped. */
export function useTypeDrag(row: RefObject<HTMLElement | null>, id: string): void {
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
    const cleanUpDraggable = draggable({
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
        const dragged = String(source.data[KEY]);
        const others = listIdsInOrder(edit.list().types).filter((each) => each !== dragged);
        moveType(edit, dragged, others.indexOf(id) + (isBefore(location.current.input.clientY) ? 0 : 1));
      },
    });
    return () => {
      cleanUpDraggable();
      place();
    };
  }, [row, id, edit]);
}

interface TypeRowProps {
  readonly id: string;
  readonly type: Type;
  readonly items: readonly PickerOption[];
  /** Number of items that only the built-in type shows, as they have no other. */
  readonly without: number;
  readonly hasMore: boolean;
  readonly isFlashing: boolean;
}

const itemsToAdd = (edit: EditActions, type: string): readonly PickerOption[] => {
  const { items, links } = edit.list();
  return [...items]
    .filter(([id]) => links.get(id)?.has(type) !== true)
    .map(([id, { name, emoji }]) => ({ id, label: name, emoji }));
};

/**
 * Returns where a type can move: to the start, or after another one. Option ids are indexes counted without the type.
 */
const placesFor = (edit: EditActions, id: string): readonly PickerOption[] => {
  const { types } = edit.list();
  const others = listIdsInOrder(types).filter((each) => each !== id);
  return [
    { id: '0', label: 'To the top' },
    ...others.map((each, at) => ({ id: String(at + 1), label: `After ${types.get(each)?.name ?? ''}` })),
  ];
};

function TypeName({ id, name }: { readonly id: string; readonly name: string }) {
  const edit = useEdit();
  const why = useId();
  const field = useRef<HTMLInputElement>(null);
  const typed = useFieldDraft({
    value: name,
    problem: (text) => findNameProblem(text, 'type'),
    onSave: (text) => edit.change([{ kind: 'type', id, field: 'name', value: text.trim() }]),
  });
  useLayoutEffect(() => {
    if (edit.isExpected(id)) field.current?.focus();
  }, [edit, id]);
  const select = (): void => {
    if (field.current?.value === NEW_TYPE.name) field.current.select();
  };
  return (
    <div className={fields['name']}>
      <input
        ref={field}
        className={fields['field']}
        aria-label="Type name"
        aria-invalid={typed.problem !== undefined}
        {...(typed.problem === undefined ? {} : { 'aria-describedby': why })}
        dir="auto"
        autoComplete="off"
        enterKeyHint="done"
        value={typed.text}
        onFocus={() => {
          typed.hold();
          select();
        }}
        // Clicking a selected text would set the caret.
        onMouseUp={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget;
          if (selectionStart === selectionEnd) select();
        }}
        onBlur={typed.leave}
        onChange={(event) => typed.type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') typed.flush();
        }}
      />
      {typed.problem !== undefined && (
        <p id={why} className={fields['problem']} role="alert">
          {typed.problem}
        </p>
      )}
    </div>
  );
}

function Row({ id, type, items, without, hasMore, isFlashing }: TypeRowProps) {
  const edit = useEdit();
  const row = useRef<HTMLLIElement>(null);
  const { name, colour, isVisible, isOwn } = type;
  useTypeDrag(row, id);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    stepType(edit, id, event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles keys of its fields and buttons
    <li
      ref={row}
      className={styles['row']}
      aria-label={name}
      data-flash={isFlashing || undefined}
      onKeyDown={onKeyDown}
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
            options={placesFor(edit, id)}
            onPick={(place) => {
              close();
              moveType(edit, id, Number(place));
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
            Shows items without another type: {without === 1 ? '1 item' : `${without.toLocaleString('en')} items`}
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
                  options: () => itemsToAdd(edit, id),
                  onAdd: (item) => edit.change([{ kind: 'link', item, type: id, isLinked: true }]),
                  isForMany: true,
                }
              : undefined
          }
        />
      </div>
    </li>
  );
}

const isSameType = (one: Type, other: Type): boolean =>
  one === other ||
  (one.name === other.name &&
    one.colour[0] === other.colour[0] &&
    one.colour[1] === other.colour[1] &&
    one.isVisible === other.isVisible &&
    one.isOwn === other.isOwn);

export const TypeRow = memo(
  Row,
  (one, other) =>
    one.id === other.id &&
    one.without === other.without &&
    one.hasMore === other.hasMore &&
    one.isFlashing === other.isFlashing &&
    isSameType(one.type, other.type) &&
    one.items.length === other.items.length &&
    one.items.every((item, at) => item.id === other.items[at]?.id && item.label === other.items[at].label),
);
