import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { changecomputername } from '#tools/devices/contract.ts';
import styles from './ChangeName.module.css';

interface ChangeNameProps {
  readonly id: string;
  readonly name: string;
  /** Key of the query that holds all names. */
  readonly computers: readonly string[];
  readonly onSaid: (text: string, isGood: boolean) => void;
  readonly onClose: () => void;
}

/** The overlay 'Change devicename'. A name that is not taken leaves it open, with what was typed. */
export function ChangeName({ id, name, computers, onSaid, onClose }: ChangeNameProps) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState(name);
  const change = useMutation({
    mutationFn: () => call(changecomputername, { type: 'changename', data: { id, name: typed } }),
    onSuccess: ({ computernames }) => {
      queries.setQueryData(computers, computernames);
      onSaid('Saved new name', true);
      onClose();
    },
    onError: (error) => onSaid(`Not saved - ${error.message}`, false),
  });
  const failure = change.isError ? `Not saved - ${change.error.message}` : undefined;
  return (
    <Dialog title="Change devicename" isOpen onClose={onClose} width={420} hasUnsaved={typed !== name}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!change.isPending) change.mutate();
        }}
      >
        <TextInput
          label={`New name of ${name}`}
          dir="auto"
          autoComplete="off"
          data-autofocus
          value={typed}
          error={failure}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div className={styles['buttons']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" loading={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
