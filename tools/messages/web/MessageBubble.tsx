import { IconAlertTriangle, IconChecks, IconClock, IconTerminal2, IconTrash } from '@tabler/icons-react';
import { memo, type CSSProperties, type ReactNode } from 'react';
import { getSentMs, formatSentTime } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { messageKinds, NamedIcon } from '#platform/web/ui/MessageParts.tsx';
import { getDisplayText, type ConversationEntry } from './conversation.ts';
import styles from './MessageBubble.module.css';

/** How the result of a script is shown: a message with a file marker from a computer. */
const resultKind = { label: 'Script result', kind: 'result', icon: IconTerminal2 } as const;

/** A part of a text: a web address, or what is between two. */
interface TextSegment {
  readonly text: string;
  /** Only for web addresses. */
  readonly href?: string;
}

/** Splits a text at its web addresses; only those become links. */
function splitLinks(text: string): readonly TextSegment[] {
  return text
    .split(/(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/i)
    .flatMap((segment, index): readonly TextSegment[] => {
      if (segment === '') return [];
      return [index % 2 === 1 && URL.canParse(segment) ? { text: segment, href: segment } : { text: segment }];
    });
}

function LinkedText({ text }: { readonly text: string }) {
  return splitLinks(text).map(({ text: label, href }, index) =>
    href === undefined ? (
      label
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the segments of a text never move
      <a key={index} href={href} target="_blank" rel="noopener noreferrer">
        {label}
      </a>
    ),
  );
}

interface MessageBubbleProps {
  readonly entry: Omit<ConversationEntry, 'id'>;
  /** Colour of the sender, for strip, dot and tint. */
  readonly colour: string;
  readonly isOwn: boolean;
  /** Whether a computer reports the result of a script. */
  readonly isResult: boolean;
  /** Hides the sender's name and the time, because the previous message has the same sender. */
  readonly isContinuation: boolean;
  /** Undefined if it can't be deleted. */
  readonly onDelete?: ((entry: Omit<ConversationEntry, 'id'>) => void) | undefined;
  /** Shown below the message: its outcome. */
  readonly children?: ReactNode;
}

/**
 * One message: tint, strip, dot and name show its sender, and a coloured icon its kind. Rendered only when it changes.
 */
export const MessageBubble = memo(function Bubble(props: MessageBubbleProps) {
  const { entry, colour, isOwn, isResult, isContinuation, onDelete, children } = props;
  const { label, kind, icon } = isResult ? resultKind : messageKinds[entry.inputtype];
  const sentTime = formatSentTime(entry);
  return (
    <article
      className={styles['message']}
      data-own={isOwn || undefined}
      data-follows={isContinuation || undefined}
      style={{ '--c': colour } as CSSProperties}
      aria-label={`${entry.sentby}, ${sentTime}`}
    >
      {isContinuation ? null : (
        <div className={styles['sender']}>
          <span className={`${styles['dot']} dot`} />
          <b className="ellipsis" dir="auto">
            {entry.sentby}
          </b>
          <time className="num" dateTime={new Date(getSentMs(entry)).toISOString()}>
            {sentTime}
          </time>
        </div>
      )}
      <div className={styles['row']}>
        <div className={styles['bubble']} data-kind={kind}>
          <NamedIcon className={styles['sort']} icon={icon} name={label} />
          {kind === 'result' ? (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long ones scroll in themselves
            <pre className={styles['output']} dir="auto" tabIndex={0} aria-label="Script result">
              {entry.text}
            </pre>
          ) : (
            <span className={styles['text']} dir="auto">
              <LinkedText text={getDisplayText(entry)} />
            </span>
          )}
        </div>
        {onDelete === undefined ? null : (
          <IconButton className={styles['remove']} label="Delete message" size={28} onClick={() => onDelete(entry)}>
            <IconTrash size={16} stroke={1.75} />
          </IconButton>
        )}
      </div>
      {children}
    </article>
  );
});

const outcomes = {
  sending: { label: 'Sending', Icon: IconClock },
  waiting: { label: 'Waiting for the server', Icon: IconClock },
  failed: { label: 'Not sent', Icon: IconAlertTriangle },
  delivered: { label: 'Delivered', Icon: IconChecks },
  stored: { label: 'Sent', Icon: IconChecks },
} as const;

interface OutcomeProps {
  readonly state: keyof typeof outcomes;
  readonly why?: string | undefined;
  readonly children?: ReactNode;
}

/** The outcome of an own message. */
export function Outcome({ state, why, children }: OutcomeProps) {
  const { label, Icon } = outcomes[state];
  return (
    <div className={styles['outcome']} data-state={state}>
      <Icon size={15} stroke={1.75} />
      <span>{why === undefined ? label : `${label}: ${why}`}</span>
      {children}
    </div>
  );
}
