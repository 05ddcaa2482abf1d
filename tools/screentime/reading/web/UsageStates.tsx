import { Button } from '@mantine/core';
import { IconDeviceDesktopAnalytics } from '@tabler/icons-react';
import { CallError } from '#platform/contract/client.ts';
import { useDelayed } from '#platform/web/app/lazyPart.ts';
import { PageButton } from '#platform/web/page/PageLink.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { useRetry, type FailedApplication } from './useUsage.ts';
import styles from './ScreenTimeView.module.css';

const GHOST_LANES = [0, 1, 2, 3, 4];

/** Placeholder with the text of the specification. */
export function Loading() {
  if (!useDelayed(true)) return null;
  return (
    <div className={styles['loading']}>
      <p role="status">loading - if takes more than a few seconds, likely server error</p>
      {GHOST_LANES.map((lane) => (
        <span key={lane} className={styles['ghost']} />
      ))}
    </div>
  );
}

const getMessage = (error: Error): string =>
  error instanceof CallError && error.status === 0 ? 'Server error' : error.message;

/** Shows the error as the only application (docs/specification/screentime.md section 5). */
export function LoadError({ error }: { readonly error: Error }) {
  const retry = useRetry();
  return (
    <div className={styles['failed']}>
      <ul className={styles['entry']} data-bad aria-label="Apps">
        <li>
          <span role="alert">{getMessage(error)}</span>
        </li>
      </ul>
      <Button onClick={retry}>Try again</Button>
    </div>
  );
}

/** Lists selected applications that failed to load. Visible beside the days. */
export function FailedApplications({ failed }: { readonly failed: readonly FailedApplication[] }) {
  const retry = useRetry();
  const [first] = failed;
  if (!first) return null;
  const otherCount = new Set(failed.map(({ name }) => name)).size - 1;
  return (
    <div className={styles['missing']}>
      <p role="alert">
        <b className="ellipsis" dir="auto">
          {first.name}
        </b>{' '}
        <span>
          {otherCount > 0 ? `and ${otherCount} more ` : null}could not be loaded: {getMessage(first.error)}
        </span>
      </p>
      <Button size="xs" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}

/** Shown until a computer reports usage. */
export function NoUsage() {
  return (
    <div className={styles['empty']}>
      <EmptyState
        icon={IconDeviceDesktopAnalytics}
        text="No usage recorded yet. Pair a computer and usage appears within a minute"
      >
        <PageButton to="/dashboard/settings/pair" variant="primary">
          Pair your computer
        </PageButton>
      </EmptyState>
    </div>
  );
}
