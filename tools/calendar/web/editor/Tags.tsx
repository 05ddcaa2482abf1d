import { IconPin, IconPinFilled, IconPlus, IconX } from '@tabler/icons-react';
import { useCallback, useRef, useState, type CSSProperties } from 'react';
import { REMOVABLE } from '../../contract/events.ts';
import { BUILT_IN_COLOUR, listBuiltInTags, PLACEHOLDER_TAG } from '../../events/domain/tags.ts';
import { useTags } from '../useCalendar.ts';
import { TagMenu, useTagChange } from './TagMenu.tsx';
import type { EditorState } from './useEditing.ts';
import styles from './Tags.module.css';

interface ChipProps {
  readonly name: string;
  readonly colour: string | undefined;
  readonly isPinned: boolean;
  /** Undefined for tags of subscribed calendars and for read-only events. */
  readonly actions: { readonly onPin: () => void; readonly onRemove: () => void } | undefined;
}

function Chip({ name, colour, isPinned, actions }: ChipProps) {
  return (
    <li
      className={`${styles['chip']} chip`}
      data-pinned={isPinned || undefined}
      // New in the form: becomes a tag when the event is saved.
      data-unsaved={colour === undefined || undefined}
      style={{ '--c': colour ?? 'transparent' } as CSSProperties}
    >
      <i className="dot" aria-hidden />
      <span className="ellipsis" dir="auto">
        {name}
      </span>
      {actions && (
        <>
          <button
            type="button"
            title={`${isPinned ? 'Unpin' : 'Pin'} ${name}`}
            aria-label={`${isPinned ? 'Unpin' : 'Pin'} ${name}`}
            onClick={actions.onPin}
          >
            {isPinned ? <IconPinFilled size={14} /> : <IconPin size={14} stroke={1.75} />}
          </button>
          <button
            type="button"
            title={`Remove tag ${name}`}
            aria-label={`Remove tag ${name}`}
            onClick={actions.onRemove}
          >
            <IconX size={14} stroke={1.75} />
          </button>
        </>
      )}
    </li>
  );
}

/** The tags of the event, and the menu that adds more. */
export function Tags({ editing, readOnly }: { readonly editing: EditorState; readonly readOnly: boolean }) {
  const { form, change } = editing;
  const tags = useTags();
  const { sendTagNames } = useTagChange();
  const [isOpen, setIsOpen] = useState(false);
  const [isAdding, setIsAdding] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLElement | null>(null);

  const close = useCallback((): void => {
    setIsOpen(false);
    (opener.current?.isConnected ? opener.current : addButton.current)?.focus({ preventScroll: true });
  }, []);
  function toggle(button: HTMLElement): void {
    opener.current = button;
    setIsOpen(!isOpen);
  }
  const dropFromForm = (name: string): void =>
    change({ tags: form.tags.filter((tag) => tag !== name), ...(form.pinned === name ? { pinned: '' } : {}) });
  function remove(name: string): void {
    dropFromForm(name);
    addButton.current?.focus({ preventScroll: true });
    if (tags[name]) void sendTagNames();
  }
  const builtIn = listBuiltInTags({
    pattern: { kind: form.style === 'calendar' ? 'single' : form.style },
    pinned: form.pinned === '' ? undefined : form.pinned,
  });
  const getActions = (name: string): ChipProps['actions'] =>
    readOnly || tags[name]?.removable === REMOVABLE.subscribed
      ? undefined
      : { onPin: () => change({ pinned: form.pinned === name ? '' : name }), onRemove: () => remove(name) };

  return (
    <div className={styles['tags']}>
      <ul aria-label="Tags">
        {form.tags.map((name) => (
          <Chip
            key={name}
            name={name}
            colour={tags[name]?.colour}
            isPinned={form.pinned === name}
            actions={getActions(name)}
          />
        ))}
        {builtIn.map((name) => (
          <Chip
            key={name}
            name={name}
            colour={tags[name]?.colour ?? BUILT_IN_COLOUR}
            isPinned={false}
            actions={undefined}
          />
        ))}
      </ul>
      {!readOnly && (
        <span className={styles['add']}>
          {(form.tags.length === 0 || isAdding) && (
            <button
              type="button"
              className={`${styles['placeholder']} chip`}
              aria-haspopup="dialog"
              aria-expanded={isOpen}
              onClick={(event) => toggle(event.currentTarget)}
            >
              {PLACEHOLDER_TAG}
            </button>
          )}
          <button
            ref={addButton}
            type="button"
            className={`${styles['more']} chip`}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={(event) => {
              setIsAdding(true);
              toggle(event.currentTarget);
            }}
          >
            <IconPlus size={15} stroke={1.75} aria-hidden /> Add new tag
          </button>
          {isOpen && (
            <TagMenu
              eventTags={form.tags}
              onAdd={(name) => {
                setIsAdding(false);
                change({ tags: [...form.tags, name] });
              }}
              onDeleted={(name) => editing.isDirty && dropFromForm(name)}
              onClose={close}
            />
          )}
        </span>
      )}
    </div>
  );
}
