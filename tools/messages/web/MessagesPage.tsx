import { Button } from '@mantine/core';
import { IconDevices, IconMessageCircle } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { createNavigationState, useNavigateTo } from '#platform/web/app/navigation.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { messagesPage } from '../page.ts';
import { Head } from './ConversationHeader.tsx';
import { ConversationView, NobodyChosen } from './ConversationView.tsx';
import { DeviceRail, type RailRow } from './DeviceRail.tsx';
import { useSending } from './outbox.ts';
import { marks } from './readMarks.ts';
import { useDevices, type MessageDevice } from './useDevices.ts';
import { useNotifying } from './useNotifying.ts';
import { useOwnBrowser } from './useOwnBrowser.ts';
import { useRail, VISITORS } from './useRail.ts';
import { useVisitors } from './useVisitors.ts';
import viewStyles from './ConversationView.module.css';
import styles from './MessagesPage.module.css';

const Visitors = lazyPart(async () => (await import('./VisitorMessages.tsx')).Visitors);

const TARGET_PARAMETER = 'with';
const LAST_TARGET_KEY = 'messages.device';
const NO_DEVICES: readonly MessageDevice[] = [];

/** Returns the conversation in the address; on wide windows otherwise the one that was open last. */
const useSelectedConversation = (rows: readonly RailRow[], narrow: boolean) => {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const requestedId = query.get(TARGET_PARAMETER) ?? undefined;
  const last = browserStorage.get(LAST_TARGET_KEY);
  const defaultRow = narrow
    ? undefined
    : (rows.find(({ id }) => id === last) ?? rows.find(({ state }) => state === 'Connected'));
  const chosen = rows.find(({ id }) => id === requestedId) ?? (requestedId === undefined ? defaultRow : undefined);
  const choose = useCallback(
    (id: string): void => {
      browserStorage.set(LAST_TARGET_KEY, id);
      // On a phone, the list is one step back in the history.
      void navigate({ search: `?${TARGET_PARAMETER}=${id}` }, { state: createNavigationState(), replace: !narrow });
    },
    [navigate, narrow],
  );
  const back = (): void => void navigate({ search: '' }, { state: createNavigationState(), replace: true });
  return { chosen, choose, back };
};

const useUnreadTitle = (rows: readonly RailRow[]): void => {
  const unread = rows.reduce((sum, row) => sum + row.unread, 0);
  useEffect(() => {
    document.title = unread === 0 ? messagesPage.title : `(${unread}) ${messagesPage.title}`;
  });
};

function VisitorsView({
  row,
  narrow,
  back,
}: {
  readonly row: RailRow;
  readonly narrow: boolean;
  readonly back: () => void;
}) {
  const { visitors } = useVisitors();
  const last = visitors?.at(-1)?.id;
  useEffect(() => {
    if (last !== undefined) marks.set(VISITORS, last);
  }, [last]);
  return (
    <section className={viewStyles['view']} aria-label="Messages from visitors">
      <Head row={row} narrow={narrow} back={back} />
      <div className={viewStyles['visitors']}>
        <Suspense>
          <Visitors />
        </Suspense>
      </div>
    </section>
  );
}

interface NobodyProps {
  readonly isLoaded: boolean;
  readonly isAlone: boolean;
  readonly failure: Error | null;
}

/** Shown instead of a conversation. */
function Nobody({ isLoaded, isAlone, failure }: NobodyProps) {
  const go = useNavigateTo();
  if (!isLoaded) return failure && <p role="alert">{failure.message}</p>;
  if (!isAlone) return <EmptyState icon={IconMessageCircle} text="Choose a device to see your conversation" />;
  return (
    <EmptyState
      icon={IconDevices}
      text="No other devices yet. Pair a computer, or open this page in another browser, for example on your phone"
    >
      <Button variant="primary" onClick={() => go('/dashboard/settings/pair')}>
        Pair your computer
      </Button>
    </EmptyState>
  );
}

/** Shown if there are only browsers, as it would not be obvious that computers can be written to as well. */
function NoComputer({ devices }: { readonly devices: readonly MessageDevice[] | undefined }) {
  const go = useNavigateTo();
  if (devices === undefined || devices.some((device) => !device.isBrowser)) return null;
  return (
    <div className={styles['hint']}>
      <p>No computer paired yet. Pair one to exchange messages and share its clipboard</p>
      <Button size="sm" onClick={() => go('/dashboard/settings/pair')}>
        Pair your computer
      </Button>
    </div>
  );
}

const useIsBrowser = (devices: readonly MessageDevice[], own: string | undefined): ((device: string) => boolean) => {
  // This browser may be known before the list contains it.
  const browsers = [own, ...devices.filter((device) => device.isBrowser).map(({ id }) => id)];
  // The list is a new array after each answer; equal ids must give the same function.
  const joined = browsers.join(' ');
  return useMemo(() => {
    const ids = new Set(joined.split(' '));
    return (device) => ids.has(device);
  }, [joined]);
};

/** Selects the previous or next conversation with Alt+Up and Alt+Down. */
const useStepCommands = (rows: readonly RailRow[], chosen: RailRow | undefined, choose: (id: string) => void): void => {
  // A second step may come before the first one is rendered.
  const latest = useRef(chosen?.id);
  useLayoutEffect(() => {
    latest.current = chosen?.id;
  }, [chosen?.id]);
  const step = (by: 1 | -1): void => {
    const at = rows.findIndex(({ id }) => id === latest.current);
    const from = at === -1 && by === -1 ? 0 : at;
    const next = rows[(from + by + rows.length) % rows.length];
    if (!next) return;
    latest.current = next.id;
    choose(next.id);
  };
  useCommands([
    { id: 'device-up', name: 'Previous device', keys: 'Alt+ArrowUp', run: () => step(-1) },
    { id: 'device-down', name: 'Next device', keys: 'Alt+ArrowDown', run: () => step(1) },
  ]);
};

export default function MessagesPage() {
  const narrow = useIsNarrow();
  const { username: person = '' } = useUsername();
  const { own, isKnown } = useOwnBrowser();
  const { devices: listed, error } = useDevices();
  const devices = listed ?? NO_DEVICES;
  const isBrowser = useIsBrowser(devices, own?.id);
  const { rows, others } = useRail({ own, isKnown, devices, isBrowser, person });
  const { chosen, choose, back } = useSelectedConversation([...rows, ...others], narrow);
  const notifying = useNotifying({ own, isBrowser, open: choose });
  useSending({ own, isKnown });
  useUnreadTitle(rows);
  useStepCommands(rows, chosen, choose);

  const emptyState = <Nobody isLoaded={listed !== undefined} isAlone={rows.length === 0} failure={error} />;
  const view = (row: RailRow | undefined) => {
    if (row === undefined) return <NobodyChosen>{emptyState}</NobodyChosen>;
    if (row.id === VISITORS) return <VisitorsView row={row} narrow={narrow} back={back} />;
    const device = devices.find(({ id }) => id === row.id && id !== own?.id);
    const viewProps = { own, isKnown, row, device, devices, isBrowser, person, narrow, back };
    return <ConversationView key={row.id} {...viewProps} />;
  };
  // A phone shows either the list or a conversation.
  const showsList = !narrow || chosen === undefined;
  const showsView = !narrow || chosen !== undefined;
  return (
    <div className={styles['messages']} data-flush data-narrow={narrow || undefined}>
      {showsList && (
        <>
          <PageHeader {...(narrow ? {} : { note: 'between your devices' })} />
          <DeviceRail
            rows={rows}
            others={others}
            chosen={chosen?.id}
            choose={choose}
            empty={narrow && emptyState}
            hint={<NoComputer devices={listed} />}
            notifying={notifying}
          />
        </>
      )}
      {showsView && view(chosen)}
    </div>
  );
}
