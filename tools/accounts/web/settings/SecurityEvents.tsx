import { Button } from '@mantine/core';
import {
  IconAppWindow,
  IconDeviceDesktop,
  IconHourglass,
  IconKey,
  IconLogin2,
  IconLogout,
  IconMail,
  IconShieldLock,
  IconShieldX,
  IconUserCheck,
  IconUserOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { SecurityEvent } from '#platform/contract/security.ts';
import { formatMoment } from '#platform/web/browser/formats.ts';
import type { securityevents } from '../../contract.ts';
import { QueryCard } from './QueryCard.tsx';
import { useEvents } from './useAccountOverview.ts';
import account from './AccountPanel.module.css';
import styles from './SecurityEvents.module.css';

const labelByEvent: Readonly<Record<SecurityEvent, string>> = {
  'login.failed': 'Wrong password',
  'login.throttled': 'Login blocked after too many wrong passwords',
  'login.new_browser': 'Login from a new browser',
  'secondfactor.failed': 'Right password, but a wrong second factor',
  'secondfactor.added': 'Second factor added',
  'secondfactor.removed': 'Second factor removed',
  'recoverycode.used': 'Recovery code used',
  'recoverycode.made': 'New recovery codes created',
  'session.revoked': 'Session ended',
  'signon.linked': 'Single sign-on linked',
  'signon.unlinked': 'Single sign-on unlinked',
  'account.suspended': 'Account suspended',
  'account.restored': 'Suspension lifted',
  'invitation.made': 'Invitation created',
  'invitation.revoked': 'Invitation revoked',
  'invitation.used': 'Signed up with an invitation',
  'device.paired': 'Computer paired',
  'apppassword.made': 'App password created',
  'apppassword.revoked': 'App password revoked',
  'apppassword.failed': 'Wrong app password',
  'origin.refused': 'Request from another site refused',
  'host.refused': 'Request with an unknown host name refused',
  'id.foreign': 'Request for data of another account refused',
  'proxy.untrusted': 'Forwarded headers of an untrusted proxy ignored',
};

interface EventDetails {
  readonly event: SecurityEvent;
  readonly device?: string | undefined;
  readonly username?: string | undefined;
}

/** Describes a security event. In the list of the server, an event without a username belongs to no account. */
export function describeSecurityEvent({ event, device, username }: EventDetails, scope: 'own' | 'server'): string {
  if (scope === 'server' && username === undefined && event === 'login.failed') return 'Login with an unknown username';
  return device === undefined ? labelByEvent[event] : `${labelByEvent[event]}: ${device}`;
}

/** Number of events without 'Show all'. */
const COLLAPSED_COUNT = 5;

const iconByEvent: Readonly<Partial<Record<SecurityEvent, TablerIcon>>> = {
  'login.failed': IconKey,
  'login.throttled': IconHourglass,
  'login.new_browser': IconLogin2,
  'secondfactor.failed': IconKey,
  'secondfactor.added': IconShieldLock,
  'secondfactor.removed': IconShieldLock,
  'recoverycode.used': IconShieldLock,
  'recoverycode.made': IconShieldLock,
  'session.revoked': IconLogout,
  'signon.linked': IconLogin2,
  'signon.unlinked': IconLogin2,
  'account.suspended': IconUserOff,
  'account.restored': IconUserCheck,
  'invitation.made': IconMail,
  'invitation.revoked': IconMail,
  'invitation.used': IconMail,
  'device.paired': IconDeviceDesktop,
  'apppassword.made': IconAppWindow,
  'apppassword.revoked': IconAppWindow,
  'apppassword.failed': IconKey,
};

type EventInfo = AnswerOf<typeof securityevents>['events'][number];

function EventLine({ event, scope }: { readonly event: EventInfo; readonly scope: SecurityEventListProps['scope'] }) {
  const { times, time, address, username } = event;
  const Icon = iconByEvent[event.event] ?? IconShieldX;
  return (
    <li className={account['line']}>
      <Icon size={18} stroke={1.75} />
      <span className={account['details']}>
        <span dir="auto">{describeSecurityEvent(event, scope)}</span>
        <small className="num">
          {username === undefined ? null : (
            <>
              <bdi>{username}</bdi>,{' '}
            </>
          )}
          {times > 1 ? `${times} times, last ` : ''}
          <time dateTime={time}>{formatMoment(time)}</time>
          {address === '' ? '' : `, ${address}`}
        </small>
      </span>
    </li>
  );
}

interface SecurityEventListProps {
  readonly scope: 'own' | 'server';
  readonly title: string;
  /** Text for an empty list. */
  readonly emptyText: string;
}

/** Lists security events, newest first: the last few, or all on request. */
export function SecurityEventList({ scope, title, emptyText }: SecurityEventListProps) {
  const query = useEvents(scope);
  const [showsAll, setShowsAll] = useState(false);
  const events = query.data?.events;
  return (
    <QueryCard title={title} query={query}>
      {events?.length === 0 ? <p className={styles['empty']}>{emptyText}</p> : null}
      <ul>
        {(showsAll ? events : events?.slice(0, COLLAPSED_COUNT))?.map((event) => (
          <EventLine key={event.id} event={event} scope={scope} />
        ))}
      </ul>
      {events !== undefined && events.length > COLLAPSED_COUNT ? (
        <div className={styles['more']}>
          <Button size="compact-md" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show all ${events.length} events`}
          </Button>
        </div>
      ) : null}
    </QueryCard>
  );
}
