import { Button } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconHourglass,
  IconKey,
  IconLogout,
  IconReload,
  IconShieldX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { SecurityEvent } from '#platform/contract/security.ts';
import { Card } from '#platform/web/ui/Card.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { moment } from '#platform/web/when.ts';
import type { securityevents } from '../../contract.ts';
import { eventWords } from './eventWords.ts';
import { useEvents } from './useSecurity.ts';
import account from './AccountPanel.module.css';
import styles from './Events.module.css';

/** So many stand there before one asks for all. */
const SHOWN = 5;

const icons: Readonly<Partial<Record<SecurityEvent, TablerIcon>>> = {
  'login.failed': IconKey,
  'login.throttled': IconHourglass,
  'session.revoked': IconLogout,
  'device.paired': IconDeviceDesktop,
};

type Event = AnswerOf<typeof securityevents>['events'][number];

function EventLine({ event, scope }: { readonly event: Event; readonly scope: EventsProps['scope'] }) {
  const { times, time, address, username } = event;
  const Icon = icons[event.event] ?? IconShieldX;
  return (
    <li className={account['line']}>
      <Icon size={18} stroke={1.75} />
      <span className={account['what']}>
        <span dir="auto">{eventWords(event, scope)}</span>
        <small className="num">
          {username === undefined ? null : (
            <>
              <bdi>{username}</bdi>,{' '}
            </>
          )}
          {times > 1 ? `${times} times, last ` : ''}
          <time dateTime={time}>{moment(time)}</time>
          {address === '' ? '' : `, ${address}`}
        </small>
      </span>
    </li>
  );
}

interface EventsProps {
  readonly scope: 'own' | 'server';
  readonly title: string;
  /** Says what will be here. */
  readonly empty: string;
}

/** What happened, newest first: the last few, and all where asked for. */
export function Events({ scope, title, empty }: EventsProps) {
  const { data, error, isFetching, refetch } = useEvents(scope);
  const [all, setAll] = useState(false);
  const events = data?.events;
  return (
    <Card
      title={title}
      aside={
        <IconButton
          label="Reload"
          size={28}
          className={styles['reload']}
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          <IconReload size={16} stroke={1.75} />
        </IconButton>
      }
      flush
    >
      {events === undefined && error !== null ? (
        <div className={account['line']}>
          <span className={account['what']}>{error.message}</span>
          <Button onClick={() => void refetch()}>Try again</Button>
        </div>
      ) : null}
      {events?.length === 0 ? <p className={styles['empty']}>{empty}</p> : null}
      <ul className={styles['list']}>
        {(all ? events : events?.slice(0, SHOWN))?.map((event) => (
          <EventLine key={event.id} event={event} scope={scope} />
        ))}
      </ul>
      {events !== undefined && events.length > SHOWN ? (
        <div className={styles['more']}>
          <Button size="compact-md" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${events.length}`}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}
