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
  readonly acts: { readonly onPin: () => void; readonly onRemove: () => void } | undefined;
}

function Chip({ name, colour, isPinned, acts }: ChipProps) {
  return (
    <li
      className={styles['chip']}
      data-pinned={isPinned || undefined}
      // New in the form: becomes a tag when the event is saved.
      data-unsaved={colour === undefined || undefined}
      style={{ '--c': colour ?? 'transparent' } as CSSProperties}
    >
      <i aria-hidden />
      <span className="ellipsis" dir="auto">
        {name}
      </span>
      {acts && (
        <>
          <button
            type="button"
            title={`${isPinned ? 'Unpin' : 'Pin'} ${name}`}
            aria-label={`${isPinned ? 'Unpin' : 'Pin'} ${name}`}
            onClick={acts.onPin}
          >
            {isPinned ? <IconPinFilled size={14} /> : <IconPin size={14} stroke={1.75} />}
          </button>
          <button type="button" title={`Remove tag ${name}`} aria-label={`Remove tag ${name}`} onClick={acts.onRemove}>
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
  const { keepAll } = useTagChange();
  const [open, setOpen] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLElement | null>(null);

  const close = useCallback((): void => {
    setOpen(false);
    (opener.current?.isConnected ? opener.current : add.current)?.focus({ preventScroll: true });
  }, []);
  const toggle = (by: HTMLElement): void => {
    opener.current = by;
    setOpen(!open);
  };
  const drop = (name: string): void =>
    change({ tags: form.tags.filter((tag) => tag !== name), ...(form.pinned === name ? { pinned: '' } : {}) });
  const remove = (name: string): void => {
    drop(name);
    add.current?.focus({ preventScroll: true });
    if (tags[name]) void keepAll();
  };
  const builtIn = listBuiltInTags({
    pattern: { kind: form.style === 'calendar' ? 'single' : form.style },
    pinned: form.pinned === '' ? undefined : form.pinned,
  });
  const getActions = (name: string): ChipProps['acts'] =>
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
            acts={getActions(name)}
          />
        ))}
        {builtIn.map((name) => (
          <Chip
            key={name}
            name={name}
            colour={tags[name]?.colour ?? BUILT_IN_COLOUR}
            isPinned={false}
            acts={undefined}
          />
        ))}
      </ul>
      {!readOnly && (
        <span className={styles['add']}>
          {(form.tags.length === 0 || isConfirming) && (
            <button
              type="button"
              className={styles['placeholder']}
              aria-haspopup="dialog"
              aria-expanded={open}
              onClick={(event) => toggle(event.currentTarget)}
            >
              {PLACEHOLDER_TAG}
            </button>
          )}
          <button
            ref={add}
            type="button"
            className={styles['more']}
            aria-haspopup="dialog"
            aria-expanded={open}
            onClick={(event) => {
              setIsConfirming(true);
              toggle(event.currentTarget);
            }}
          >
            <IconPlus size={15} stroke={1.75} aria-hidden /> Add new tag
          </button>
          {open && (
            <TagMenu
              taken={form.tags}
              onAdd={(name) => {
                setIsConfirming(false);
                change({ tags: [...form.tags, name] });
              }}
              onGone={(name) => editing.isDirty && drop(name)}
              onClose={close}
            />
          )}
        </span>
      )}
    </div>
  );
}
