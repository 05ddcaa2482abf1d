import { Button, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconDeviceDesktop, IconPencil } from '@tabler/icons-react';
import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { deviceChanged } from '#platform/contract/device.ts';
import { call } from '#platform/web/app/call.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { formatDate } from '#platform/web/browser/formats.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { devicedetails, type DeviceDetails, getcomputernames, changecomputername } from '#tools/devices/contract.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import styles from './DevicesView.module.css';

interface ChangeNameDialogProps {
  readonly id: string;
  readonly name: string;
  /** Query key of all names. */
  readonly queryKey: readonly string[];
  readonly onResult: (text: string, isSuccess: boolean) => void;
  readonly onClose: () => void;
}

/** Overlay 'Change devicename'. A refused name keeps it open with the input. */
export function ChangeNameDialog({ id, name, queryKey, onResult, onClose }: ChangeNameDialogProps) {
  const queryClient = useQueryClient();
  const [newName, setNewName] = useState(name);
  const change = useMutation({
    mutationFn: () => call(changecomputername, { type: 'changename', data: { id, name: newName } }),
    onSuccess: ({ computernames }) => {
      queryClient.setQueryData(queryKey, computernames);
      onResult('Saved new name', true);
      onClose();
    },
    onError: (error) => onResult(`Not saved - ${error.message}`, false),
  });
  const failure = change.isError ? `Not saved - ${change.error.message}` : undefined;
  return (
    <Dialog title="Change devicename" isOpen onClose={onClose} width={420} hasUnsaved={newName !== name}>
      <Form isBusy={change.isPending} onSubmit={() => change.mutate()}>
        <TextInput
          label={`New name for ${name}`}
          dir="auto"
          autoComplete="off"
          data-autofocus
          value={newName}
          error={failure}
          onChange={(event) => setNewName(event.currentTarget.value)}
        />
        <div className={styles['buttons']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" loading={change.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

const COMPUTERS_KEY = [SCREEN_TIME, 'computers'] as const;
const DETAILS_KEY = ['devicedetails'] as const;

/** Loads the computers by name, with details if available. */
function useComputers() {
  const queryClient = useQueryClient();
  const names = useQuery({
    queryKey: COMPUTERS_KEY,
    queryFn: async () => (await call(getcomputernames, {})).computernames,
  });
  const details = useQuery({ queryKey: DETAILS_KEY, queryFn: async () => (await call(devicedetails, {})).devices });
  function reload(): void {
    for (const queryKey of [COMPUTERS_KEY, DETAILS_KEY]) void queryClient.invalidateQueries({ queryKey });
  }
  useRealtimeEvent(deviceChanged, reload);
  useConnectionStateChange(reload);
  return { names, details: details.data };
}

function formatLastSeen({ state, paired, lastSeen }: DeviceDetails): string {
  if (state === 'Connected') return `tracked since ${formatDate(paired)}`;
  return lastSeen === undefined ? `paired ${formatDate(paired)}` : `last seen ${formatDate(lastSeen)}`;
}

interface ComputerRowProps {
  readonly name: string;
  readonly details: DeviceDetails | undefined;
  readonly onEdit: () => void;
}

function ComputerRow({ name, details, onEdit }: ComputerRowProps) {
  return (
    <li>
      <span className={styles['icon']}>
        <IconDeviceDesktop size={20} stroke={1.75} />
      </span>
      <span className={styles['details']}>
        <b dir="auto">{name}</b>
        <small>{details?.state}</small>
      </span>
      {details ? <span className={`${styles['lastSeen']} num`}>{formatLastSeen(details)}</span> : null}
      <Button
        leftSection={<IconPencil size={15} stroke={1.75} />}
        aria-label={`Edit ${name}`}
        data-computer={name}
        onClick={onEdit}
      >
        Edit
      </Button>
    </li>
  );
}

/** Computers, each with a button to rename it. */
export function DevicesView() {
  const navigateTo = useNavigateTo();
  const { names, details } = useComputers();
  const [editedId, setEditedId] = useState<string>();
  const [message, setMessage] = useState<{ readonly text: string; readonly isSuccess: boolean }>();
  const pageRef = useRef<HTMLDivElement>(null);
  if (names.isError && !names.data)
    return (
      <div className={styles['page']}>
        <QueryError icon={IconDeviceDesktop} message="Failed to get devices" onRetry={names.refetch} />
      </div>
    );
  if (!names.data) return null;
  const computers = Object.entries(names.data);
  if (computers.length === 0)
    return (
      <div className={styles['page']}>
        <EmptyState icon={IconDeviceDesktop} text="Your paired computers appear here, and you can rename them">
          <Button variant="primary" onClick={() => navigateTo('/dashboard/settings/pair')}>
            Pair your computer
          </Button>
        </EmptyState>
      </div>
    );
  const name = editedId === undefined ? undefined : names.data[editedId];
  return (
    <div ref={pageRef} className={styles['page']}>
      <ul className={`${styles['list']} surface`} aria-label="Computers">
        {computers.map(([id, computerName]) => (
          <ComputerRow
            key={id}
            name={computerName}
            details={details?.find((device) => String(device.id) === id)}
            onEdit={() => setEditedId(id)}
          />
        ))}
      </ul>
      <p className={styles['message']} role="status" data-good={message?.isSuccess || undefined}>
        {message ? (
          <>
            {message.isSuccess ? <IconCheck size={15} stroke={2} /> : <IconAlertTriangle size={15} stroke={1.75} />}
            {message.text}
          </>
        ) : null}
      </p>
      {editedId !== undefined && name !== undefined ? (
        <ChangeNameDialog
          id={editedId}
          name={name}
          queryKey={COMPUTERS_KEY}
          onResult={(text, isSuccess) => setMessage({ text, isSuccess })}
          onClose={() => setEditedId(undefined)}
        />
      ) : null}
    </div>
  );
}
