import { useEffect, useId, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { getNextIndex } from '#platform/web/ui/listbox.ts';
import { type GlobalItem, findExact, suggest, findAccepted } from '../../domain/itemNames.ts';
import { NEW_ITEM, type Change, type List } from '../../domain/list.ts';
import { useEdit } from './editContext.ts';
import { nameChanges, findNameProblem } from './itemChanges.ts';
import { typesHad } from './listActions.ts';
import { useFieldDraft } from './useFieldDraft.ts';
import styles from './Fields.module.css';

interface ItemNameProps {
  readonly id: string;
  readonly name: string;
  /** Enter was pressed on a complete name: continue with the next item. */
  readonly onEnter: () => void;
}

/** Suggested names and the index of the highlighted one; undefined if Enter keeps the text as it is. */
interface OfferedNames {
  readonly found: readonly GlobalItem[];
  readonly at: number | undefined;
}
const NOTHING: OfferedNames = { found: [], at: undefined };

/** Detects the Enter that ends an IME composition; Safari only reports it by its key code. */
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
  const others = useRef<{ readonly of: List['items']; readonly names: readonly string[] }>(undefined);
  const [offered, setOffered] = useState(NOTHING);
  const isFresh = name === NEW_ITEM.name;

  const save = (text: string): void => {
    const known = findExact(edit.names(), text);
    const types = known ? typesHad(edit.list(), known.name) : [];
    const isMade = edit.draft.is(id) && text.trim() === NEW_ITEM.name;
    const changes: readonly Change[] = [
      ...(isMade ? [{ kind: 'item', id, field: 'name', value: NEW_ITEM.name } as const] : []),
      ...nameChanges(edit.list(), id, text.trim(), known && { ...known, types }),
    ];
    if (changes.length > 0) edit.change(changes);
  };
  const typed = useFieldDraft({
    value: name,
    problem: (text) => findNameProblem(text, 'item'),
    onSave: save,
    isNew: () => edit.draft.is(id),
  });

  useLayoutEffect(() => {
    if (edit.isExpected(id)) field.current?.focus();
  }, [edit, id]);

  /**
   * Includes the item's own names, current and at focus:
   * someone who changes a name does not want the old one suggested.
   */
  const inList = (): readonly string[] => {
    const { items } = edit.list();
    if (others.current?.of !== items)
      others.current = { of: items, names: [...Array.from(items.values(), (item) => item.name), nameBefore.current] };
    return others.current.names;
  };
  const offer = (text: string): void => {
    const [names, known] = [edit.names(), inList()];
    const found = suggest(names, text, known);
    const first = findAccepted(names, text, known);
    setOffered({ found, at: first && found[0] === first ? 0 : undefined });
  };
  const type = (text: string): void => {
    edit.draft.type(id, text);
    typed.type(text);
    offer(text);
    // Its emoji appears immediately.
    if (findExact(edit.names(), text)) typed.flush();
  };
  const take = (known: GlobalItem): void => {
    typed.settle(known.name);
    setOffered(NOTHING);
    save(known.name);
  };
  const select = (): void => {
    if (field.current?.value === NEW_ITEM.name) field.current.select();
  };
  const step = (key: string): void => {
    const { found, at } = offered;
    if (found.length === 0) offer(isFresh && typed.text === name ? '' : typed.text);
    else setOffered({ found, at: at === undefined ? 0 : getNextIndex(key, at, found.length) });
  };
  const complete = (known?: GlobalItem): void => {
    if (known) take(known);
    else typed.flush();
    setOffered(NOTHING);
    // An invalid text must be corrected first, and an unnamed new item already is the next one.
    if (!edit.draft.is(id) && (known || typed.problem === undefined)) onEnter();
  };
  const withdraw = (): void => {
    const button = field.current?.closest('section')?.querySelector<HTMLElement>('[data-add]');
    if (edit.draft.leave(id)) button?.focus();
    else setOffered(NOTHING);
  };
  /** Returns what a key does; undefined if the field handles it. */
  const getKeyAction = (key: string): (() => void) | undefined => {
    const chosen = offered.at === undefined ? undefined : offered.found[offered.at];
    if (key === 'ArrowDown' || key === 'ArrowUp') return () => step(key);
    if (key === 'Escape' && edit.draft.is(id)) return withdraw;
    if (key === 'Escape' && offered.found.length > 0) return () => setOffered(NOTHING);
    if (key === 'Tab' && chosen) return () => take(chosen);
    return key === 'Enter' ? () => complete(chosen) : undefined;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const isWithMore = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    const act = isWithMore || isComposing(event.nativeEvent) ? undefined : getKeyAction(event.key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const text = event.clipboardData.getData('text/plain');
    if (!LINE_BREAK.test(text)) return;
    event.preventDefault();
    setOffered(NOTHING);
    const isUntouched = isFresh && typed.text === name;
    if (isUntouched) edit.paste(text, id);
    else edit.paste(text);
  };
  const isOpen = offered.found.length > 0;
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
        aria-invalid={typed.problem !== undefined}
        aria-controls={listId}
        {...(offered.at === undefined ? {} : { 'aria-activedescendant': `${listId}${offered.at}` })}
        {...(typed.problem === undefined ? {} : { 'aria-describedby': `${listId}why` })}
        dir="auto"
        autoComplete="off"
        // 'next' would move the focus on Android without a key event.
        enterKeyHint="enter"
        value={typed.text}
        onFocus={() => {
          nameBefore.current = name;
          others.current = undefined;
          typed.hold();
          select();
          if (isFresh) setOffered({ found: suggest(edit.names(), '', inList()), at: undefined });
        }}
        // Clicking a selected text would set the caret.
        onMouseUp={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget;
          if (selectionStart === selectionEnd) select();
        }}
        onBlur={() => {
          setOffered(NOTHING);
          typed.leave();
        }}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {isOpen && (
        <div ref={list} id={listId} className={styles['offered']} role="listbox" aria-label="Known names" data-popup>
          {offered.found.map((known, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field keeps the focus and handles keys
            <div
              key={known.name}
              id={`${listId}${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === offered.at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => (nameBefore.current === NEW_ITEM.name ? complete(known) : take(known))}
            >
              <span aria-hidden>{known.emoji}</span>
              <span className="ellipsis" dir="auto">
                {known.name}
              </span>
              {index === offered.at && <kbd aria-hidden>Enter</kbd>}
            </div>
          ))}
        </div>
      )}
      {typed.problem !== undefined && (
        <p id={`${listId}why`} className={styles['problem']} role="alert">
          {typed.problem}
        </p>
      )}
    </div>
  );
}
