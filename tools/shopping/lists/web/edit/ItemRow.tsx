import { Button } from '@mantine/core';
import { IconArrowsExchange, IconTrash } from '@tabler/icons-react';
import { memo, Suspense, useRef, type FocusEvent, useId } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { mergeChanges, type Duplicate } from '../../domain/duplicates.ts';
import { NEW_ITEM, type Item, inOrder, cycled, isCheckbox, switched, LIMITS } from '../../domain/list.ts';
import { Chips } from './Chips.tsx';
import { useEdit, type EditActions } from './editContext.ts';
import { afterPress } from './itemChanges.ts';
import { ItemName } from './ItemName.tsx';
import { passFocus, removeItem, addType } from './listActions.ts';
import type { PickerOption } from './Picker.tsx';
import { Popup } from './Popup.tsx';
import { useTyped } from './useFieldDraft.ts';
import { useNear } from './useNearRows.ts';
import desiredStyles from './Fields.module.css';
import styles from './Rows.module.css';

const WHY = `A whole number from 0 to ${LIMITS.quantity.toLocaleString('en')}`;
const whyNot = (text: string): string | undefined => {
  if (text.trim() === '') return '';
  return /^\d{1,7}$/.test(text.trim()) && Number(text) <= LIMITS.quantity ? undefined : WHY;
};

/** How many of an item are wanted. */
export function Desired({ id, desired }: { readonly id: string; readonly desired: number }) {
  const edit = useEdit();
  const why = useId();
  const field = useRef<HTMLInputElement>(null);
  const typed = useTyped({
    value: String(desired),
    // What is no number at all stands in the field, and is not told as a text.
    problem: (text) => (field.current?.validity.badInput ? WHY : whyNot(text)),
    tell: (text) => edit.change([{ kind: 'item', id, field: 'desired', value: Number(text) }]),
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
        title="How many are wanted"
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
        <p id={why} className={desiredStyles['why']} role="alert">
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
  /** Its types. */
  readonly tags: readonly PickerOption[];
  /** The items of its name, where one above has it too. */
  readonly duplicate: Duplicate | undefined;
  /** It has fewer types than there are. */
  readonly hasMore: boolean;
  readonly isFlashing: boolean;
  /** Drawn whole at once. */
  readonly isEarly: boolean;
  readonly onAdd: () => void;
  /** Told as the focus comes in, where the row might go while it is changed. */
  readonly onHold: ((id: string) => void) | undefined;
}

/** Types of the list that an item does not have. */
const typesToAdd = (edit: EditActions, id: string): readonly PickerOption[] => {
  const { types, links } = edit.list();
  const linked = links.get(id);
  return inOrder(types)
    .filter((type) => linked?.has(type) !== true)
    .map((type) => ({ id: type, label: types.get(type)?.name ?? '', colour: types.get(type)?.colour[0] ?? '' }));
};

/** What is counted, or a checkbox: its amount or its answer, and the button that makes it the other. */
function Mode({ id, item }: { readonly id: string; readonly item: Item }) {
  const edit = useEdit();
  const { state, desired, name } = item;
  const set = (value: number): void => edit.change([{ kind: 'item', id, field: 'state', value }]);
  return (
    <>
      {isCheckbox(state) ? (
        <button type="button" className={styles['mode']} onClick={() => set(cycled(state))}>
          Checkbox mode ({state})
        </button>
      ) : (
        <Desired id={id} desired={desired} />
      )}
      <IconButton
        label={isCheckbox(state) ? `Switch ${name} to counted` : `Switch ${name} to checkbox`}
        className={styles['small']}
        bordered
        onClick={() => set(switched(state))}
      >
        <IconArrowsExchange size={16} stroke={1.75} />
      </IconButton>
    </>
  );
}

/** Above a name that the list has already, as offered names lie below it: offers to make one item of both. */
function Again({ duplicate }: { readonly duplicate: Duplicate }) {
  const edit = useEdit();
  const label = 'Add up';
  return (
    <p className={styles['again']} role="status">
      <span>
        <span dir="auto">{duplicate.name}</span> is on this list already
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

function Parts({ id, item, tags, duplicate, hasMore, onAdd }: Omit<ItemRowProps, 'isFlashing' | 'isEarly' | 'onHold'>) {
  const edit = useEdit();
  const { name, emoji } = item;
  return (
    <>
      <Popup
        label={`Emoji of ${name}`}
        width={292}
        renderButton={(props) => (
          <button
            type="button"
            className={styles['emoji']}
            aria-label={`Emoji of ${name}`}
            title="Change the emoji"
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
      </Popup>
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
          nameOf={(tag) => `Remove tag ${tag.label}`}
          onRemove={(type) => edit.change([{ kind: 'link', item: id, type, isLinked: false }])}
          add={
            hasMore
              ? {
                  label: 'Add new type',
                  placeholder: 'Find or make a type',
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

function Row({ isFlashing, isEarly, onHold, ...rest }: ItemRowProps) {
  const { id, item } = rest;
  const edit = useEdit();
  const row = useRef<HTMLLIElement>(null);
  const near = useNear(row, isEarly || edit.isWaitedFor(id));
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!edit.draft.is(id) || (relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) return;
    afterPress(() => {
      // Another window has the focus: it comes back to this field.
      if (!document.hasFocus() || edit.isPasting() || currentTarget.contains(document.activeElement)) return;
      edit.draft.leave(id);
    });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it hears of its fields and buttons
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
      {near.is ? <Parts {...rest} /> : item.name}
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

/** Of a thousand rows only those are drawn anew that show something else. */
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
