import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Icon } from '../tool.ts';
import { EmptyState } from './EmptyState.tsx';
import styles from './QueryState.module.css';

interface QueryErrorProps {
  readonly message: ReactNode;
  readonly onRetry: () => unknown;
  /** Fills the place of a page or a list. Without an icon, the message is a line of text. */
  readonly icon?: Icon | undefined;
}

/** Why something could not be loaded, with a button that tries again. */
export function QueryError({ message, onRetry, icon }: QueryErrorProps) {
  if (icon)
    return (
      <EmptyState icon={icon} text={<span role="alert">{message}</span>}>
        <Button variant="primary" onClick={() => void onRetry()}>
          Try again
        </Button>
      </EmptyState>
    );
  return (
    <div className={styles['error']} role="alert">
      <span>{message}</span>
      <Button onClick={() => void onRetry()}>Try again</Button>
    </div>
  );
}

interface QueryStateProps {
  readonly query: { readonly data: unknown; readonly error: Error | null; readonly refetch: () => unknown };
  readonly icon?: Icon;
  /** Shown until the first answer. */
  readonly loading?: ReactNode;
}

/** Shown in place of a query's data until it is there: why it failed, or that it is loading. */
export function QueryState({ query, icon, loading = null }: QueryStateProps) {
  const { data, error, refetch } = query;
  if (data !== undefined) return null;
  return error ? <QueryError message={error.message} onRetry={refetch} icon={icon} /> : loading;
}
