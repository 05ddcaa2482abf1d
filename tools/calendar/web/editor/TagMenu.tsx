import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { fold, foldSearch } from '#platform/contract/fold.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { usePressOutside } from '#platform/web/ui/Popover.tsx';
import { REMOVABLE, MAX_TAG_LENGTH, changetag, getevents, restoretag, settags } from '../../contract/events.ts';
import { PALETTE, isReservedTag } from '../../events/domain/tags.ts';
import { queryKeys } from '../selection.ts';
import { useTags } from '../useCalendar.ts';
import styles from './TagMenu.module.css';

/**
 * Loads the account's current tags. A list from an earlier time would delete tags that were created elsewhere since.
 */
async function loadUserTags(): Promise<readonly string[]> {
  const { tags } = await call(getevents, { tz: getTimeZone() });
  return Object.entries(tags).flatMap(([name, { removable }]) => (removable === REMOVABLE.own ? [name] : []));
}

/** Returns functions that change the account's tags, and show failures as notices. */
export function useTagChange() {
  const queryClient = useQueryClient();
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: queryKeys.all });
  async function runChange(change: Promise<unknown>): Promise<boolean> {
    try {
      await change;
      return true;
    } catch (error) {
      showError(error);
      return false;
    } finally {
      await refresh();
    }
  }
  return {
    /**
     * Sends all tag names after a tag was removed from an event. Network failures are ignored
     * (docs/specification/calendar.md section 4.4).
     */
    sendTagNames: async (): Promise<void> => {
      try {
        await call(settags, { tags: [...(await loadUserTags())] });
      } catch (error) {
        if (!(error instanceof CallError)) showError(error);
      }
    },
    /** Deletes a tag from all events, and offers Undo. */
    remove: async (name: string): Promise<void> => {
      const sendRemaining = async () => call(settags, { tags: (await loadUserTags()).filter((tag) => tag !== name) });
      if (!(await runChange(sendRemaining()))) return;
      notices.addWithAction(`Tag ${name} deleted`, 'Undo', () => void runChange(call(restoretag, { name })));
    },
    recolour: async (name: string, colour: string): Promise<void> =>
      void (await runChange(call(changetag, { name, colour }))),
  };
}

interface TagMenuProps {
  /** Tags that the event already has. */
  readonly eventTags: readonly string[];
  readonly onAdd: (name: string) => void;
  /** Called when the tag was removed from all events. */
  readonly onDeleted: (name: string) => void;
  readonly onClose: () => void;
}

const toColourStyle = (colour: string): CSSProperties => ({ '--c': colour }) as CSSProperties;

const COLOUR_NAMES = [
  'violet',
  'blue',
  'green',
  'amber',
  'red',
  'pink',
  'teal',
  'grey',
  'indigo',
  'olive',
  'brown',
  'steel blue',
] as const;

/** Returns why a text can't be the name of a tag. */
function findProblem(name: string): string | undefined {
  if (name.includes(',')) return "A tag name can't contain a comma. Remove it";
  if (countCodePoints(name) > MAX_TAG_LENGTH)
    return `The tag name is too long. Enter at most ${MAX_TAG_LENGTH} characters`;
  return isReservedTag(name) ? `${name} is a built-in tag. Choose another name` : undefined;
}

function ColourPicker({ name, colour, onPick }: { name: string; colour: string; onPick: (colour: string) => void }) {
  const [customColour, setCustomColour] = useState(colour);
  return (
    <div className={styles['colours']} role="group" aria-label={`Colour of ${name}`}>
      {PALETTE.map((option, index) => (
        <button
          key={option}
          type="button"
          style={toColourStyle(option)}
          title={COLOUR_NAMES[index]}
          aria-label={COLOUR_NAMES[index]}
          aria-pressed={option.toLowerCase() === colour.toLowerCase()}
          onClick={() => onPick(option)}
        />
      ))}
      <input
        type="color"
        aria-label={`Change the colour of ${name}`}
        title="Change colour"
        value={customColour}
        onChange={(event) => setCustomColour(event.currentTarget.value)}
        onBlur={() => customColour !== colour && onPick(customColour)}
      />
    </div>
  );
}

interface TagRowProps {
  readonly name: string;
  readonly colour: string;
  readonly isOnEvent: boolean;
  readonly isOpen: boolean;
  readonly onAdd: () => void;
  readonly onToggleColours: () => void;
  readonly onDelete: () => void;
}

function TagRow({ name, colour, isOnEvent, isOpen, onAdd, onToggleColours, onDelete }: TagRowProps) {
  return (
    <div className={styles['row']}>
      <button type="button" className={styles['pick']} data-pick disabled={isOnEvent} onClick={onAdd}>
        <span className="ellipsis" dir="auto">
          {name}
        </span>
        {isOnEvent && <small>on this event</small>}
      </button>
      <button
        type="button"
        className={styles['colour']}
        style={toColourStyle(colour)}
        aria-label={`Colour of ${name}`}
        title={`Colour of ${name}`}
        aria-expanded={isOpen}
        onClick={onToggleColours}
      />
      <IconButton label={`Delete ${name}`} size={28} onClick={onDelete}>
        <IconTrash size={15} stroke={1.75} />
      </IconButton>
    </div>
  );
}

/**
 * The tags of the account: add them to the event, create, colour and delete them. Enter adds the typed tag and creates
 * it if it doesn't exist.
 */
export function TagMenu({ eventTags, onAdd, onDeleted, onClose }: TagMenuProps) {
  const tags = useTags();
  const { remove, recolour } = useTagChange();
  const root = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [colourMenuTag, setColourMenuTag] = useState<string>();
  const typedName = text.trim().replaceAll(/\s+/g, ' ');
  const userTags = Object.entries(tags)
    .filter(([, { removable }]) => removable === REMOVABLE.own)
    .toSorted(([, one], [, other]) => one.intcolours - other.intcolours);
  const matching = userTags.filter(([name]) => foldSearch(name).includes(foldSearch(typedName)));
  const existingTag =
    userTags.find(([name]) => name === typedName) ?? userTags.find(([name]) => fold(name) === fold(typedName));
  const problem = typedName === '' ? undefined : findProblem(typedName);

  useEffect(() => {
    root.current?.querySelector('input')?.focus();
  }, []);
  // The buttons that open the menu are beside it, and close it themselves.
  usePressOutside(() => root.current?.parentElement, onClose);

  function addTag(name: string): void {
    if (!eventTags.includes(name)) onAdd(name);
    onClose();
  }
  function addTypedTag(): void {
    if (typedName !== '' && problem === undefined) addTag(existingTag?.[0] ?? typedName);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.stopPropagation();
      onClose();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const stops = [...(root.current?.querySelectorAll<HTMLElement>('[data-filter], [data-pick]:enabled') ?? [])];
    const index = stops.indexOf(document.activeElement as HTMLElement);
    stops[Math.min(stops.length - 1, Math.max(0, index + (event.key === 'ArrowDown' ? 1 : -1)))]?.focus();
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are its field's and buttons'
    <div ref={root} className={`${styles['menu']} popup`} role="dialog" aria-label="Add new tag" onKeyDown={onKeyDown}>
      <input
        data-filter
        aria-label="Tag name"
        placeholder="Find or create a tag"
        dir="auto"
        autoComplete="off"
        value={text}
        aria-invalid={problem !== undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          addTypedTag();
        }}
      />
      <div className={styles['list']}>
        {matching.map(([name, { colour }]) => (
          <div key={name}>
            <TagRow
              name={name}
              colour={colour}
              isOnEvent={eventTags.includes(name)}
              isOpen={colourMenuTag === name}
              onAdd={() => addTag(name)}
              onToggleColours={() => setColourMenuTag(colourMenuTag === name ? undefined : name)}
              onDelete={() => {
                root.current?.querySelector('input')?.focus();
                void remove(name).then(() => onDeleted(name));
              }}
            />
            {colourMenuTag === name && (
              <ColourPicker name={name} colour={colour} onPick={(next) => void recolour(name, next)} />
            )}
          </div>
        ))}
        {problem !== undefined && (
          <p className={styles['problem']} role="status">
            {problem}
          </p>
        )}
        {typedName !== '' && !existingTag && problem === undefined && (
          <button type="button" className={styles['pick']} data-pick onClick={addTypedTag}>
            <IconPlus size={15} stroke={1.75} aria-hidden />
            <span className="ellipsis">
              New tag <b dir="auto">{typedName}</b>
            </span>
          </button>
        )}
        {userTags.length === 0 && typedName === '' && <p>No tags yet. Type a name to create one</p>}
      </div>
    </div>
  );
}
