import { Button } from '@mantine/core';
import { IconArrowsExchange, IconTrash } from '@tabler/icons-react';
import { memo, Suspense, useEffect, useId, useRef, useState, type FocusEvent, type RefObject } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Popover } from '#platform/web/ui/Popover.tsx';
import { createMergeChanges, type Duplicate } from '../../domain/duplicates.ts';
import { NEW_ITEM, type Item, listIdsInOrder, cycleState, isCheckbox, switchMode, LIMITS } from '../../domain/list.ts';
import { Chips } from './Chips.tsx';
import { useEdit, type EditActions } from './editContext.ts';
import { runAfterPress } from './itemChanges.ts';
import { ItemName } from './ItemName.tsx';
import { moveFocus, removeItem, addType } from './listActions.ts';
import type { PickerOption } from './Picker.tsx';
import { useFieldDraft } from './useFieldDraft.ts';
import desiredStyles from './Fields.module.css';
import styles from './Rows.module.css';

const QUANTITY_MESSAGE = `Enter a whole number from 0 to ${LIMITS.quantity.toLocaleString('en')}`;
function findQuantityProblem(text: string): string | undefined {
  if (text.trim() === '') return '';
  return /^\d{1,7}$/.test(text.trim()) && Number(text) <= LIMITS.quantity ? undefined : QUANTITY_MESSAGE;
}

/** Field for the desired quantity. */
export function DesiredQuantity({ id, desired }: { readonly id: string; readonly desired: number }) {
  const edit = useEdit();
  const problemId = useId();
  const field = useRef<HTMLInputElement>(null);
  const draft = useFieldDraft({
    value: String(desired),
    // If the input is not a number, the browser keeps it in the field but reports an empty value.
    findProblem: (text) => (field.current?.validity.badInput ? QUANTITY_MESSAGE : findQuantityProblem(text)),
    onSave: (text) => edit.change([{ kind: 'item', id, field: 'desired', value: Number(text) }]),
  });
  return (
    <div className={desiredStyles['desired']}>
      <input
        ref={field}
        className={`${desiredStyles['number']} num`}
        type="number"
        inputMode="numeric"
        min={0}
        max={LIMITS.quantity}
        step={1}
        aria-label={`Desired: ${desired} items`}
        placeholder={`Desired: ${desired} items`}
        title="Desired quantity"
        aria-invalid={draft.problem !== undefined}
        {...(draft.problem === undefined ? {} : { 'aria-describedby': problemId })}
        value={draft.text}
        onFocus={(event) => {
          draft.startEditing();
          event.currentTarget.select();
        }}
        onBlur={draft.stopEditing}
        onChange={(event) => draft.setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') draft.flush();
        }}
      />
      {draft.problem !== undefined && (
        <p id={problemId} className={desiredStyles['problem']} role="alert">
          {draft.problem}
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
  readonly isInitiallyRendered: boolean;
  readonly onAdd: () => void;
  /** Called on focus, as the row could be filtered out while it is edited. */
  readonly onFocusItem: ((id: string) => void) | undefined;
}

/** Returns the types of the list that an item does not have. */
function listAddableTypes(edit: EditActions, id: string): readonly PickerOption[] {
  const { types, links } = edit.getList();
  const linkedTypes = links.get(id);
  return listIdsInOrder(types)
    .filter((type) => linkedTypes?.has(type) !== true)
    .map((type) => ({ id: type, label: types.get(type)?.name ?? '', colour: types.get(type)?.colour[0] ?? '' }));
}

/** Desired quantity of a counted item or state of a checkbox, and the button that switches between the two. */
function ItemMode({ id, item }: { readonly id: string; readonly item: Item }) {
  const edit = useEdit();
  const { state, desired, name } = item;
  const setState = (value: number): void => edit.change([{ kind: 'item', id, field: 'state', value }]);
  return (
    <>
      {isCheckbox(state) ? (
        <button type="button" className={styles['mode']} onClick={() => setState(cycleState(state))}>
          Checkbox mode ({state})
        </button>
      ) : (
        <DesiredQuantity id={id} desired={desired} />
      )}
      <IconButton
        label={isCheckbox(state) ? `Switch ${name} to counted` : `Switch ${name} to checkbox`}
        className={styles['small']}
        bordered
        onClick={() => setState(switchMode(state))}
      >
        <IconArrowsExchange size={16} stroke={1.75} />
      </IconButton>
    </>
  );
}

/** Offers to merge an item with the one of the same name. It is above the name, as suggestions open below it. */
function DuplicateNotice({ duplicate }: { readonly duplicate: Duplicate }) {
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
          moveFocus(event.currentTarget, /^Delete /);
          edit.change(createMergeChanges(edit.getList(), duplicate));
        }}
      >
        {label}
      </Button>
    </p>
  );
}

function ItemFields(props: Omit<ItemRowProps, 'isFlashing' | 'isInitiallyRendered' | 'onFocusItem'>) {
  const { id, item, tags, duplicate, hasMore, onAdd } = props;
  const edit = useEdit();
  const { name, emoji } = item;
  return (
    <>
      <Popover
        label={`Emoji for ${name}`}
        width={292}
        renderButton={(buttonProps) => (
          <button
            type="button"
            className={styles['emoji']}
            aria-label={`Emoji for ${name}`}
            title="Change emoji"
            {...buttonProps}
          >
            {emoji || NEW_ITEM.emoji}
          </button>
        )}
      >
        {(close) => (
          <Suspense fallback={<p>loading</p>}>
            <EmojiPicker
              onSelect={(value) => {
                close();
                edit.change([{ kind: 'item', id, field: 'emoji', value }]);
              }}
            />
          </Suspense>
        )}
      </Popover>
      <div className={styles['body']}>
        {duplicate && <DuplicateNotice duplicate={duplicate} />}
        <div className={styles['line']}>
          <ItemName id={id} name={name} onEnter={onAdd} />
          <ItemMode id={id} item={item} />
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
                  options: () => listAddableTypes(edit, id),
                  onAdd: (type) => edit.change([{ kind: 'link', item: id, type, isLinked: true }]),
                  create: { label: 'New type', run: (text) => addType(edit, text, id) },
                }
              : undefined
          }
        />
      </div>
    </>
  );
}

/** Returns whether a row is rendered completely, and its last height. A row that contains the focus stays complete. */
function useIsNear(row: RefObject<HTMLElement | null>, isInitiallyNear: boolean) {
  const edit = useEdit();
  const [nearState, setNearState] = useState<{ readonly isNear: boolean; readonly height: number | undefined }>({
    isNear: isInitiallyNear,
    height: undefined,
  });
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    return edit.observe(element, (isNear, height) =>
      setNearState((current) => {
        if (current.isNear === isNear || (!isNear && element.contains(document.activeElement))) return current;
        // Hidden elements have no height.
        return { isNear, height: isNear || height === 0 ? current.height : height };
      }),
    );
  }, [edit, row]);
  return nearState;
}

function Row({ isFlashing, isInitiallyRendered, onFocusItem, ...rest }: ItemRowProps) {
  const { id, item } = rest;
  const edit = useEdit();
  const row = useRef<HTMLLIElement>(null);
  const nearState = useIsNear(row, isInitiallyRendered || edit.isFocusRequested(id));
  function handleBlur({ currentTarget, relatedTarget }: FocusEvent): void {
    if (!edit.draft.isDraft(id) || (relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) return;
    runAfterPress(() => {
      // If another window has the focus, the focus will return to this field.
      if (!document.hasFocus() || edit.isPasting() || currentTarget.contains(document.activeElement)) return;
      edit.draft.removeIfEmpty(id);
    });
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles events of its fields and buttons
    <li
      ref={row}
      className={styles['row']}
      aria-label={item.name}
      data-flash={isFlashing || undefined}
      style={nearState.isNear ? {} : { minHeight: nearState.height }}
      data-far={!nearState.isNear || undefined}
      onFocus={onFocusItem && (() => onFocusItem(id))}
      onBlur={handleBlur}
    >
      {nearState.isNear ? <ItemFields {...rest} /> : item.name}
    </li>
  );
}

const isSameTag = (previous: PickerOption, next: PickerOption | undefined): boolean =>
  previous.id === next?.id && previous.label === next.label && previous.colour === next.colour;
const isSameDuplicate = (previous: Duplicate | undefined, next: Duplicate | undefined): boolean =>
  previous?.name === next?.name && previous?.ids.join() === next?.ids.join();
const isSameItem = (previous: Item, next: Item): boolean =>
  previous === next ||
  (previous.name === next.name &&
    previous.emoji === next.emoji &&
    previous.desired === next.desired &&
    previous.state === next.state);

/** Memoized, so that of a thousand rows only changed ones are rendered. */
export const ItemRow = memo(
  Row,
  (previous, next) =>
    previous.id === next.id &&
    previous.hasMore === next.hasMore &&
    isSameDuplicate(previous.duplicate, next.duplicate) &&
    previous.isFlashing === next.isFlashing &&
    previous.onAdd === next.onAdd &&
    previous.onFocusItem === next.onFocusItem &&
    isSameItem(previous.item, next.item) &&
    previous.tags.length === next.tags.length &&
    previous.tags.every((tag, index) => isSameTag(tag, next.tags[index])),
);
