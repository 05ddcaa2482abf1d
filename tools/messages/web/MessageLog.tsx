import { IconArrowDown, IconX } from '@tabler/icons-react';
import { Fragment, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { formatDayName, getReceivedMs } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { Bubble, Outcome } from './MessageBubble.tsx';
import { outbox, type OutboxMessage } from './outbox.ts';
import { useNow } from './shortTime.ts';
import { type Sides, follows, type Entry, getDisplayText } from './thread.ts';
import finderStyles from './ConversationView.module.css';
import styles from './MessageLog.module.css';

/** Searches the loaded part of a conversation. */
export function useFinding() {
  const [text, setText] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const searchText = foldSearch(text ?? '');
  useCommands([
    {
      id: 'find-message',
      name: 'Find in this conversation',
      keys: '/',
      opensField: true,
      run: () => {
        setText((now) => now ?? '');
        field.current?.focus();
      },
    },
  ]);
  return {
    field,
    /** Undefined while the field is closed. */
    text,
    setText,
    isOn: searchText !== '',
    toggle: () => setText((now) => (now === undefined ? '' : undefined)),
    among: (entries: readonly Entry[]): readonly Entry[] =>
      searchText === '' ? entries : entries.filter((entry) => foldSearch(getDisplayText(entry)).includes(searchText)),
  };
}

interface FinderProps {
  readonly finding: ReturnType<typeof useFinding>;
  readonly found: number;
}

export function Finder({ finding, found }: FinderProps) {
  const { field, text, setText, isOn } = finding;
  if (text === undefined) return null;
  return (
    <form className={finderStyles['finder']} role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={field}
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
        {isOn ? `${found} found` : ''}
      </span>
      <IconButton label="Close" size={28} onClick={() => setText(undefined)}>
        <IconX size={16} stroke={1.75} />
      </IconButton>
    </form>
  );
}

/** If the end is nearer than this, the log follows new messages. */
const NEAR_PX = 80;

interface LogProps {
  readonly name: string;
  readonly isConnected: boolean;
  readonly entries: readonly Entry[];
  readonly unsent: readonly OutboxMessage[];
  readonly sides: Sides;
  /** The last message that was read before; 'New' is shown after it. */
  readonly mark?: number | undefined;
  readonly earlier?: (() => Promise<void>) | undefined;
  /** Moves the text of an unsent message back to the field. */
  readonly removeUnsent: (unsent: OutboxMessage) => void;
  readonly remove: (entry: Omit<Entry, 'id'>) => void;
  /** Shown if there are no messages. */
  readonly children: ReactNode;
}

interface UnsentProps {
  readonly each: OutboxMessage;
  readonly sides: Sides;
  readonly remove: (unsent: OutboxMessage) => void;
}

function UnsentBubble({ each, sides, remove }: UnsentProps) {
  const entry = { ...sides.unsent(each), text: each.text, timesent: each.timesent };
  return (
    <Bubble entry={entry} colour={sides.getColour(entry.from)} isOwn isResult={false} isFollowing={false}>
      {each.state === 'sent' ? null : (
        <Outcome state={each.state} why={each.why}>
          {each.state === 'sending' ? null : (
            <>
              <button type="button" onClick={() => outbox.again(each)}>
                Try again
              </button>
              <button type="button" onClick={() => remove(each)}>
                Delete
              </button>
            </>
          )}
        </Outcome>
      )}
    </Bubble>
  );
}

/** A conversation by days. The newest message is last, and stays in view unless the user has scrolled away from it. */
export function Log(props: LogProps) {
  const { name, isConnected, entries, unsent, sides, mark = Infinity, earlier, removeUnsent, remove, children } = props;
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [isAway, setIsAway] = useState(false);
  const now = useNow();
  const first = entries[0]?.id;
  const lastLayout = useRef({ first, height: 0 });

  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return;
    // Messages that were added above must not move the visible ones.
    if (lastLayout.current.first !== undefined && first !== lastLayout.current.first && !atEnd.current)
      element.scrollTop += element.scrollHeight - lastLayout.current.height;
    else if (atEnd.current) element.scrollTop = element.scrollHeight;
    lastLayout.current = { first, height: element.scrollHeight };
  });
  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return undefined;
    const sizes = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);

  const handleScroll = (element: HTMLElement): void => {
    atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    setIsAway(!atEnd.current);
  };
  const scrollToEnd = (): void => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  };
  const lastOwn = entries.findLast((entry) => sides.isOwn(entry));
  const firstNew = entries.find((entry) => entry.id > mark && !sides.isOwn(entry));

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
        {earlier === undefined ? null : (
          <button type="button" className={styles['earlier']} onClick={() => void earlier()}>
            Show earlier messages
          </button>
        )}
        {entries.length + unsent.length === 0 ? children : null}
        {entries.map((entry, at) => {
          const previous = entries[at - 1];
          const day = formatDayName(getReceivedMs(entry), now);
          const isNewDay = previous === undefined || formatDayName(getReceivedMs(previous), now) !== day;
          const isNew = entry === firstNew;
          return (
            <Fragment key={entry.id}>
              {isNewDay ? <div className={styles['line']}>{day}</div> : null}
              {isNew ? (
                <div className={styles['line']} data-new>
                  New
                </div>
              ) : null}
              <Bubble
                entry={entry}
                colour={sides.getColour(entry.from)}
                isOwn={sides.isOwn(entry)}
                isResult={sides.isResult(entry)}
                isFollowing={!isNewDay && !isNew && follows(entry, previous)}
                remove={remove}
              >
                {entry === lastOwn && unsent.length === 0 ? (
                  <Outcome state={isConnected ? 'delivered' : 'stored'} />
                ) : null}
              </Bubble>
            </Fragment>
          );
        })}
        {unsent.map((each) => (
          <UnsentBubble key={each.timesent} each={each} sides={sides} remove={removeUnsent} />
        ))}
      </div>
      {isAway ? (
        <button type="button" className={styles['down']} onClick={scrollToEnd}>
          <IconArrowDown size={16} stroke={1.75} />
          Show newest
        </button>
      ) : null}
    </div>
  );
}
