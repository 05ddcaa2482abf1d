import { IconBell, IconBellOff, IconBellRinging } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { DeviceState, IconTile } from './DeviceState.tsx';
import { shortTime, useNow } from './shortTime.ts';
import type { NotifyingState } from './useNotifying.ts';
import styles from './DeviceRail.module.css';

/** A conversation, as shown in the rail. */
export interface RailRow {
  /** Target id of the wire, or 'visitors'. */
  readonly id: string;
  readonly name: string;
  readonly icon: Icon;
  /** Undefined for entries that are no device. */
  readonly state: string | undefined;
  /** The last message, with its time in milliseconds since the epoch. */
  readonly last: { readonly text: string; readonly when: number } | undefined;
  readonly unread: number;
}

interface RowProps {
  readonly row: RailRow;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

const MAX_UNREAD_COUNT = 99;

function Row({ row, isChosen, choose }: RowProps) {
  const now = useNow();
  const { name, icon, state, last, unread } = row;
  return (
    <button type="button" className={styles['row']} aria-current={isChosen || undefined} onClick={choose}>
      <IconTile icon={icon} />
      <span className={styles['details']}>
        <span className={styles['line']}>
          <b dir="auto">{name}</b>
          {last === undefined ? null : <time className="num">{shortTime(last.when, now)}</time>}
        </span>
        {state === undefined ? null : <DeviceState state={state} />}
        <span className={styles['line']}>
          <span className={styles['text']} dir="auto">
            {last?.text ?? ' '}
          </span>
          {unread === 0 ? null : (
            <span className={`${styles['unread']} num`}>
              <span className="unseen">unread </span>
              {unread > MAX_UNREAD_COUNT ? `${MAX_UNREAD_COUNT}+` : unread}
            </span>
          )}
        </span>
      </span>
    </button>
  );
}

const bellByState = {
  on: { label: 'Notifications are on in this browser', Icon: IconBellRinging },
  off: { label: 'Turn on notifications in this browser', Icon: IconBell },
  blocked: { label: 'Notifications are blocked. Allow them in the settings of this browser', Icon: IconBellOff },
} as const;

function Bell({ state, toggle }: { readonly state: NotifyingState; readonly toggle: () => Promise<void> }) {
  if (state === 'none') return null;
  if (state === 'insecure')
    return (
      <p className={styles['https']}>
        <HttpsHint>Notifications need https</HttpsHint>
      </p>
    );
  const { label, Icon } = bellByState[state];
  return (
    <button
      type="button"
      className={styles['bell']}
      aria-pressed={state === 'on'}
      disabled={state === 'blocked'}
      onClick={() => void toggle()}
    >
      <Icon size={17} stroke={1.75} />
      {label}
    </button>
  );
}

interface DeviceRailProps {
  readonly rows: readonly RailRow[];
  /** Disconnected browsers without any messages; shown behind a button. */
  readonly others: readonly RailRow[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  /** Shown below the rows. */
  readonly hint: ReactNode;
  readonly notifying: { readonly state: NotifyingState; readonly toggle: () => Promise<void> };
}

/** The devices with state, last message and unread count. */
export function DeviceRail({ rows, others, chosen, choose, empty, hint, notifying }: DeviceRailProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? [...rows, ...others] : rows;
  return (
    <aside className={styles['rail']} aria-label="Devices">
      <h2>Devices</h2>
      {shown.length === 0 ? empty : null}
      {shown.map((row) => (
        <Row key={row.id} row={row} isChosen={row.id === chosen} choose={() => choose(row.id)} />
      ))}
      {others.length === 0 ? null : (
        <button
          type="button"
          className={styles['more']}
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          {showsAll ? 'Show fewer' : `Show ${others.length} offline ${others.length === 1 ? 'browser' : 'browsers'}`}
        </button>
      )}
      {shown.length === 0 ? null : hint}
      <div className={styles['foot']}>
        <Bell {...notifying} />
      </div>
    </aside>
  );
}
