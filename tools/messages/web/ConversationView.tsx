import { IconClipboardText, IconMessageCircle, IconSearch } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { validateMessage } from '#platform/contract/message.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { RetentionMenu, type RetentionCalls } from '#platform/web/page/RetentionMenu.tsx';
import { DiscardDialog } from '#platform/web/ui/Dialog.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { clearmessages, deletemessages, messagesretention, setmessagesretention } from '../contract.ts';
import { ClipboardPanel } from './ClipboardPanel.tsx';
import { Composer, useDraft } from './Composer.tsx';
import { Head } from './ConversationHeader.tsx';
import type { RailRow } from './DeviceRail.tsx';
import { Finder, useFinding, Log } from './MessageLog.tsx';
import { outbox, useOutbox, type OutboxMessage } from './outbox.ts';
import { createSides, isSameMessage, type Entry } from './thread.ts';
import { useConversation, useReading } from './useConversation.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';
import styles from './ConversationView.module.css';

const calls: RetentionCalls = {
  queryKey: 'messagesretention',
  get: async () => (await call(messagesretention, {})).period,
  set: (period) => call(setmessagesretention, { period }),
};

interface ConversationMenuProps {
  readonly name: string;
  readonly target: string;
  readonly own: OwnBrowser | undefined;
}

/** The menu with the retention of messages, and deleting the conversation. */
export function ConversationMenu({ name, target, own }: ConversationMenuProps) {
  return (
    <RetentionMenu
      label="Stored messages"
      calls={calls}
      clearAction={{
        item: 'Delete conversation',
        title: `Delete the conversation with ${name}?`,
        text: 'All messages in it are deleted from the server and on all your devices',
        run: () => call(clearmessages, { target, ...(own === undefined ? {} : { from: own.id }) }),
      }}
    />
  );
}

/** Deletes one message after a confirmation. Returns the function that starts it, and the open dialog. */
export function useDeleting() {
  const [deleting, setDeleting] = useState<Partial<Entry>>();
  const dialog =
    deleting?.id === undefined ? null : (
      <DiscardDialog
        title="Delete this message?"
        keepLabel="Cancel"
        onKeep={() => setDeleting(undefined)}
        discardLabel="Delete"
        onDiscard={() => {
          setDeleting(undefined);
          if (deleting.id !== undefined) call(deletemessages, { ids: [deleting.id] }).catch(showError);
        }}
      >
        It is deleted from the server and on all your devices
      </DiscardDialog>
    );
  return { remove: setDeleting as (entry: Omit<Entry, 'id'>) => void, dialog };
}

const NO_UNSENT: readonly OutboxMessage[] = [];

/** Returns this browser's messages that are not in the conversation yet, and removes the others from the outbox. */
const useUnsent = (target: string, entries: readonly Entry[]): readonly OutboxMessage[] => {
  const ownMessages = useOutbox().filter((each) => each.target === target);
  const arrived = ownMessages.filter((each) => entries.some((entry) => isSameMessage(entry, each)));
  useEffect(() => {
    if (arrived.length > 0) outbox.remove(arrived);
  });
  return ownMessages.filter((each) => !arrived.includes(each));
};

interface ConversationViewProps {
  readonly own: OwnBrowser | undefined;
  readonly isKnown: boolean;
  readonly row: RailRow;
  /** Undefined for the account's own entry. */
  readonly device: MessageDevice | undefined;
  readonly devices: readonly MessageDevice[];
  readonly isBrowser: (device: string) => boolean;
  readonly person: string;
  readonly narrow: boolean;
  readonly back: () => void;
}

/** Writing: the draft, sending it, and taking back a message that could not be sent. */
const useMessageDraft = (target: string) => {
  const [text, setText] = useDraft(target);
  const submit = (): void => {
    try {
      validateMessage(text, target);
    } catch (refusal) {
      showError(refusal);
      return;
    }
    outbox.add(target, text);
    setText('');
  };
  const removeUnsent = (each: OutboxMessage): void => {
    setText(text === '' ? each.text : `${text}\n${each.text}`);
    outbox.remove([each]);
  };
  return { text, setText, submit, removeUnsent };
};

function NoMessage({ row }: { readonly row: RailRow }) {
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
  const { own, isKnown, row, device, devices, isBrowser, person, narrow, back } = props;
  const target = row.id;
  const { entries, isLoaded, failure, earlier } = useConversation({ own, isKnown, target, isBrowser });
  const mark = useReading(target, entries, isLoaded);
  const unsent = useUnsent(target, entries);
  const { text, setText, submit, removeUnsent } = useMessageDraft(target);
  const finding = useFinding();
  const { remove, dialog } = useDeleting();
  const [showsClipboard, setShowsClipboard] = useState(false);
  const computer = device?.isBrowser === false ? device : undefined;
  const shown = finding.among(entries);
  // During a search only matching messages are shown.
  const logProps = finding.isOn ? { unsent: NO_UNSENT } : { unsent, mark, earlier };
  return (
    <section className={styles['view']} aria-label={`Messages with ${row.name}`}>
      <Head row={row} narrow={narrow} back={back}>
        <IconButton
          label="Find in this conversation"
          aria-expanded={finding.text !== undefined}
          onClick={finding.toggle}
        >
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
        <ConversationMenu name={row.name} target={target} own={own} />
      </Head>
      <Finder finding={finding} found={shown.length} />
      {computer && showsClipboard && <ClipboardPanel device={computer} />}
      {failure === undefined ? null : (
        <p className={styles['error']} role="alert">
          {failure}
        </p>
      )}
      <Log
        name={row.name}
        isConnected={row.state !== 'Disconnected'}
        entries={shown}
        sides={createSides(own, devices, person)}
        removeUnsent={removeUnsent}
        remove={remove}
        {...logProps}
      >
        {isLoaded && !finding.isOn ? <NoMessage row={row} /> : null}
      </Log>
      {dialog}
      <Composer name={row.name} text={text} setText={setText} submit={submit} />
    </section>
  );
}

/** The input row without a selected device; submitting explains that. */
export function NobodyChosen({ children }: { readonly children: ReactNode }) {
  const [text, setText] = useDraft('');
  return (
    <section className={styles['view']} aria-label="Messages">
      <div className={styles['empty']}>{children}</div>
      <Composer
        name={undefined}
        text={text}
        setText={setText}
        submit={() => {
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
