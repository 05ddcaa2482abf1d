import { Button, TextInput } from '@mantine/core';
import { IconNotes, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { addnote, deletenote, MAX_NOTE_LENGTH } from '../contract.ts';
import type { Note } from '../domain/note.ts';
import { useNotes } from './useNotes.ts';
import styles from './ExamplePage.module.css';

function NoteForm() {
  const [text, setText] = useState('');
  const add = useMutation({
    mutationFn: () => call(addnote, { text }),
    onSuccess: () => setText(''),
    onError: showError,
  });
  return (
    <Form className={styles['form']} isBusy={add.isPending} onSubmit={() => add.mutate()}>
      <TextInput
        className={styles['field'] ?? ''}
        aria-label="New note"
        placeholder="New note"
        autoComplete="off"
        dir="auto"
        maxLength={2 * MAX_NOTE_LENGTH}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" loading={add.isPending}>
        Add note
      </Button>
    </Form>
  );
}

function NoteRow({ note }: { readonly note: Note }) {
  const remove = useMutation({ mutationFn: () => call(deletenote, { id: note.id }), onError: showError });
  return (
    <li className={styles['row']}>
      <span className={styles['text']} dir="auto">
        {note.text}
      </span>
      <IconButton label={`Delete ${note.text}`} disabled={remove.isPending} onClick={() => remove.mutate()}>
        <IconTrash size={18} stroke={1.75} />
      </IconButton>
    </li>
  );
}

/** Page with short notes that all devices of the account share. */
export default function ExamplePage() {
  const { data: notes, error, refetch } = useNotes();
  return (
    <div className={styles['page']}>
      <PageHeader />
      <NoteForm />
      {error !== null && notes === undefined && (
        <p role="alert" className={styles['error']}>
          {error.message} <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
      {notes?.length === 0 && <EmptyState icon={IconNotes} text="Your notes appear here, on every device" />}
      {notes !== undefined && notes.length > 0 && (
        <ul className={styles['list']} aria-label="Notes">
          {notes.map((note) => (
            <NoteRow key={note.id} note={note} />
          ))}
        </ul>
      )}
    </div>
  );
}
