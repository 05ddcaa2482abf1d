import { Button } from '@mantine/core';
import { IconDevices, IconMessageCircle } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { createNavigationState, useNavigateTo } from '#platform/web/app/navigation.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { messagesPage } from '../page.ts';
import { ConversationHeader } from './ConversationHeader.tsx';
import { ConversationView, NoConversation } from './ConversationView.tsx';
import { DeviceRail, type RailRow } from './DeviceRail.tsx';
import { useSending } from './outbox.ts';
import { readMarks } from './readMarks.ts';
import { useDevices, type MessageDevice } from './useDevices.ts';
import { useNotifications } from './useNotifications.ts';
import { useOwnBrowser } from './useOwnBrowser.ts';
import { useRail, VISITORS } from './useRail.ts';
import { useVisitorMessages } from './useVisitorMessages.ts';
import viewStyles from './ConversationView.module.css';
import styles from './MessagesPage.module.css';

const VisitorMessages = lazyPart(async () => (await import('./VisitorMessages.tsx')).VisitorMessages);

const TARGET_PARAMETER = 'with';
const LAST_TARGET_KEY = 'messages.device';
const NO_DEVICES: readonly MessageDevice[] = [];

/** Returns the conversation in the address. Without one, wide windows show the conversation that was open last. */
function useSelectedConversation(rows: readonly RailRow[], isNarrow: boolean) {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const requestedId = query.get(TARGET_PARAMETER) ?? undefined;
  const lastTarget = browserStorage.get(LAST_TARGET_KEY);
  const defaultRow = isNarrow
    ? undefined
    : (rows.find(({ id }) => id === lastTarget) ?? rows.find(({ state }) => state === 'Connected'));
  const selectedRow = rows.find(({ id }) => id === requestedId) ?? (requestedId === undefined ? defaultRow : undefined);
  const select = useCallback(
    (id: string): void => {
      browserStorage.set(LAST_TARGET_KEY, id);
      // On a phone, the list is one step back in the history.
      void navigate({ search: `?${TARGET_PARAMETER}=${id}` }, { state: createNavigationState(), replace: !isNarrow });
    },
    [navigate, isNarrow],
  );
  const goBack = (): void => void navigate({ search: '' }, { state: createNavigationState(), replace: true });
  return { selectedRow, select, goBack };
}

function useUnreadTitle(rows: readonly RailRow[]): void {
  const unread = rows.reduce((sum, row) => sum + row.unread, 0);
  useEffect(() => {
    document.title = unread === 0 ? messagesPage.title : `(${unread}) ${messagesPage.title}`;
  });
}

function VisitorsView({
  row,
  isNarrow,
  onBack,
}: {
  readonly row: RailRow;
  readonly isNarrow: boolean;
  readonly onBack: () => void;
}) {
  const { visitors } = useVisitorMessages();
  const lastId = visitors?.at(-1)?.id;
  useEffect(() => {
    if (lastId !== undefined) readMarks.set(VISITORS, lastId);
  }, [lastId]);
  return (
    <section className={viewStyles['view']} aria-label="Messages from visitors">
      <ConversationHeader row={row} isNarrow={isNarrow} onBack={onBack} />
      <div className={viewStyles['visitors']}>
        <Suspense>
          <VisitorMessages />
        </Suspense>
      </div>
    </section>
  );
}

interface ConversationPlaceholderProps {
  readonly isLoaded: boolean;
  readonly hasNoDevices: boolean;
  readonly error: Error | null;
}

/** Shown instead of a conversation. */
function ConversationPlaceholder({ isLoaded, hasNoDevices, error }: ConversationPlaceholderProps) {
  const navigateTo = useNavigateTo();
  if (!isLoaded) return error && <p role="alert">{error.message}</p>;
  if (!hasNoDevices) return <EmptyState icon={IconMessageCircle} text="Choose a device to see your conversation" />;
  return (
    <EmptyState
      icon={IconDevices}
      text="No other devices yet. Pair a computer, or open this page in another browser, for example on your phone"
    >
      <Button variant="primary" onClick={() => navigateTo('/dashboard/settings/pair')}>
        Pair your computer
      </Button>
    </EmptyState>
  );
}

/** Shown if there are only browsers, because it is not obvious that computers can receive messages too. */
function NoComputer({ devices }: { readonly devices: readonly MessageDevice[] | undefined }) {
  const navigateTo = useNavigateTo();
  if (devices === undefined || devices.some((device) => !device.isBrowser)) return null;
  return (
    <div className={styles['hint']}>
      <p>No computer paired yet. Pair one to exchange messages and share its clipboard</p>
      <Button size="sm" onClick={() => navigateTo('/dashboard/settings/pair')}>
        Pair your computer
      </Button>
    </div>
  );
}

function useIsBrowser(
  devices: readonly MessageDevice[],
  ownBrowserId: string | undefined,
): (device: string) => boolean {
  // This browser may be known before the list contains it.
  const browserIds = [ownBrowserId, ...devices.filter((device) => device.isBrowser).map(({ id }) => id)];
  // The list is a new array after each answer, but equal ids must give the same function.
  const joinedIds = browserIds.join(' ');
  return useMemo(() => {
    const ids = new Set(joinedIds.split(' '));
    return (device) => ids.has(device);
  }, [joinedIds]);
}

/** Selects the previous or next conversation with Alt+Up and Alt+Down. */
function useStepCommands(
  rows: readonly RailRow[],
  selectedRow: RailRow | undefined,
  select: (id: string) => void,
): void {
  // A second step may come before the first one is rendered.
  const selectedId = useRef(selectedRow?.id);
  useLayoutEffect(() => {
    selectedId.current = selectedRow?.id;
  }, [selectedRow?.id]);
  function step(direction: 1 | -1): void {
    const index = rows.findIndex(({ id }) => id === selectedId.current);
    const start = index === -1 && direction === -1 ? 0 : index;
    const next = rows[(start + direction + rows.length) % rows.length];
    if (!next) return;
    selectedId.current = next.id;
    select(next.id);
  }
  useCommands([
    { id: 'device-up', name: 'Previous device', keys: 'Alt+ArrowUp', run: () => step(-1) },
    { id: 'device-down', name: 'Next device', keys: 'Alt+ArrowDown', run: () => step(1) },
  ]);
}

export default function MessagesPage() {
  const isNarrow = useIsNarrow();
  const { username: accountName = '' } = useUsername();
  const { ownBrowser, isReady } = useOwnBrowser();
  const { devices: loadedDevices, error } = useDevices();
  const devices = loadedDevices ?? NO_DEVICES;
  const isBrowser = useIsBrowser(devices, ownBrowser?.id);
  const { rows, hiddenRows } = useRail({ ownBrowser, isReady, devices, isBrowser, accountName });
  const { selectedRow, select, goBack } = useSelectedConversation([...rows, ...hiddenRows], isNarrow);
  const notifications = useNotifications({ ownBrowser, isBrowser, onOpen: select });
  useSending({ ownBrowser, isReady });
  useUnreadTitle(rows);
  useStepCommands(rows, selectedRow, select);

  const emptyState = (
    <ConversationPlaceholder isLoaded={loadedDevices !== undefined} hasNoDevices={rows.length === 0} error={error} />
  );
  function renderConversation(row: RailRow | undefined) {
    if (row === undefined) return <NoConversation>{emptyState}</NoConversation>;
    if (row.id === VISITORS) return <VisitorsView row={row} isNarrow={isNarrow} onBack={goBack} />;
    const device = devices.find(({ id }) => id === row.id && id !== ownBrowser?.id);
    const viewProps = { ownBrowser, isReady, row, device, devices, isBrowser, accountName, isNarrow, onBack: goBack };
    return <ConversationView key={row.id} {...viewProps} />;
  }
  // A phone shows either the list or a conversation.
  const showsList = !isNarrow || selectedRow === undefined;
  const showsView = !isNarrow || selectedRow !== undefined;
  return (
    <div className={styles['messages']} data-flush data-narrow={isNarrow || undefined}>
      {showsList && (
        <>
          <PageHeader {...(isNarrow ? {} : { note: 'between your devices' })} />
          <DeviceRail
            rows={rows}
            hiddenRows={hiddenRows}
            selectedId={selectedRow?.id}
            onSelect={select}
            emptyState={isNarrow && emptyState}
            hint={<NoComputer devices={loadedDevices} />}
            notifications={notifications}
          />
        </>
      )}
      {showsView && renderConversation(selectedRow)}
    </div>
  );
}
