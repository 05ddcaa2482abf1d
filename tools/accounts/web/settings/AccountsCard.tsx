import { Button } from '@mantine/core';
import { IconUser, IconUserOff } from '@tabler/icons-react';
import { useState } from 'react';
import { formatDate, formatMoment, formatSize } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { QueryCard } from './QueryCard.tsx';
import { useServerAccounts, type AccountInfo } from './useAccess.ts';
import account from './AccountPanel.module.css';
import backups from './BackupsCard.module.css';

/** Number of accounts without 'Show all'. */
const COLLAPSED_COUNT = 8;

function describeAccount({ created, lastSeen, hasSecondFactor, storedBytes, suspended }: AccountInfo): string {
  const facts = [
    `created ${formatDate(created)}`,
    lastSeen === undefined ? 'not logged in' : `last seen ${formatMoment(lastSeen)}`,
    hasSecondFactor ? 'second factor on' : 'no second factor',
  ];
  return [
    ...(suspended === undefined ? facts : [`suspended since ${formatDate(suspended)}`]),
    ...(storedBytes === 0 ? [] : [`${formatSize(storedBytes)} stored`]),
  ].join(', ');
}

interface AccountLineProps {
  readonly info: AccountInfo;
  readonly onSuspend: (isSuspended: boolean) => void;
}

function AccountLine({ info, onSuspend }: AccountLineProps) {
  const { username, isOwner, suspended } = info;
  const Icon = suspended === undefined ? IconUser : IconUserOff;
  return (
    <li className={account['line']}>
      <Icon size={18} stroke={1.75} />
      <span className={account['details']}>
        <bdi>{username}</bdi>
        <small className="num">{describeAccount(info)}</small>
      </span>
      {isOwner ? <Badge tone="accent">owner</Badge> : null}
      {isOwner || suspended !== undefined ? null : (
        <ConfirmButton
          size="compact-md"
          confirmLabel="Confirm Suspend"
          aria-label={`Suspend ${username}`}
          onConfirm={() => onSuspend(true)}
        >
          Suspend
        </ConfirmButton>
      )}
      {suspended === undefined ? null : (
        <Button size="compact-md" aria-label={`Lift suspension of ${username}`} onClick={() => onSuspend(false)}>
          Lift suspension
        </Button>
      )}
    </li>
  );
}

/** Accounts of the server, for its owner. */
export function AccountsCard() {
  const { query, suspend } = useServerAccounts();
  const [showsAll, setShowsAll] = useState(false);
  const accounts = query.data?.accounts ?? [];
  return (
    <QueryCard title="Accounts" query={query}>
      {query.data === undefined ? null : (
        <>
          <p className={backups['status']}>
            A suspended account can&apos;t log in, its computers, apps and links are refused, and what it has published
            is hidden. It loses nothing
          </p>
          <ul>
            {(showsAll ? accounts : accounts.slice(0, COLLAPSED_COUNT)).map((info) => (
              <AccountLine
                key={info.id}
                info={info}
                onSuspend={(suspended) => suspend.mutate({ id: info.id, suspended })}
              />
            ))}
          </ul>
        </>
      )}
      {accounts.length > COLLAPSED_COUNT ? (
        <div className={backups['actions']}>
          <Button variant="subtle" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show all ${accounts.length} accounts`}
          </Button>
        </div>
      ) : null}
    </QueryCard>
  );
}
