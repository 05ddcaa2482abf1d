import { Button } from '@mantine/core';
import { IconDeviceDesktopAnalytics } from '@tabler/icons-react';
import { CallError } from '#platform/contract/client.ts';
import { useDelayed } from '#platform/web/app/lazyPart.ts';
import { PageButton } from '#platform/web/page/PageLink.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { useAgain, type FailedApplication } from './useUsage.ts';
import styles from './ScreenTimeView.module.css';

const LANES = [0, 1, 2, 3, 4];

/** Placeholder with the text of the specification. */
export function Loading() {
  if (!useDelayed(true)) return null;
  return (
    <div className={styles['loading']}>
      <p role="status">loading - if takes more than a few seconds, likely server error</p>
      {LANES.map((lane) => (
        <span key={lane} className={styles['ghost']} />
      ))}
    </div>
  );
}

const getMessage = (error: Error): string =>
  error instanceof CallError && error.status === 0 ? 'Server error' : error.message;

/** Shows the error as the only application (docs/specification/screentime.md section 5). */
export function Failed({ error }: { readonly error: Error }) {
  const again = useAgain();
  return (
    <div className={styles['failed']}>
      <ul className={styles['entry']} data-bad aria-label="Apps">
        <li>
          <span role="alert">{getMessage(error)}</span>
        </li>
      </ul>
      <Button onClick={again}>Try again</Button>
    </div>
  );
}

/** Lists selected applications that failed to load. Visible beside the days. */
export function Missing({ lost }: { readonly lost: readonly FailedApplication[] }) {
  const again = useAgain();
  const [first] = lost;
  if (!first) return null;
  const others = new Set(lost.map(({ name }) => name)).size - 1;
  return (
    <div className={styles['missing']}>
      <p role="alert">
        <b className="ellipsis" dir="auto">
          {first.name}
        </b>{' '}
        <span>
          {others > 0 ? `and ${others} more ` : null}could not be loaded: {getMessage(first.error)}
        </span>
      </p>
      <Button size="xs" onClick={again}>
        Try again
      </Button>
    </div>
  );
}

/** Shown until a computer reports usage. */
export function NothingYet() {
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
