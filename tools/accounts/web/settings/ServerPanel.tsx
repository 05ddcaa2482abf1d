import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { formatMoment, formatSize } from '#platform/web/browser/formats.ts';
import { Card } from '#platform/web/ui/Card.tsx';
import type { serverstate } from '../../contract.ts';
import { AccountsCard } from './AccountsCard.tsx';
import { BackupsCard } from './BackupsCard.tsx';
import { QueryCard } from './QueryCard.tsx';
import { SecurityEventList } from './SecurityEvents.tsx';
import { SignupCard } from './SignupCard.tsx';
import { useServerState } from './useAccountOverview.ts';
import account from './AccountPanel.module.css';
import styles from './ServerPanel.module.css';

type ServerState = AnswerOf<typeof serverstate>;

const databaseNames: Readonly<Record<ServerState['database']['kind'], string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
};

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

function Facts({ state }: { readonly state: ServerState }) {
  const { version, started, database, freeBytes, devices, sockets } = state;
  return (
    <dl>
      <Fact name="Version">{version}</Fact>
      <Fact name="Running since">
        <time dateTime={started}>{formatMoment(started)}</time>
      </Fact>
      <Fact name="Database">
        {databaseNames[database.kind]}, {formatSize(database.bytes)}
      </Fact>
      <Fact name="Free disk space">{formatSize(freeBytes)}</Fact>
      <Fact name="Connected computers">{devices}</Fact>
      <Fact name="Connections, including pages">{sockets}</Fact>
    </dl>
  );
}

const labelByRole: Readonly<Record<ServerState['instances'][number]['role'], string>> = {
  all: 'Requests and background work',
  web: 'Only requests',
  worker: 'Only background work',
};

/** Processes that run this server. One alone is not worth a list. */
function Instances({ instances }: Pick<ServerState, 'instances'>) {
  if (instances.length < 2) return null;
  return (
    <Card title="Instances" flush>
      <ul>
        {instances.map(({ name, version, role, started, isLeader, isReady }) => (
          <li key={name + started} className={account['line']}>
            {isReady ? (
              <IconCircleCheck size={18} stroke={1.75} className={styles['ready']} />
            ) : (
              <IconAlertTriangle size={18} stroke={1.75} className={styles['unready']} />
            )}
            <span className={account['details']}>
              <span>
                {name}
                {isReady ? '' : ' is not ready'}
              </span>
              <small>
                {labelByRole[role]}
                {isLeader ? ', runs the schedules' : ''}
              </small>
              <small className="num">
                Version {version}, running since <time dateTime={started}>{formatMoment(started)}</time>
              </small>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** State, accounts, backups and security events of the server, for its owner. */
export default function ServerPanel() {
  const query = useServerState();
  const state = query.data;
  return (
    <div className={account['panel']}>
      <div className={account['column']}>
        <QueryCard title="Server" query={query}>
          {state === undefined ? null : (
            <>
              <Warnings warnings={state.warnings} />
              <Facts state={state} />
            </>
          )}
        </QueryCard>
        {state === undefined ? null : <Instances instances={state.instances} />}
        <AccountsCard />
        <SecurityEventList
          scope="server"
          title="Server security"
          emptyText="Security events of all accounts and of the server appear here"
        />
      </div>
      <div className={account['column']}>
        <SignupCard />
        <BackupsCard />
      </div>
    </div>
  );
}
