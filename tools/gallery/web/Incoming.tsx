import { Button } from '@mantine/core';
import { IconAlertTriangle, IconPlayerRecordFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { useRecording, type GalleryActions, type OwnRecordings, type RecordableComputer } from './useGallery.ts';
import styles from './GalleryPage.module.css';

interface IncomingProps {
  readonly own: OwnRecordings;
  readonly computers: readonly RecordableComputer[];
  readonly acts: GalleryActions;
}

/** Screens that are being recorded. */
function Recordings({ own, computers }: Omit<IncomingProps, 'acts'>) {
  const { record, isPending } = useRecording();
  return own.recording.map(({ target, since }) => (
    <p key={target} className={`${styles['strip']} ${styles['running']}`} role="status">
      <IconPlayerRecordFilled size={16} />
      <span>
        The screen of <b dir="auto">{computers.find((one) => one.target === target)?.name ?? 'a computer'}</b> is being
        recorded since <span className="num">{formatClockTime(since * 1000)}</span>
      </span>
      <Button size="compact-md" disabled={isPending} onClick={() => record(target, 'stop')}>
        Stop recording
      </Button>
    </p>
  ));
}

function Told({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className={styles['told']}>
      <b className="ellipsis" dir="auto">
        {name}
      </b>
      <small>{children}</small>
    </span>
  );
}

/** What is on its way into the gallery, and what did not make it. */
export function Incoming({ own, computers, acts }: IncomingProps) {
  const { waiting, broken, hindrance, inbox } = own;
  return (
    <>
      {hindrance === '' ? null : (
        <p className={`${styles['strip']} ${styles['hindrance']}`} role="status">
          <IconAlertTriangle size={18} stroke={1.75} />
          <span>{hindrance}</span>
        </p>
      )}
      <Recordings own={own} computers={computers} />
      {waiting.length + broken.length === 0 ? null : (
        <section className={styles['incoming']} aria-label="On their way">
          <ul>
            {waiting.map(({ id, name, state }) => (
              <li key={`w${id}`}>
                <Told name={name}>{state}</Told>
              </li>
            ))}
            {broken.map(({ id, name, reason }) => (
              <li key={`b${id}`} data-broken>
                <Told name={name}>
                  {reason}
                  {inbox === '' ? null : '. It was moved to gallery/broken'}
                </Told>
                <ConfirmButton
                  size="compact-md"
                  confirmLabel="Confirm Delete"
                  aria-label={`Delete ${name}`}
                  onConfirm={() => acts.forgetBroken(id)}
                >
                  Delete
                </ConfirmButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
