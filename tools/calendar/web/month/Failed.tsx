import { Button } from '@mantine/core';
import type { useDays } from './useDays.ts';
import styles from './Failed.module.css';

/** Why there are no events to show, where there are none; the days stand all the same. */
export function Failed({ query }: { readonly query: ReturnType<typeof useDays> }) {
  const { data, isError, error, refetch } = query;
  if (!isError || data !== undefined) return null;
  return (
    <p className={styles['failed']} role="alert">
      {error.message}{' '}
      <Button size="xs" onClick={() => void refetch()}>
        Try again
      </Button>
    </p>
  );
}
