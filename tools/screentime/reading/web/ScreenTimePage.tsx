import { IconRefresh } from '@tabler/icons-react';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { LoginForm } from '#platform/web/page/LoginForm.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { SCREEN_TIME } from '../../web/keys.ts';
import { Links, SubBar, toggles } from './SubBar.tsx';
import { Usage } from './UsageView.tsx';
import { useComputers } from './useUsage.ts';
import { ALL, useDevice, useOptions } from './useViewOptions.ts';
import styles from './ScreenTimePage.module.css';

function Reload() {
  const queries = useQueryClient();
  const isFetching = useIsFetching({ queryKey: [SCREEN_TIME] }) > 0;
  return (
    <IconButton
      label="Reload"
      className={isFetching ? styles['turning'] : undefined}
      onClick={() => void queries.invalidateQueries({ queryKey: [SCREEN_TIME] })}
    >
      <IconRefresh size={18} stroke={1.75} />
    </IconButton>
  );
}

/** In the page's place without a token; where the session has ended by itself, its message is the only application (specification 2, section 8). */
function NotLoggedIn({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <div className={styles['login']}>
      <LoginForm note="Styling this form is on the list. It is a long list." />
      {hasEnded ? (
        <ul className={styles['entry']} aria-label="Apps">
          <li>{INVALID_TOKEN_MESSAGE}</li>
        </ul>
      ) : null}
    </div>
  );
}

/** Whether a session ended by itself while the page was open. */
const useHasEnded = (): boolean => {
  const signedIn = useSession() !== undefined;
  const [wasSignedIn, setWasSignedIn] = useState(signedIn);
  if (signedIn && !wasSignedIn) setWasSignedIn(true);
  return wasSignedIn && !signedIn && !session.hasLoggedOut();
};

/** /graphyv2, 'Application grapher v2' (specification 2, section 2.2). */
export default function ScreenTimePage() {
  const narrow = useIsNarrow();
  const signedIn = useSession() !== undefined;
  const hasEnded = useHasEnded();
  const computers = useComputers(signedIn);
  const { deviceid, choose } = useDevice(computers.data);
  const { options, toggle } = useOptions();
  useCommands(
    (signedIn ? toggles : []).map(({ option, label }, at) => ({
      id: `screentime.${option}`,
      name: label,
      keys: String(at + 1),
      run: () => toggle(option),
    })),
  );
  const device = deviceid === ALL ? 'All devices' : (computers.data?.[deviceid] ?? '');
  return (
    <div className={styles['page']} data-flush>
      <PageHeader title="Application grapher v2" beside={narrow ? undefined : <Reload />}>
        {narrow ? (
          <Reload />
        ) : (
          <nav className={styles['links']} aria-label="Related pages">
            <Links />
          </nav>
        )}
      </PageHeader>
      <SubBar device={device} narrow={narrow} options={signedIn ? options : undefined} toggle={toggle} />
      {signedIn ? null : <NotLoggedIn hasEnded={hasEnded} />}
      {signedIn ? (
        <Usage computers={computers} deviceid={deviceid} choose={choose} options={options} toggle={toggle} />
      ) : null}
    </div>
  );
}
