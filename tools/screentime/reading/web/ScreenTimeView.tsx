import { IconRefresh } from '@tabler/icons-react';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { LoginForm } from '#platform/web/page/LoginForm.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { SCREEN_TIME, getOffsetHours, formatOffset } from '../../web/usageClock.ts';
import { UsageView, type SidePanel } from './UsageView.tsx';
import { useComputers } from './useUsage.ts';
import {
  ALL_DEVICES_ID,
  useSelectedDevice,
  useViewOptions,
  type OptionName,
  type ViewOptions,
} from './useViewOptions.ts';
import styles from './ScreenTimeView.module.css';

/** Toggles in the order of the keys 1 to 5 (docs/specification/screentime.md section 1.2). */
export const TOGGLES: readonly { readonly option: OptionName; readonly label: string }[] = [
  { option: 'hideUnused', label: 'Hide Apps not used' },
  { option: 'compact', label: 'Compact View' },
  { option: 'goals', label: 'Show goals' },
  { option: 'breakdown', label: 'Show Breakdown' },
  { option: 'newPicker', label: 'Use new picker' },
];

export function RelatedLinks() {
  return (
    <>
      <PageLink to="/graphy" title="The old graphs, with the hours of every day">
        Version one
      </PageLink>
      <PageLink to="/catsmmod" title="Sort apps into categories, set hotkeys and name your devices">
        Modify categories
      </PageLink>
    </>
  );
}

interface SubBarProps {
  readonly device: string;
  readonly isNarrow: boolean;
  /** Undefined for visitors, who have nothing to toggle. */
  readonly options: ViewOptions | undefined;
  readonly toggle: (name: OptionName) => void;
}

/** Bar with account, computer and toggles. */
export function SubBar({ device, isNarrow, options, toggle }: SubBarProps) {
  const currentSession = useSession();
  return (
    <div className={styles['sub']}>
      <span>
        User: <b dir="auto">{currentSession ? currentSession.username : 'Not logged in'}</b>
      </span>
      <span>
        Timezone: <b className="num">{formatOffset(getOffsetHours())}</b>
      </span>
      <span>
        Device: <b dir="auto">{device}</b>
      </span>
      {isNarrow ? <RelatedLinks /> : null}
      {options ? (
        <div className={styles['toggles']} role="group" aria-label="View">
          {TOGGLES.map(({ option, label }) => (
            <Switch key={option} label={label} isOn={options[option]} onChange={() => toggle(option)} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

function ReloadButton() {
  const queryClient = useQueryClient();
  const isFetching = useIsFetching({ queryKey: [SCREEN_TIME] }) > 0;
  return (
    <IconButton
      label="Reload"
      className={isFetching ? styles['spinning'] : undefined}
      onClick={() => void queryClient.invalidateQueries({ queryKey: [SCREEN_TIME] })}
    >
      <IconRefresh size={18} stroke={1.75} />
    </IconButton>
  );
}

/**
 * Shown without a session. If the session expired, the message is the only application
 * (docs/specification/screentime.md section 5).
 */
function NotLoggedIn({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <div className={styles['login']}>
      <LoginForm note="Styling this form is on the list. It is a long list" />
      {hasEnded ? (
        <ul className={styles['entry']} aria-label="Apps">
          <li>{INVALID_TOKEN_MESSAGE}</li>
        </ul>
      ) : null}
    </div>
  );
}

/** Returns whether the session expired while the page was open. */
function useHasEnded(): boolean {
  const isLoggedIn = useSession() !== undefined;
  const [wasLoggedIn, setWasLoggedIn] = useState(isLoggedIn);
  if (isLoggedIn && !wasLoggedIn) setWasLoggedIn(true);
  return wasLoggedIn && !isLoggedIn && !session.hasLoggedOut();
}

/** Page /graphyv2, 'Application grapher v2' (docs/specification/screentime.md section 1.2). */
export function ScreenTimeView({ goalsPanel }: { readonly goalsPanel: SidePanel }) {
  const isNarrow = useIsNarrow();
  const isLoggedIn = useSession() !== undefined;
  const hasEnded = useHasEnded();
  const computers = useComputers(isLoggedIn);
  const { deviceid, selectDevice } = useSelectedDevice(computers.data);
  const { options, toggle } = useViewOptions();
  useCommands(
    (isLoggedIn ? TOGGLES : []).map(({ option, label }, index) => ({
      id: `screentime.${option}`,
      name: label,
      keys: String(index + 1),
      run: () => toggle(option),
    })),
  );
  const device = deviceid === ALL_DEVICES_ID ? 'All devices' : (computers.data?.[deviceid] ?? '');
  return (
    <div className={styles['page']} data-flush>
      <PageHeader title="Application grapher v2" beside={isNarrow ? undefined : <ReloadButton />}>
        {isNarrow ? (
          <ReloadButton />
        ) : (
          <nav className={styles['links']} aria-label="Related pages">
            <RelatedLinks />
          </nav>
        )}
      </PageHeader>
      <SubBar device={device} isNarrow={isNarrow} options={isLoggedIn ? options : undefined} toggle={toggle} />
      {isLoggedIn ? null : <NotLoggedIn hasEnded={hasEnded} />}
      {isLoggedIn ? <UsageView {...{ goalsPanel, computers, deviceid, selectDevice, options, toggle }} /> : null}
    </div>
  );
}
