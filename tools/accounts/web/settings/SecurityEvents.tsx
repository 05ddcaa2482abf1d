import { Button } from '@mantine/core';
import {
  IconAppWindow,
  IconDeviceDesktop,
  IconHourglass,
  IconKey,
  IconLogout,
  IconShieldX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { SecurityEvent } from '#platform/contract/security.ts';
import { formatMoment } from '#platform/web/browser/formats.ts';
import type { securityevents } from '../../contract.ts';
import { ReadCard } from './QueryCard.tsx';
import { useEvents } from './useAccount.ts';
import account from './AccountPanel.module.css';
import styles from './SecurityEvents.module.css';

const words: Readonly<Record<SecurityEvent, string>> = {
  'login.failed': 'Wrong password',
  'login.throttled': 'Login blocked after too many wrong passwords',
  'session.revoked': 'Session ended',
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
export function eventWords({ event, device, username }: EventDetails, scope: 'own' | 'server'): string {
  if (scope === 'server' && username === undefined && event === 'login.failed') return 'Login with an unknown username';
  return device === undefined ? words[event] : `${words[event]}: ${device}`;
}

/** Number of events that are shown before 'Show all'. */
const COLLAPSED_COUNT = 5;

const icons: Readonly<Partial<Record<SecurityEvent, TablerIcon>>> = {
  'login.failed': IconKey,
  'login.throttled': IconHourglass,
  'session.revoked': IconLogout,
  'device.paired': IconDeviceDesktop,
  'apppassword.made': IconAppWindow,
  'apppassword.revoked': IconAppWindow,
  'apppassword.failed': IconKey,
};

type Event = AnswerOf<typeof securityevents>['events'][number];

function EventLine({ event, scope }: { readonly event: Event; readonly scope: EventsProps['scope'] }) {
  const { times, time, address, username } = event;
  const Icon = icons[event.event] ?? IconShieldX;
  return (
    <li className={account['line']}>
      <Icon size={18} stroke={1.75} />
      <span className={account['details']}>
        <span dir="auto">{eventWords(event, scope)}</span>
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

interface EventsProps {
  readonly scope: 'own' | 'server';
  readonly title: string;
  /** Text for an empty list. */
  readonly empty: string;
}

/** Lists security events, newest first: the last few, or all on request. */
export function Events({ scope, title, empty }: EventsProps) {
  const read = useEvents(scope);
  const [all, setAll] = useState(false);
  const events = read.data?.events;
  return (
    <ReadCard title={title} read={read}>
      {events?.length === 0 ? <p className={styles['empty']}>{empty}</p> : null}
      <ul className={styles['list']}>
        {(all ? events : events?.slice(0, COLLAPSED_COUNT))?.map((event) => (
          <EventLine key={event.id} event={event} scope={scope} />
        ))}
      </ul>
      {events !== undefined && events.length > COLLAPSED_COUNT ? (
        <div className={styles['more']}>
          <Button size="compact-md" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${events.length}`}
          </Button>
        </div>
      ) : null}
    </ReadCard>
  );
}
