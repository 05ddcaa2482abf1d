import { Button } from '@mantine/core';
import { IconAlertTriangle, IconArchive } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { formatMoment, formatSize } from '#platform/web/browser/formats.ts';
import type { serverbackups } from '../../contract.ts';
import { QueryCard } from './QueryCard.tsx';
import { useBackups } from './useAccountOverview.ts';
import account from './AccountPanel.module.css';
import styles from './BackupsCard.module.css';

type BackupOverview = AnswerOf<typeof serverbackups>;
type BackupInfo = BackupOverview['backups'][number];
type BackupFailure = NonNullable<BackupOverview['failure']>;

const labelByReason: Readonly<Record<BackupInfo['reason'], string>> = {
  schedule: 'Scheduled',
  request: 'Made on request',
  upgrade: 'Before an upgrade',
};

/** Number of backups without 'Show all'. */
const COLLAPSED_COUNT = 3;

function BackupLine({ backup }: { readonly backup: BackupInfo }) {
  return (
    <li className={account['line']}>
      <IconArchive size={18} stroke={1.75} />
      <span className={account['details']}>
        <time dateTime={backup.created}>{formatMoment(backup.created)}</time>
        <small className="num">
          {labelByReason[backup.reason]}, {formatSize(backup.bytes)}
        </small>
      </span>
    </li>
  );
}

function FailureLine({ failure, children }: { readonly failure: BackupFailure; readonly children: ReactNode }) {
  return (
    <p className={styles['failure']} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} />
      <span>
        The backup of <time dateTime={failure.time}>{formatMoment(failure.time)}</time> {children}: {failure.message}
      </span>
    </p>
  );
}

/** Says where copies are, or that there are none. */
function CopyStatus({ copies }: { readonly copies: BackupOverview['copies'] }) {
  if (copies === undefined)
    return (
      <p className={styles['status']}>
        Backups are on the disk of this server only. Set BACKUP_COPY_TO to copy them to another place
      </p>
    );
  const { address, newest, failure } = copies;
  return (
    <>
      {failure === undefined ? null : <FailureLine failure={failure}>was not copied</FailureLine>}
      <p className={styles['status']}>
        {newest === undefined ? (
          `There is no copy in ${address} yet`
        ) : (
          <>
            Copied to {address} <time dateTime={newest}>{formatMoment(newest)}</time>
          </>
        )}
      </p>
    </>
  );
}

/** Says what is being done, what failed, and when the next backup is made. */
function BackupStatus({ overview }: { readonly overview: BackupOverview }) {
  const { backups, isRunning, next, failure, copies } = overview;
  if (isRunning) return <p className={styles['status']}>A backup is being made or copied</p>;
  return (
    <>
      {failure === undefined ? null : <FailureLine failure={failure}>failed</FailureLine>}
      <p className={styles['status']}>
        {backups.length === 0 ? 'There is no backup yet. ' : ''}
        {next === undefined ? (
          'No backups are scheduled, because BACKUP_EVERY is off'
        ) : (
          <>
            The next one is made <time dateTime={next}>{formatMoment(next)}</time>
          </>
        )}
      </p>
      <CopyStatus copies={copies} />
    </>
  );
}

/** Backups of the server, for its owner. */
export function BackupsCard() {
  const { query, make } = useBackups();
  const [showsAll, setShowsAll] = useState(false);
  const overview = query.data;
  if (overview === undefined)
    return (
      <QueryCard title="Backups" query={query}>
        {null}
      </QueryCard>
    );
  const { backups, isRunning } = overview;
  return (
    <QueryCard title="Backups" query={query}>
      <BackupStatus overview={overview} />
      <ul>
        {(showsAll ? backups : backups.slice(0, COLLAPSED_COUNT)).map((backup) => (
          <BackupLine key={backup.id} backup={backup} />
        ))}
      </ul>
      <div className={styles['actions']}>
        <Button loading={make.isPending || isRunning} onClick={() => make.mutate()}>
          Back up now
        </Button>
        {backups.length > COLLAPSED_COUNT ? (
          <Button variant="subtle" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show all ${backups.length} backups`}
          </Button>
        ) : null}
      </div>
    </QueryCard>
  );
}
