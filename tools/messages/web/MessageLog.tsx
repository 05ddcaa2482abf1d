import { IconArrowDown, IconX } from '@tabler/icons-react';
import { Fragment, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { foldSearch } from '#platform/contract/fold.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { formatDayName, getReceivedMs } from '#platform/web/browser/formats.ts';
import { useNow } from '#platform/web/browser/useNow.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { isContinuation, type ConversationEntry, getDisplayText } from './conversation.ts';
import { MessageBubble, Outcome } from './MessageBubble.tsx';
import { outbox, type OutboxMessage } from './outbox.ts';
import type { SenderInfo } from './senderInfo.ts';
import finderStyles from './ConversationView.module.css';
import styles from './MessageLog.module.css';

/** Searches the loaded part of a conversation. */
export function useMessageSearch() {
  const [text, setText] = useState<string>();
  const fieldRef = useRef<HTMLInputElement>(null);
  const searchText = foldSearch(text ?? '');
  useCommands([
    {
      id: 'find-message',
      name: 'Find in this conversation',
      keys: '/',
      opensField: true,
      run: () => {
        setText((current) => current ?? '');
        fieldRef.current?.focus();
      },
    },
  ]);
  return {
    fieldRef,
    /** Undefined while the field is closed. */
    text,
    setText,
    isActive: searchText !== '',
    toggle: () => setText((current) => (current === undefined ? '' : undefined)),
    filter: (entries: readonly ConversationEntry[]): readonly ConversationEntry[] =>
      searchText === '' ? entries : entries.filter((entry) => foldSearch(getDisplayText(entry)).includes(searchText)),
  };
}

interface SearchFieldProps {
  readonly search: ReturnType<typeof useMessageSearch>;
  readonly matchCount: number;
}

/** The field that searches the conversation. */
export function SearchField({ search, matchCount }: SearchFieldProps) {
  const { fieldRef, text, setText, isActive } = search;
  if (text === undefined) return null;
  return (
    <Form className={finderStyles['finder']} role="search">
      <input
        ref={fieldRef}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opened it just now
        autoFocus
        type="search"
        aria-label="Find in this conversation"
        placeholder="Find in this conversation"
        dir="auto"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText(undefined);
        }}
      />
      <span role="status" className="num">
        {isActive ? `${matchCount} found` : ''}
      </span>
      <IconButton label="Close" size={28} onClick={() => setText(undefined)}>
        <IconX size={16} stroke={1.75} />
      </IconButton>
    </Form>
  );
}

/** New messages stay in view if the log is scrolled to within this distance of its end. */
const NEAR_END_PX = 80;

interface MessageLogProps {
  readonly name: string;
  readonly isConnected: boolean;
  readonly entries: readonly ConversationEntry[];
  readonly unsent: readonly OutboxMessage[];
  readonly senderInfo: SenderInfo;
  /** Id of the last message that was read before. 'New' is shown after it. */
  readonly lastReadId?: number | undefined;
  readonly onShowEarlier?: (() => Promise<void>) | undefined;
  /** Moves the text of an unsent message back to the field. */
  readonly onRemoveUnsent: (unsent: OutboxMessage) => void;
  readonly onDelete: (entry: Omit<ConversationEntry, 'id'>) => void;
  /** Shown if there are no messages. */
  readonly children: ReactNode;
}

interface UnsentBubbleProps {
  readonly message: OutboxMessage;
  readonly senderInfo: SenderInfo;
  readonly onRemove: (unsent: OutboxMessage) => void;
}

function UnsentBubble({ message, senderInfo, onRemove }: UnsentBubbleProps) {
  const entry = { ...senderInfo.describeUnsent(message), text: message.text, timesent: message.timesent };
  return (
    <MessageBubble
      entry={entry}
      colour={senderInfo.getColour(entry.from)}
      isOwn
      isResult={false}
      isContinuation={false}
    >
      {message.state === 'sent' ? null : (
        <Outcome state={message.state} why={message.why}>
          {message.state === 'sending' ? null : (
            <>
              <button type="button" onClick={() => outbox.retry(message)}>
                Try again
              </button>
              <button type="button" onClick={() => onRemove(message)}>
                Delete
              </button>
            </>
          )}
        </Outcome>
      )}
    </MessageBubble>
  );
}

/** A conversation by days, newest message last. The end stays in view unless the user has scrolled away from it. */
export function MessageLog(props: MessageLogProps) {
  const {
    name,
    isConnected,
    entries,
    unsent,
    senderInfo,
    lastReadId = Infinity,
    onShowEarlier,
    onRemoveUnsent,
    onDelete,
    children,
  } = props;
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [isScrolledAway, setIsScrolledAway] = useState(false);
  const now = useNow(MINUTE_MS);
  const firstId = entries[0]?.id;
  const lastLayout = useRef({ firstId, height: 0 });

  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return;
    // Messages that were added above must not move the visible ones.
    if (lastLayout.current.firstId !== undefined && firstId !== lastLayout.current.firstId && !isAtEnd.current)
      element.scrollTop += element.scrollHeight - lastLayout.current.height;
    else if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    lastLayout.current = { firstId, height: element.scrollHeight };
  });
  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  function handleScroll(element: HTMLElement): void {
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    setIsScrolledAway(!isAtEnd.current);
  }
  function scrollToEnd(): void {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }
  const lastOwnEntry = entries.findLast((entry) => senderInfo.isOwn(entry));
  const firstNewEntry = entries.find((entry) => entry.id > lastReadId && !senderInfo.isOwn(entry));

  return (
    <div className={styles['container']}>
      <div
        ref={log}
        className={styles['log']}
        role="log"
        aria-label={`Conversation with ${name}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        onScroll={(event) => handleScroll(event.currentTarget)}
      >
        {onShowEarlier === undefined ? null : (
          <button type="button" className={styles['earlier']} onClick={() => void onShowEarlier()}>
            Show earlier messages
          </button>
        )}
        {entries.length + unsent.length === 0 ? children : null}
        {entries.map((entry, index) => {
          const previous = entries[index - 1];
          const day = formatDayName(getReceivedMs(entry), now);
          const isNewDay = previous === undefined || formatDayName(getReceivedMs(previous), now) !== day;
          const isNew = entry === firstNewEntry;
          return (
            <Fragment key={entry.id}>
              {isNewDay ? <div className={styles['line']}>{day}</div> : null}
              {isNew ? (
                <div className={styles['line']} data-new>
                  New
                </div>
              ) : null}
              <MessageBubble
                entry={entry}
                colour={senderInfo.getColour(entry.from)}
                isOwn={senderInfo.isOwn(entry)}
                isResult={senderInfo.isResult(entry)}
                isContinuation={!isNewDay && !isNew && isContinuation(entry, previous)}
                onDelete={onDelete}
              >
                {entry === lastOwnEntry && unsent.length === 0 ? (
                  <Outcome state={isConnected ? 'delivered' : 'stored'} />
                ) : null}
              </MessageBubble>
            </Fragment>
          );
        })}
        {unsent.map((message) => (
          <UnsentBubble key={message.timesent} message={message} senderInfo={senderInfo} onRemove={onRemoveUnsent} />
        ))}
      </div>
      {isScrolledAway ? (
        <button type="button" className={styles['down']} onClick={scrollToEnd}>
          <IconArrowDown size={16} stroke={1.75} />
          Show newest
        </button>
      ) : null}
    </div>
  );
}
