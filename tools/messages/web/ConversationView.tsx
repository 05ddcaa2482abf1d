import { IconClipboardText, IconMessageCircle, IconSearch } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { validateMessage } from '#platform/contract/message.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { RetentionMenu, type RetentionCalls } from '#platform/web/page/RetentionMenu.tsx';
import { ConfirmDialog } from '#platform/web/ui/Dialog.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { clearmessages, deletemessages, messagesretention, setmessagesretention } from '../contract.ts';
import { ClipboardPanel } from './ClipboardPanel.tsx';
import { Composer, useDraft } from './Composer.tsx';
import { isSameMessage, type ConversationEntry } from './conversation.ts';
import { ConversationHeader } from './ConversationHeader.tsx';
import type { RailRow } from './DeviceRail.tsx';
import { SearchField, useMessageSearch, MessageLog } from './MessageLog.tsx';
import { outbox, useOutbox, type OutboxMessage } from './outbox.ts';
import { createSenderInfo } from './senderInfo.ts';
import { useConversation, useLastReadId } from './useConversation.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';
import styles from './ConversationView.module.css';

const retentionCalls: RetentionCalls = {
  queryKey: 'messagesretention',
  get: async () => (await call(messagesretention, {})).period,
  set: (period) => call(setmessagesretention, { period }),
};

interface ConversationMenuProps {
  readonly name: string;
  readonly target: string;
  readonly ownBrowser: OwnBrowser | undefined;
}

/** The menu with the retention of messages, and deleting the conversation. */
function ConversationMenu({ name, target, ownBrowser }: ConversationMenuProps) {
  return (
    <RetentionMenu
      label="Stored messages"
      calls={retentionCalls}
      clearAction={{
        item: 'Delete conversation',
        title: `Delete the conversation with ${name}?`,
        text: 'All messages in it are deleted from the server and on all your devices',
        run: () => call(clearmessages, { target, ...(ownBrowser === undefined ? {} : { from: ownBrowser.id }) }),
      }}
    />
  );
}

/** Deletes a message after a confirmation. Returns the function that asks for it, and the open dialog. */
function useDeleteDialog() {
  const [entryToDelete, setEntryToDelete] = useState<Partial<ConversationEntry>>();
  const dialog =
    entryToDelete?.id === undefined ? null : (
      <ConfirmDialog
        title="Delete this message?"
        cancelLabel="Cancel"
        onCancel={() => setEntryToDelete(undefined)}
        confirmLabel="Delete"
        onConfirm={() => {
          setEntryToDelete(undefined);
          if (entryToDelete.id !== undefined) call(deletemessages, { ids: [entryToDelete.id] }).catch(showError);
        }}
      >
        It is deleted from the server and on all your devices
      </ConfirmDialog>
    );
  return { openDeleteDialog: setEntryToDelete as (entry: Omit<ConversationEntry, 'id'>) => void, dialog };
}

const NO_UNSENT_MESSAGES: readonly OutboxMessage[] = [];

/** Returns this browser's messages that are not in the conversation yet, and removes the others from the outbox. */
function useUnsentMessages(target: string, entries: readonly ConversationEntry[]): readonly OutboxMessage[] {
  const ownMessages = useOutbox().filter((message) => message.target === target);
  const arrivedMessages = ownMessages.filter((message) => entries.some((entry) => isSameMessage(entry, message)));
  useEffect(() => {
    if (arrivedMessages.length > 0) outbox.remove(arrivedMessages);
  });
  return ownMessages.filter((message) => !arrivedMessages.includes(message));
}

interface ConversationViewProps {
  readonly ownBrowser: OwnBrowser | undefined;
  readonly isReady: boolean;
  readonly row: RailRow;
  /** Undefined for the account's row. */
  readonly device: MessageDevice | undefined;
  readonly devices: readonly MessageDevice[];
  readonly isBrowser: (device: string) => boolean;
  readonly accountName: string;
  readonly isNarrow: boolean;
  readonly onBack: () => void;
}

/** Returns the draft, a function that sends it, and one that turns an unsent message into the draft again. */
function useMessageDraft(target: string) {
  const [text, setText] = useDraft(target);
  function submit(): void {
    try {
      validateMessage(text, target);
    } catch (refusal) {
      showError(refusal);
      return;
    }
    outbox.add(target, text);
    setText('');
  }
  function removeUnsent(message: OutboxMessage): void {
    setText(text === '' ? message.text : `${text}\n${message.text}`);
    outbox.remove([message]);
  }
  return { text, setText, submit, removeUnsent };
}

function NoMessages({ row }: { readonly row: RailRow }) {
  const isDisconnected = row.state === 'Disconnected';
  return (
    <div className={styles['empty']}>
      <EmptyState
        icon={IconMessageCircle}
        text={
          isDisconnected
            ? `No messages yet. ${row.name} is offline and will receive your messages when it is back online`
            : `No messages yet. Messages between you and ${row.name} appear here`
        }
      />
    </div>
  );
}

/** The conversation with a device: header, messages, input row. */
export function ConversationView(props: ConversationViewProps) {
  const { ownBrowser, isReady, row, device, devices, isBrowser, accountName, isNarrow, onBack } = props;
  const target = row.id;
  const { entries, isLoaded, errorMessage, loadEarlier } = useConversation({ ownBrowser, isReady, target, isBrowser });
  const lastReadId = useLastReadId(target, entries, isLoaded);
  const unsent = useUnsentMessages(target, entries);
  const { text, setText, submit, removeUnsent } = useMessageDraft(target);
  const search = useMessageSearch();
  const { openDeleteDialog, dialog } = useDeleteDialog();
  const [showsClipboard, setShowsClipboard] = useState(false);
  const computer = device?.isBrowser === false ? device : undefined;
  const visibleEntries = search.filter(entries);
  // During a search only matching messages are shown.
  const logProps = search.isActive
    ? { unsent: NO_UNSENT_MESSAGES }
    : { unsent, lastReadId, onShowEarlier: loadEarlier };
  return (
    <section className={styles['view']} aria-label={`Messages with ${row.name}`}>
      <ConversationHeader row={row} isNarrow={isNarrow} onBack={onBack}>
        <IconButton label="Find in this conversation" aria-expanded={search.text !== undefined} onClick={search.toggle}>
          <IconSearch size={20} stroke={1.75} />
        </IconButton>
        {computer && (
          <IconButton
            label="Clipboard"
            aria-expanded={showsClipboard}
            onClick={() => setShowsClipboard(!showsClipboard)}
          >
            <IconClipboardText size={20} stroke={1.75} />
          </IconButton>
        )}
        <ConversationMenu name={row.name} target={target} ownBrowser={ownBrowser} />
      </ConversationHeader>
      <SearchField search={search} matchCount={visibleEntries.length} />
      {computer && showsClipboard && <ClipboardPanel device={computer} />}
      {errorMessage === undefined ? null : (
        <p className={styles['error']} role="alert">
          {errorMessage}
        </p>
      )}
      <MessageLog
        name={row.name}
        isConnected={row.state !== 'Disconnected'}
        entries={visibleEntries}
        senderInfo={createSenderInfo(ownBrowser, devices, accountName)}
        onRemoveUnsent={removeUnsent}
        onDelete={openDeleteDialog}
        {...logProps}
      >
        {isLoaded && !search.isActive ? <NoMessages row={row} /> : null}
      </MessageLog>
      {dialog}
      <Composer name={row.name} text={text} onChange={setText} onSubmit={submit} />
    </section>
  );
}

/** The input row without a selected device; submitting explains that. */
export function NoConversation({ children }: { readonly children: ReactNode }) {
  const [text, setText] = useDraft('');
  return (
    <section className={styles['view']} aria-label="Messages">
      <div className={styles['empty']}>{children}</div>
      <Composer
        name={undefined}
        text={text}
        onChange={setText}
        onSubmit={() => {
          try {
            validateMessage(text, NO_TARGET);
          } catch (refusal) {
            showError(refusal);
          }
        }}
      />
    </section>
  );
}
