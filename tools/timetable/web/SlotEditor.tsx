import { Button, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconCopy, IconTrash, IconPlus, IconTableColumn } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { notices } from '#platform/web/app/notices.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { checkSlot } from '../domain/checkSlot.ts';
import { getTitle, type Slot, nextStatus } from '../domain/slot.ts';
import { formatShortDate, getWeekday } from '../domain/week.ts';
import { clip } from './clip.ts';
import { Colours, Description, StatusField, TimeField } from './EditorFields.tsx';
import { fromHex, type PlannedSlot, type SentSlot } from './planned.ts';
import { toFields, getDraftKey, newFields, useDraft, type EditorTarget, type Fields } from './slotDrafts.ts';
import { alertFailure } from './undo.ts';
import type { Changes } from './weekChanges.ts';
import styles from './SlotEditor.module.css';

/** Returns the request of the editor: for an existing slot only edited fields, so that changes of others remain. */
const sentFields = (fields: Fields, edits: Partial<Fields>, isNew: boolean): SentSlot => {
  const has = (field: keyof Fields): boolean => isNew || edits[field] !== undefined;
  const timed = has('start') || has('end');
  return {
    name: fields.name,
    ...(timed ? { start: fields.start, end: fields.end } : {}),
    ...(has('description') ? { description: fields.description } : {}),
    ...(has('colour') ? { colour: [...fromHex(fields.colour)] } : {}),
    ...(has('status') ? { state: fields.status } : {}),
  };
};

/** Message below the fields for a failed save. The platform handles ended sessions. */
const getErrorMessage = (error: Error | null): string | undefined =>
  error === null || error instanceof InvalidTokenRefusal ? undefined : error.message;

/** Returns the slot that the fields describe, or the problem with them. */
const parseSlot = (fields: Fields): Slot | string => checkSlot(sentFields(fields, {}, true));

export interface EditorProps {
  readonly editing: EditorTarget;
  /** The current slot; undefined for a new one, for one that was deleted elsewhere, and while it is being loaded. */
  readonly slot: PlannedSlot | undefined;
  readonly isGone: boolean;
  /** In order. */
  readonly statuses: readonly string[];
  readonly changes: Changes;
  /** If above 0, the first field gets the focus initially, and again when the number grows. */
  readonly focus: number;
  /** Gets the target to close, as another one may be open by then. */
  readonly onClose: (closed: EditorTarget) => void;
}

const useEditor = ({ editing, slot, isGone, changes, onClose }: EditorProps) => {
  const { edits, type, drop } = useDraft(getDraftKey(editing));
  // A slot that was deleted elsewhere stays in the editor.
  const [last, setLast] = useState(slot);
  if (slot && slot !== last) setLast(slot);
  const currentSlot = slot ?? last;
  const base = currentSlot ? toFields(currentSlot) : newFields(editing.kind === 'new' ? editing.span : undefined);
  const fields: Fields = { ...base, ...edits };
  const day = currentSlot?.day ?? (editing.kind === 'new' ? editing.day : 0);
  const save = useMutation<Partial<Fields>>({
    mutationFn: async () => {
      const checked = parseSlot(fields);
      if (typeof checked === 'string') throw new Refusal('timetable.invalid_slot', checked);
      const id = isGone ? 0 : (currentSlot?.id ?? 0);
      const sent = sentFields(fields, edits, id === 0);
      await changes.save({ day, data: { [id === 0 ? 'new0' : String(id)]: { ...sent, updatedid: id } } });
      return edits;
    },
    onSuccess: (typed) => {
      drop(typed);
      onClose(editing);
    },
    onError: alertFailure,
  });
  const cancel = (): void => {
    drop();
    onClose(editing);
  };
  return { fields, day, type, cancel, save, isTouched: Object.keys(edits).length > 0 };
};

interface ButtonsProps {
  readonly isSaving: boolean;
  readonly onCancel: () => void;
  readonly onCopy: () => void;
  /** Undefined for new slots. */
  readonly onDelete: (() => void) | undefined;
}

function Buttons({ isSaving, onCancel, onCopy, onDelete }: ButtonsProps) {
  return (
    <>
      <div className={styles['buttons']}>
        <Button type="submit" variant="primary" loading={isSaving}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
      <div className={styles['quiet']}>
        <Button variant="subtle" leftSection={<IconCopy size={16} stroke={1.75} />} onClick={onCopy}>
          Copy
        </Button>
        {onDelete ? (
          <Button
            variant="subtle"
            className={styles['delete'] ?? ''}
            leftSection={<IconTrash size={16} stroke={1.75} />}
            onClick={onDelete}
          >
            Delete
          </Button>
        ) : null}
      </div>
    </>
  );
}

const copyFields = (fields: Fields): void => {
  const copied = parseSlot(fields);
  if (typeof copied === 'string') notices.add('bad', copied);
  else void clip.copySlot(copied, getTitle(copied));
};

/** The fields of a slot. Unsaved input is stored as a draft and outlives the editor. */
export function Editor(props: EditorProps) {
  const { slot, isGone, statuses, changes, focus } = props;
  const { fields, day, type, cancel, save, isTouched } = useEditor(props);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus > 0) first.current?.focus();
  }, [focus]);
  const why = getErrorMessage(save.error);
  const onDelete = (): void => {
    cancel();
    if (slot) changes.remove(slot);
  };
  return (
    <form
      className={styles['editor']}
      aria-label="Slot"
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <p className={styles['day']}>
        {getWeekday(day)} {formatShortDate(day)}
        {isTouched ? <span>Not saved yet</span> : null}
      </p>
      {isGone ? (
        <p className={styles['deletedNotice']} role="status">
          This slot was deleted elsewhere. Save to create it again
        </p>
      ) : null}
      <TextInput
        ref={first}
        label="Name"
        data-autofocus={focus > 0 || undefined}
        dir="auto"
        autoComplete="off"
        value={fields.name}
        onChange={(event) => type({ name: event.currentTarget.value })}
      />
      <div className={styles['times']}>
        <TimeField label="Start time" value={fields.start} onType={(start) => type({ start })} />
        <TimeField isEnd label="End time" value={fields.end} onType={(end) => type({ end })} />
      </div>
      <StatusField status={fields.status} onPress={() => type({ status: nextStatus(fields.status, statuses) })} />
      <Description value={fields.description} onType={(description) => type({ description })} />
      <Colours value={fields.colour} onPick={(colour) => type({ colour })} />
      {why === undefined ? null : (
        <p className={styles['problem']} role="alert">
          {why}
        </p>
      )}
      <Buttons
        isSaving={save.isPending}
        onCancel={cancel}
        onCopy={() => copyFields(fields)}
        onDelete={slot ? onDelete : undefined}
      />
    </form>
  );
}

/** Shown in place of the closed editor. */
function Hint({ add }: { readonly add: () => void }) {
  return (
    <div className={styles['hint']}>
      <IconTableColumn size={26} stroke={1.5} />
      <p>Choose a slot to edit it, or drag on a day to create one</p>
      <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={add}>
        New slot
      </Button>
      <dl>
        <dt>Arrows</dt>
        <dd>move</dd>
        <dt>Shift arrows</dt>
        <dd>resize</dd>
        <dt>S</dt>
        <dd>next status</dd>
        <dt>C, V</dt>
        <dd>copy, paste</dd>
        <dt>Enter</dt>
        <dd>open</dd>
        <dt>Delete</dt>
        <dd>remove</dd>
      </dl>
    </div>
  );
}

interface EditorPaneProps extends Omit<EditorProps, 'editing'> {
  readonly editing: EditorProps['editing'] | undefined;
  readonly add: () => void;
}

/** The editor: on the right if there is room, otherwise as a sheet. */
export function EditorPane({ editing, add, ...props }: EditorPaneProps) {
  const hasRoom = useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? true;
  const editor = editing ? <Editor key={getDraftKey(editing)} editing={editing} {...props} /> : null;
  if (hasRoom)
    return (
      <aside className={styles['pane']} aria-label="Slot">
        {editor ?? <Hint add={add} />}
      </aside>
    );
  const title = editing?.kind === 'new' ? 'New slot' : 'Slot';
  return (
    <Dialog title={title} isOpen={editing !== undefined} onClose={() => editing && props.onClose(editing)} width={400}>
      {editor}
    </Dialog>
  );
}
