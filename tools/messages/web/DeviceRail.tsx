import { IconBell, IconBellOff, IconBellRinging } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type { NotificationState } from '#platform/web/browser/useNotificationSetting.ts';
import { useNow } from '#platform/web/browser/useNow.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { DeviceState, IconTile } from './DeviceState.tsx';
import { formatShortTime } from './shortTime.ts';
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
  readonly lastMessage: { readonly text: string; readonly timeMs: number } | undefined;
  readonly unread: number;
}

interface RowProps {
  readonly row: RailRow;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

const MAX_UNREAD_COUNT = 99;

function Row({ row, isSelected, onSelect }: RowProps) {
  const now = useNow(MINUTE_MS);
  const { name, icon, state, lastMessage, unread } = row;
  return (
    <button type="button" className={styles['row']} aria-current={isSelected || undefined} onClick={onSelect}>
      <IconTile icon={icon} />
      <span className={styles['details']}>
        <span className={styles['line']}>
          <b className="ellipsis" dir="auto">
            {name}
          </b>
          {lastMessage === undefined ? null : <time className="num">{formatShortTime(lastMessage.timeMs, now)}</time>}
        </span>
        {state === undefined ? null : <DeviceState state={state} />}
        <span className={styles['line']}>
          <span className={`${styles['text']} ellipsis`} dir="auto">
            {lastMessage?.text ?? ' '}
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

const toggleByState = {
  on: { label: 'Notifications are on in this browser', Icon: IconBellRinging },
  off: { label: 'Turn on notifications in this browser', Icon: IconBell },
  blocked: { label: 'Notifications are blocked. Allow them in the settings of this browser', Icon: IconBellOff },
} as const;

function NotificationToggle({
  state,
  toggle,
}: {
  readonly state: NotificationState;
  readonly toggle: () => Promise<void>;
}) {
  if (state === 'unsupported') return null;
  if (state === 'insecure')
    return (
      <p className={styles['https']}>
        <HttpsHint>Notifications need https</HttpsHint>
      </p>
    );
  const { label, Icon } = toggleByState[state];
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
  /** Disconnected browsers without messages, which a button reveals. */
  readonly hiddenRows: readonly RailRow[];
  readonly selectedId: string | undefined;
  readonly onSelect: (id: string) => void;
  /** Shown if there are no rows. */
  readonly emptyState: ReactNode;
  /** Shown below the rows. */
  readonly hint: ReactNode;
  readonly notifications: { readonly state: NotificationState; readonly toggle: () => Promise<void> };
}

/** The devices with state, last message and unread count. */
export function DeviceRail(props: DeviceRailProps) {
  const { rows, hiddenRows, selectedId, onSelect, emptyState, hint, notifications } = props;
  const [showsAll, setShowsAll] = useState(false);
  const visibleRows = showsAll ? [...rows, ...hiddenRows] : rows;
  return (
    <aside className={styles['rail']} aria-label="Devices">
      <h2>Devices</h2>
      {visibleRows.length === 0 ? emptyState : null}
      {visibleRows.map((row) => (
        <Row key={row.id} row={row} isSelected={row.id === selectedId} onSelect={() => onSelect(row.id)} />
      ))}
      {hiddenRows.length === 0 ? null : (
        <button
          type="button"
          className={styles['more']}
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          {showsAll
            ? 'Show fewer'
            : `Show ${hiddenRows.length} offline ${hiddenRows.length === 1 ? 'browser' : 'browsers'}`}
        </button>
      )}
      {visibleRows.length === 0 ? null : hint}
      <div className={styles['foot']}>
        <NotificationToggle {...notifications} />
      </div>
    </aside>
  );
}
