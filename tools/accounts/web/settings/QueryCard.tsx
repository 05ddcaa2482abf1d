import { IconReload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Card } from '#platform/web/ui/Card.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import account from './AccountPanel.module.css';
import styles from './QueryCard.module.css';

interface QueryCardProps {
  readonly title: string;
  /** The query that the card shows. */
  readonly query: {
    readonly data: unknown;
    readonly error: Error | null;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  readonly children: ReactNode;
}

/** A card with data of the server. It can be reloaded, and shows why loading failed. */
export function QueryCard({ title, query, children }: QueryCardProps) {
  const { data, error, isFetching, refetch } = query;
  const reload = () => void refetch();
  return (
    <Card
      title={title}
      aside={
        <IconButton
          label={`Reload ${title.toLowerCase()}`}
          size={28}
          className={styles['reload']}
          disabled={isFetching}
          onClick={reload}
        >
          <IconReload size={16} stroke={1.75} />
        </IconButton>
      }
      flush
    >
      {data === undefined && error !== null ? (
        <div className={account['line']}>
          <QueryError message={error.message} onRetry={refetch} />
        </div>
      ) : null}
      {children}
    </Card>
  );
}
