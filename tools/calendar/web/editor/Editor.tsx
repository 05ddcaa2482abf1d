import { Button } from '@mantine/core';
import { IconTrash, IconInfoCircle, IconArrowBackUp, IconCalendarEvent, IconCalendarOff } from '@tabler/icons-react';
import { useState, useEffect, useRef, type ReactNode, Suspense } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useLastChange } from '#platform/web/app/undo.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps, Selection } from '../selection.ts';
import { useDeleteEvent, undo } from '../useEventMutations.ts';
import { Description } from './Description.tsx';
import { SELECT_ONE, type WireEvent, NOT_ENTERED } from './eventData.ts';
import { drafts, useOtherNewDrafts } from './eventDrafts.ts';
import { History } from './History.tsx';
import { MetaRow } from './MetaRow.tsx';
import { RepeatCard } from './RepeatCard.tsx';
import { Tags } from './Tags.tsx';
import { type EditorState, useEditing } from './useEditing.ts';
import styles from './Editor.module.css';

type DeleteRowProps = Pick<CalendarViewProps, 'onSelect'> & {
  readonly editing: EditorState;
  readonly event: WireEvent;
};

/** Deletes the event, or for a repeat the selected day or all. The notice offers Undo. */
export function DeleteRow({ editing, event, onSelect }: DeleteRowProps) {
  const remove = useDeleteEvent();
  const [isAsking, setIsAsking] = useState(false);
  const onlyDayButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) onlyDayButton.current?.focus();
  }, [isAsking]);
  const { date } = editing.start;
  function deleteEvent(isOnly: boolean): void {
    setIsAsking(false);
    const day = parseDay(date);
    remove.mutate(
      { id: event.id, revision: event.revision, ...(isOnly && day !== undefined ? { occurrence: toIso(day) } : {}) },
      {
        onSuccess: () => {
          editing.discard();
          onSelect({ kind: 'none' });
        },
      },
    );
  }
  return (
    <div className={styles['row']}>
      {isAsking ? (
        <>
          <span>Delete</span>
          <Button ref={onlyDayButton} onClick={() => deleteEvent(true)}>{`Only ${date}`}</Button>
          <Button onClick={() => deleteEvent(false)}>All days</Button>
          <Button variant="subtle" onClick={() => setIsAsking(false)}>
            Cancel
          </Button>
        </>
      ) : (
        <Button
          className={styles['delete'] ?? ''}
          variant="subtle"
          leftSection={<IconTrash size={16} stroke={1.75} />}
          aria-label={`Delete ${event.name}`}
          disabled={remove.isPending}
          onClick={() => (event.style === 'repeat' ? setIsAsking(true) : deleteEvent(false))}
        >
          Delete
        </Button>
      )}
    </div>
  );
}

function Note({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['line']} role="status">
      <IconInfoCircle size={16} stroke={1.75} aria-hidden />
      <span dir="auto">{text}</span>
      {children}
    </div>
  );
}

function NoteButton({ children, onClick }: { readonly children: string; readonly onClick: () => void }) {
  return (
    <Button size="xs" onClick={onClick}>
      {children}
    </Button>
  );
}

type NotesProps = Pick<CalendarViewProps, 'selection' | 'onSelect'> & { readonly editing: EditorState };

/** Notes about the event: where it comes from, and which other drafts or versions exist. */
export function Notes({ editing, selection, onSelect }: NotesProps) {
  const { base, newerVersion, isDeletedWithEdits, oldDraft } = editing;
  const otherDrafts = useOtherNewDrafts(selection.kind === 'new' && !base ? selection.proposal : undefined);
  return (
    <>
      {base?.subscription !== undefined && (
        <Note text={`From the subscribed calendar ${base.subscription}. You can't change it here`} />
      )}
      {isDeletedWithEdits && (
        <Note text="This event was deleted after you opened it. Your changes are still here">
          <NoteButton onClick={() => void editing.restore()}>Restore event</NoteButton>
        </Note>
      )}
      {!isDeletedWithEdits && newerVersion && (
        <Note text="This event was changed elsewhere after you opened it. Your changes are still here">
          <NoteButton onClick={() => editing.compare(newerVersion)}>Compare versions</NoteButton>
        </Note>
      )}
      {oldDraft && (
        <Note text="You have unsaved changes here, but the event was changed after you made them">
          <NoteButton onClick={oldDraft.apply}>Show my changes</NoteButton>
          <NoteButton onClick={oldDraft.discard}>Discard draft</NoteButton>
        </Note>
      )}
      {otherDrafts.map(({ proposal, edits }) =>
        proposal === undefined ? null : (
          <Note
            key={`${proposal.date} ${proposal.name ?? ''}`}
            text={`Unsaved draft: ${edits.name ?? proposal.name ?? 'new event'}, ${edits.date ?? ''}`}
          >
            <NoteButton onClick={() => onSelect({ kind: 'new', proposal })}>Continue editing</NoteButton>
            <NoteButton onClick={() => drafts.remove(proposal)}>Discard draft</NoteButton>
          </Note>
        ),
      )}
    </>
  );
}

/** Undoes the last save of this event. Shown until the form is edited again. */
function UndoSave({ editing }: { readonly editing: EditorState }) {
  const lastChange = useLastChange(undo);
  const { base, isDirty, label } = editing;
  if (base === undefined || lastChange?.event !== base.id || isDirty || label === 'Saving') return null;
  return (
    <IconButton label={`Undo: ${lastChange.label}`} onClick={() => void undo.run().catch(showError)}>
      <IconArrowBackUp size={18} stroke={1.75} />
    </IconButton>
  );
}

/** The name field, and the Save button with its five labels. */
export function NameRow({ editing, readOnly }: { readonly editing: EditorState; readonly readOnly: boolean }) {
  const { form, base, label, problems, change, save } = editing;
  const field = useRef<HTMLInputElement>(null);
  const isNew = base === undefined;
  useEffect(() => {
    if (isNew) field.current?.focus();
  }, [isNew]);
  return (
    <div className={styles['nameRow']}>
      <input
        ref={field}
        data-event-name
        className={styles['name']}
        aria-label="Event name"
        placeholder={NOT_ENTERED}
        dir="auto"
        autoComplete="off"
        value={form.name}
        readOnly={readOnly}
        aria-invalid={problems.includes('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing && !readOnly) save();
        }}
      />
      {!readOnly && (
        <>
          <UndoSave editing={editing} />
          <Button variant="primary" size="lg" className={styles['save'] ?? ''} onClick={save}>
            <span aria-live="polite">{label}</span>
          </Button>
        </>
      )}
    </div>
  );
}

/** Replaces the editor if there is no event. Spaces of the text are preserved. */
export function Placeholder({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['placeholder']}>
      <EmptyState icon={IconCalendarEvent} text={text}>
        {children}
      </EmptyState>
    </div>
  );
}

const ConflictDialog = lazyPart(async () => (await import('./ConflictDialog.tsx')).ConflictDialog);
const MoveDialog = lazyPart(async () => (await import('./MoveDialog.tsx')).MoveDialog);

interface EventFormProps extends Omit<CalendarViewProps, 'selection'> {
  readonly selection: Exclude<Selection, { readonly kind: 'none' }>;
  /** Selects a saved event without leaving this form. */
  readonly onSaved: CalendarViewProps['onSelect'];
}

/** The form of an existing or a new event. */
export function EventForm({ selection, today, onSelect, onSaved }: EventFormProps) {
  const editing = useEditing(selection, { today, onSelect: onSaved });
  const { base, hasForm, isDeleted, error, reload, save } = editing;
  const readOnly = base?.subscription !== undefined;
  useCommands([
    {
      id: 'calendar.save',
      name: 'Save event',
      keys: 'Mod+S',
      run: save,
      when: () => hasForm && !readOnly && !isDeleted,
    },
  ]);
  if (isDeleted) return <Placeholder text={NOT_ENTERED} />;
  if (!hasForm)
    return error ? (
      <QueryError icon={IconCalendarOff} message={error.message} onRetry={reload} />
    ) : (
      <div className={styles['ghost']} role="status" aria-label="Event is loading" />
    );
  return (
    <div className={styles['editor']}>
      <NameRow editing={editing} readOnly={readOnly} />
      <Notes editing={editing} selection={selection} onSelect={onSelect} />
      <MetaRow editing={editing} readOnly={readOnly} />
      <Tags editing={editing} readOnly={readOnly} />
      <Description
        value={editing.form.description}
        readOnly={readOnly}
        onChange={(description) => editing.change({ description })}
        onSave={save}
      />
      <RepeatCard editing={editing} readOnly={readOnly} />
      {base && <History event={base} />}
      {base && !readOnly && <DeleteRow editing={editing} event={base} onSelect={onSelect} />}
      <Suspense>
        {editing.conflict && <ConflictDialog editing={editing} />}
        {editing.isAskingMove && <MoveDialog editing={editing} />}
      </Suspense>
    </div>
  );
}

function getSelectionKey(selection: Selection): string {
  if (selection.kind === 'none') return '';
  return selection.kind === 'event'
    ? `event ${selection.id}`
    : `new ${selection.proposal.date} ${selection.proposal.name ?? ''}`;
}

/** An instance of the form. It stays while the selection is the event that it saved itself. */
interface FormInstance {
  readonly number: number;
  readonly selectionKey: string;
  readonly savedKey: string;
}

const nextInstance = (instance: FormInstance, selectionKey: string): FormInstance =>
  selectionKey === instance.savedKey
    ? { ...instance, selectionKey }
    : { number: instance.number + 1, selectionKey, savedKey: selectionKey };

/** The form of the selected event. */
export function Editor({ selection, today, onSelect }: CalendarViewProps) {
  const selectionKey = getSelectionKey(selection);
  const [instance, setInstance] = useState<FormInstance>({ number: 0, selectionKey, savedKey: selectionKey });
  if (instance.selectionKey !== selectionKey) setInstance(nextInstance(instance, selectionKey));
  if (selection.kind === 'none')
    return (
      <Placeholder text={SELECT_ONE}>
        <Button onClick={() => onSelect({ kind: 'new', proposal: { date: today } })}>New event</Button>
      </Placeholder>
    );
  return (
    <EventForm
      key={instance.number}
      selection={selection}
      today={today}
      onSelect={onSelect}
      onSaved={(next) => {
        setInstance((now) => ({ ...now, savedKey: getSelectionKey(next) }));
        onSelect(next);
      }}
    />
  );
}
