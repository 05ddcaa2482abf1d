import { useEffect, useId, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { getNextIndex } from '#platform/web/ui/listbox.ts';
import { type GlobalItem, findExact, suggestNames, findAcceptedSuggestion } from '../../domain/itemNames.ts';
import { NEW_ITEM, type Change, type List } from '../../domain/list.ts';
import { useEdit } from './editContext.ts';
import { createNameChanges, findNameProblem } from './itemChanges.ts';
import { findLastTypes } from './listActions.ts';
import { useFieldDraft } from './useFieldDraft.ts';
import styles from './Fields.module.css';

interface ItemNameProps {
  readonly id: string;
  readonly name: string;
  /** Called when Enter is pressed on a complete name, to continue with the next item. */
  readonly onEnter: () => void;
}

/** Suggested names, and the index of the one that Enter accepts; undefined if Enter accepts the text as it is. */
interface Suggestions {
  readonly names: readonly GlobalItem[];
  readonly activeIndex: number | undefined;
}
const NO_SUGGESTIONS: Suggestions = { names: [], activeIndex: undefined };

/** Detects the Enter that ends an IME composition. Safari only reports it by its key code. */
// oxlint-disable-next-line typescript/no-deprecated -- no other property reports it
const isComposing = (event: globalThis.KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

const LINE_BREAK = /\S[^\S\n\r]*[\n\r]\s*\S/u;

/** The name field of an item, with suggestions below it. */
export function ItemName({ id, name, onEnter }: ItemNameProps) {
  const edit = useEdit();
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const nameBefore = useRef(name);
  const namesCache = useRef<{ readonly items: List['items']; readonly names: readonly string[] }>(undefined);
  const [suggestions, setSuggestions] = useState(NO_SUGGESTIONS);
  const hasDefaultName = name === NEW_ITEM.name;

  function save(text: string): void {
    const known = findExact(edit.getNames(), text);
    const types = known ? findLastTypes(edit.getList(), known.name) : [];
    const isNewWithDefaultName = edit.draft.isDraft(id) && text.trim() === NEW_ITEM.name;
    const changes: readonly Change[] = [
      ...(isNewWithDefaultName ? [{ kind: 'item', id, field: 'name', value: NEW_ITEM.name } as const] : []),
      ...createNameChanges(edit.getList(), id, text.trim(), known && { ...known, types }),
    ];
    if (changes.length > 0) edit.change(changes);
  }
  const draft = useFieldDraft({
    value: name,
    findProblem: (text) => findNameProblem(text, 'item'),
    onSave: save,
    isNew: () => edit.draft.isDraft(id),
  });

  useLayoutEffect(() => {
    if (edit.takeFocusRequest(id)) field.current?.focus();
  }, [edit, id]);

  /** Lists the names in use, with the item's own names (current and at focus), so that none of them is suggested. */
  function listUsedNames(): readonly string[] {
    const { items } = edit.getList();
    if (namesCache.current?.items !== items)
      namesCache.current = { items, names: [...Array.from(items.values(), (item) => item.name), nameBefore.current] };
    return namesCache.current.names;
  }
  function updateSuggestions(text: string): void {
    const [nameIndex, usedNames] = [edit.getNames(), listUsedNames()];
    const names = suggestNames(nameIndex, text, usedNames);
    const accepted = findAcceptedSuggestion(nameIndex, text, usedNames);
    setSuggestions({ names, activeIndex: accepted && names[0] === accepted ? 0 : undefined });
  }
  function handleInput(text: string): void {
    edit.draft.setText(id, text);
    draft.setText(text);
    updateSuggestions(text);
    // The emoji of a known name appears immediately.
    if (findExact(edit.getNames(), text)) draft.flush();
  }
  function accept(known: GlobalItem): void {
    draft.replace(known.name);
    setSuggestions(NO_SUGGESTIONS);
    save(known.name);
  }
  function select(): void {
    if (field.current?.value === NEW_ITEM.name) field.current.select();
  }
  function step(key: string): void {
    const { names, activeIndex } = suggestions;
    if (names.length === 0) updateSuggestions(hasDefaultName && draft.text === name ? '' : draft.text);
    else
      setSuggestions({
        names,
        activeIndex: activeIndex === undefined ? 0 : getNextIndex(key, activeIndex, names.length),
      });
  }
  function complete(known?: GlobalItem): void {
    if (known) accept(known);
    else draft.flush();
    setSuggestions(NO_SUGGESTIONS);
    // An invalid text must be corrected first, and an unnamed new item already is the next one.
    if (!edit.draft.isDraft(id) && (known || draft.problem === undefined)) onEnter();
  }
  function cancel(): void {
    const button = field.current?.closest('section')?.querySelector<HTMLElement>('[data-add]');
    if (edit.draft.removeIfEmpty(id)) button?.focus();
    else setSuggestions(NO_SUGGESTIONS);
  }
  /** Returns what a key does; undefined if the field handles it. */
  function getKeyAction(key: string): (() => void) | undefined {
    const { names, activeIndex } = suggestions;
    const activeName = activeIndex === undefined ? undefined : names[activeIndex];
    if (key === 'ArrowDown' || key === 'ArrowUp') return () => step(key);
    if (key === 'Escape' && edit.draft.isDraft(id)) return cancel;
    if (key === 'Escape' && names.length > 0) return () => setSuggestions(NO_SUGGESTIONS);
    if (key === 'Tab' && activeName) return () => accept(activeName);
    return key === 'Enter' ? () => complete(activeName) : undefined;
  }
  function handleKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    const runKeyAction = hasModifier || isComposing(event.nativeEvent) ? undefined : getKeyAction(event.key);
    if (!runKeyAction) return;
    event.preventDefault();
    event.stopPropagation();
    runKeyAction();
  }
  function handlePaste(event: ClipboardEvent<HTMLInputElement>): void {
    const text = event.clipboardData.getData('text/plain');
    if (!LINE_BREAK.test(text)) return;
    event.preventDefault();
    setSuggestions(NO_SUGGESTIONS);
    const isUntouched = hasDefaultName && draft.text === name;
    if (isUntouched) edit.previewPaste(text, id);
    else edit.previewPaste(text);
  }
  const isOpen = suggestions.names.length > 0;
  useEffect(() => {
    if (isOpen) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);

  return (
    <div className={styles['name']}>
      <input
        ref={field}
        className={styles['field']}
        role="combobox"
        aria-label="Item name"
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-invalid={draft.problem !== undefined}
        aria-controls={listId}
        {...(suggestions.activeIndex === undefined
          ? {}
          : { 'aria-activedescendant': `${listId}${suggestions.activeIndex}` })}
        {...(draft.problem === undefined ? {} : { 'aria-describedby': `${listId}why` })}
        dir="auto"
        autoComplete="off"
        // 'next' would move the focus on Android without a key event.
        enterKeyHint="enter"
        value={draft.text}
        onFocus={() => {
          nameBefore.current = name;
          namesCache.current = undefined;
          draft.startEditing();
          select();
          if (hasDefaultName)
            setSuggestions({ names: suggestNames(edit.getNames(), '', listUsedNames()), activeIndex: undefined });
        }}
        // Clicking a selected text would set the caret.
        onMouseUp={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget;
          if (selectionStart === selectionEnd) select();
        }}
        onBlur={() => {
          setSuggestions(NO_SUGGESTIONS);
          draft.stopEditing();
        }}
        onChange={(event) => handleInput(event.currentTarget.value)}
        onKeyDown={handleKeyDown}
        onPaste={handlePaste}
      />
      {isOpen && (
        <div
          ref={list}
          id={listId}
          className={`${styles['offered']} popup`}
          role="listbox"
          aria-label="Known names"
          data-popup
        >
          {suggestions.names.map((known, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field keeps the focus and handles keys
            <div
              key={known.name}
              id={`${listId}${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === suggestions.activeIndex}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => (nameBefore.current === NEW_ITEM.name ? complete(known) : accept(known))}
            >
              <span aria-hidden>{known.emoji}</span>
              <span className="ellipsis" dir="auto">
                {known.name}
              </span>
              {index === suggestions.activeIndex && <kbd aria-hidden>Enter</kbd>}
            </div>
          ))}
        </div>
      )}
      {draft.problem !== undefined && (
        <p id={`${listId}why`} className={styles['problem']} role="alert">
          {draft.problem}
        </p>
      )}
    </div>
  );
}
