import { Button } from '@mantine/core';
import { IconDeviceMobile, IconWorld } from '@tabler/icons-react';
import { describeBrowser, isPhoneBrowser } from '#platform/contract/browserName.ts';
import type { AnswerOf } from '#platform/contract/call.ts';
import { formatMoment, formatShortDate } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import type { checkaccounts } from '../../contract.ts';
import { useEndSessions } from './useAccount.ts';
import styles from './AccountPanel.module.css';

interface SessionsProps {
  readonly sessions: AnswerOf<typeof checkaccounts>['sessions'];
  readonly changed: () => Promise<unknown>;
}

/** Where the account is signed in, and ending it there. */
export function Sessions({ sessions, changed }: SessionsProps) {
  const end = useEndSessions(changed);
  const others = sessions.filter(({ own }) => !own);
  const ordered = [...sessions.filter(({ own }) => own), ...others];
  return (
    <Card
      title="Sessions"
      aside={
        others.length === 0 ? undefined : (
          <ConfirmButton
            size="compact-md"
            confirmLabel="Sign out everywhere else now"
            onConfirm={() => end.mutate(undefined)}
          >
            Sign out everywhere else
          </ConfirmButton>
        )
      }
      flush
    >
      {ordered.map(({ id, own, browser, created, lastSeen, address }) => (
        <div key={id} className={styles['line']}>
          {isPhoneBrowser(browser) ? (
            <IconDeviceMobile size={18} stroke={1.75} />
          ) : (
            <IconWorld size={18} stroke={1.75} />
          )}
          <span className={styles['what']}>
            <span>{describeBrowser(browser)}</span>
            <small className="num">
              {own ? `this one, since ${formatShortDate(created)}` : formatMoment(lastSeen)}, {address}
            </small>
          </span>
          {own ? (
            <Badge tone="accent">here</Badge>
          ) : (
            <Button
              size="compact-md"
              aria-label={`End ${describeBrowser(browser)}, ${address}`}
              onClick={() => end.mutate([id])}
            >
              End
            </Button>
          )}
        </div>
      ))}
    </Card>
  );
}
