import { Button } from '@mantine/core';
import { IconArrowsExchange, IconTrash } from '@tabler/icons-react';
import { memo, Suspense, useEffect, useId, useRef, useState, type FocusEvent, type RefObject } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Popover } from '#platform/web/ui/Popover.tsx';
import { mergeChanges, type Duplicate } from '../../domain/duplicates.ts';
import { NEW_ITEM, type Item, listIdsInOrder, cycleState, isCheckbox, switchMode, LIMITS } from '../../domain/list.ts';
import { Chips } from './Chips.tsx';
import { useEdit, type EditActions } from './editContext.ts';
import { afterPress } from './itemChanges.ts';
import { ItemName } from './ItemName.tsx';
import { passFocus, removeItem, addType } from './listActions.ts';
import type { PickerOption } from './Picker.tsx';
import { useFieldDraft } from './useFieldDraft.ts';
import desiredStyles from './Fields.module.css';
import styles from './Rows.module.css';

const WHY = `Enter a whole number from 0 to ${LIMITS.quantity.toLocaleString('en')}`;
const whyNot = (text: string): string | undefined => {
  if (text.trim() === '') return '';
  return /^\d{1,7}$/.test(text.trim()) && Number(text) <= LIMITS.quantity ? undefined : WHY;
};

/** Field for the desired quantity. */
export function Desired({ id, desired }: { readonly id: string; readonly desired: number }) {
  const edit = useEdit();
  const why = useId();
  const field = useRef<HTMLInputElement>(null);
  const typed = useFieldDraft({
    value: String(desired),
    // If the input is not a number, the browser keeps it in the field but reports an empty value.
    problem: (text) => (field.current?.validity.badInput ? WHY : whyNot(text)),
    onSave: (text) => edit.change([{ kind: 'item', id, field: 'desired', value: Number(text) }]),
  });
  return (
    <div className={desiredStyles['desired']}>
      <input
        ref={field}
        className={desiredStyles['number']}
        type="number"
        inputMode="numeric"
        min={0}
        max={LIMITS.quantity}
        step={1}
        aria-label={`Desired: ${desired} items`}
        placeholder={`Desired: ${desired} items`}
        title="Desired quantity"
        aria-invalid={typed.problem !== undefined}
        {...(typed.problem === undefined ? {} : { 'aria-describedby': why })}
        value={typed.text}
        onFocus={(event) => {
          typed.hold();
          event.currentTarget.select();
        }}
        onBlur={typed.leave}
        onChange={(event) => typed.type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') typed.flush();
        }}
      />
      {typed.problem !== undefined && (
        <p id={why} className={desiredStyles['problem']} role="alert">
          {typed.problem}
        </p>
      )}
    </div>
  );
}

const EmojiPicker = lazyPart(async () => (await import('./EmojiPicker.tsx')).EmojiPicker);

interface ItemRowProps {
  readonly id: string;
  readonly item: Item;
  /** Types of the item. */
  readonly tags: readonly PickerOption[];
  /** Items with the same name, if one of them is above. */
  readonly duplicate: Duplicate | undefined;
  /** Whether it can be linked to more types. */
  readonly hasMore: boolean;
  readonly isFlashing: boolean;
  /** Rendered completely from the start. */
  readonly isEarly: boolean;
  readonly onAdd: () => void;
  /** Called on focus, as the row could be filtered out while it is edited. */
  readonly onHold: ((id: string) => void) | undefined;
}

/** Returns the types of the list that an item does not have. */
const typesToAdd = (edit: EditActions, id: string): readonly PickerOption[] => {
  const { types, links } = edit.list();
  const linked = links.get(id);
  return listIdsInOrder(types)
    .filter((type) => linked?.has(type) !== true)
    .map((type) => ({ id: type, label: types.get(type)?.name ?? '', colour: types.get(type)?.colour[0] ?? '' }));
};

/** Amount of a counted item or answer of a checkbox, and the button that switches between the two. */
function Mode({ id, item }: { readonly id: string; readonly item: Item }) {
  const edit = useEdit();
  const { state, desired, name } = item;
  const set = (value: number): void => edit.change([{ kind: 'item', id, field: 'state', value }]);
  return (
    <>
      {isCheckbox(state) ? (
        <button type="button" className={styles['mode']} onClick={() => set(cycleState(state))}>
          Checkbox mode ({state})
        </button>
      ) : (
        <Desired id={id} desired={desired} />
      )}
      <IconButton
        label={isCheckbox(state) ? `Switch ${name} to counted` : `Switch ${name} to checkbox`}
        className={styles['small']}
        bordered
        onClick={() => set(switchMode(state))}
      >
        <IconArrowsExchange size={16} stroke={1.75} />
      </IconButton>
    </>
  );
}

/** Offers to merge an item with the one that has the same name. It is above the name, as suggestions open below it. */
function Again({ duplicate }: { readonly duplicate: Duplicate }) {
  const edit = useEdit();
  const label = 'Add up quantities';
  return (
    <p className={styles['duplicate']} role="status">
      <span>
        <span dir="auto">{duplicate.name}</span> is already on this list
      </span>
      <Button
        size="compact-sm"
        aria-label={`${label}: ${duplicate.name}`}
        onClick={(event) => {
          passFocus(event.currentTarget, /^Delete /);
          edit.change(mergeChanges(edit.list(), duplicate));
        }}
      >
        {label}
      </Button>
    </p>
  );
}

function ItemFields({
  id,
  item,
  tags,
  duplicate,
  hasMore,
  onAdd,
}: Omit<ItemRowProps, 'isFlashing' | 'isEarly' | 'onHold'>) {
  const edit = useEdit();
  const { name, emoji } = item;
  return (
    <>
      <Popover
        label={`Emoji for ${name}`}
        width={292}
        renderButton={(props) => (
          <button
            type="button"
            className={styles['emoji']}
            aria-label={`Emoji for ${name}`}
            title="Change emoji"
            {...props}
          >
            {emoji || NEW_ITEM.emoji}
          </button>
        )}
      >
        {(close) => (
          <Suspense fallback={<p>loading</p>}>
            <EmojiPicker
              onPick={(value) => {
                close();
                edit.change([{ kind: 'item', id, field: 'emoji', value }]);
              }}
            />
          </Suspense>
        )}
      </Popover>
      <div className={styles['body']}>
        {duplicate && <Again duplicate={duplicate} />}
        <div className={styles['line']}>
          <ItemName id={id} name={name} onEnter={onAdd} />
          <Mode id={id} item={item} />
          <IconButton
            label={`Delete ${name}`}
            className={styles['small']}
            onClick={(event) => removeItem(edit, id, event.currentTarget)}
          >
            <IconTrash size={16} stroke={1.75} />
          </IconButton>
        </div>
        <Chips
          label={`Types of ${name}`}
          chips={tags}
          getName={(tag) => `Remove tag ${tag.label}`}
          onRemove={(type) => edit.change([{ kind: 'link', item: id, type, isLinked: false }])}
          add={
            hasMore
              ? {
                  label: 'Add new type',
                  placeholder: 'Find or create a type',
                  options: () => typesToAdd(edit, id),
                  onAdd: (type) => edit.change([{ kind: 'link', item: id, type, isLinked: true }]),
                  make: { label: 'New type', run: (text) => addType(edit, text, id) },
                }
              : undefined
          }
        />
      </div>
    </>
  );
}

/** Returns whether a row is rendered completely, and its last height. A row that contains the focus stays complete. */
function useNear(row: RefObject<HTMLElement | null>, atFirst: boolean) {
  const edit = useEdit();
  const [near, setNear] = useState<{ readonly is: boolean; readonly height: number | undefined }>({
    is: atFirst,
    height: undefined,
  });
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    return edit.watch(element, (is, height) =>
      setNear((before) => {
        if (before.is === is || (!is && element.contains(document.activeElement))) return before;
        // Hidden elements have no height.
        return { is, height: is || height === 0 ? before.height : height };
      }),
    );
  }, [edit, row]);
  return near;
}

function Row({ isFlashing, isEarly, onHold, ...rest }: ItemRowProps) {
  const { id, item } = rest;
  const edit = useEdit();
  const row = useRef<HTMLLIElement>(null);
  const near = useNear(row, isEarly || edit.isWaitedFor(id));
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!edit.draft.is(id) || (relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) return;
    afterPress(() => {
      // Another window has the focus; it will return to this field.
      if (!document.hasFocus() || edit.isPasting() || currentTarget.contains(document.activeElement)) return;
      edit.draft.leave(id);
    });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles events of its fields and buttons
    <li
      ref={row}
      className={styles['row']}
      aria-label={item.name}
      data-flash={isFlashing || undefined}
      style={near.is ? {} : { minHeight: near.height }}
      data-far={!near.is || undefined}
      onFocus={onHold && (() => onHold(id))}
      onBlur={onBlur}
    >
      {near.is ? <ItemFields {...rest} /> : item.name}
    </li>
  );
}

const isSameTag = (one: PickerOption, other: PickerOption | undefined): boolean =>
  one.id === other?.id && one.label === other.label && one.colour === other.colour;
const isSameDuplicate = (one: Duplicate | undefined, other: Duplicate | undefined): boolean =>
  one?.name === other?.name && one?.ids.join() === other?.ids.join();
const isSameItem = (one: Item, other: Item): boolean =>
  one === other ||
  (one.name === other.name && one.emoji === other.emoji && one.desired === other.desired && one.state === other.state);

/** Memoized, so that of a thousand rows only changed ones are rendered. */
export const ItemRow = memo(
  Row,
  (one, other) =>
    one.id === other.id &&
    one.hasMore === other.hasMore &&
    isSameDuplicate(one.duplicate, other.duplicate) &&
    one.isFlashing === other.isFlashing &&
    one.onAdd === other.onAdd &&
    one.onHold === other.onHold &&
    isSameItem(one.item, other.item) &&
    one.tags.length === other.tags.length &&
    one.tags.every((tag, at) => isSameTag(tag, other.tags[at])),
);
