import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { formatMoment, formatSize } from '#platform/web/browser/formats.ts';
import type { serverstate } from '../../contract.ts';
import { ReadCard } from './QueryCard.tsx';
import { Events } from './SecurityEvents.tsx';
import { useServerState } from './useAccount.ts';
import account from './AccountPanel.module.css';
import styles from './ServerPanel.module.css';

type State = AnswerOf<typeof serverstate>;

const databases: Readonly<Record<State['database']['kind'], string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={styles['fact']}>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0)
    return (
      <p className={styles['good']}>
        <IconCircleCheck size={18} stroke={1.75} />
        Nothing needs your attention
      </p>
    );
  return (
    <ul className={styles['warnings']}>
      {warnings.map((warning) => (
        <li key={warning}>
          <IconAlertTriangle size={18} stroke={1.75} />
          {warning}
        </li>
      ))}
    </ul>
  );
}

function Facts({ state }: { readonly state: State }) {
  const { version, started, database, freeBytes, devices, sockets } = state;
  return (
    <dl className={styles['facts']}>
      <Fact name="Version">{version}</Fact>
      <Fact name="Running since">
        <time dateTime={started}>{formatMoment(started)}</time>
      </Fact>
      <Fact name="Database">
        {databases[database.kind]}, {formatSize(database.bytes)}
      </Fact>
      <Fact name="Free disk space">{formatSize(freeBytes)}</Fact>
      <Fact name="Connected computers">{devices}</Fact>
      <Fact name="Connections, including pages">{sockets}</Fact>
    </dl>
  );
}

/** State and security events of the server, for its owner. */
export default function ServerPanel() {
  const read = useServerState();
  const state = read.data;
  return (
    <div className={account['panel']}>
      <ReadCard title="Server" read={read}>
        {state === undefined ? null : (
          <>
            <Warnings warnings={state.warnings} />
            <Facts state={state} />
          </>
        )}
      </ReadCard>
      <Events
        scope="server"
        title="Server security"
        empty="Security events of all accounts and of the server appear here"
      />
    </div>
  );
}
