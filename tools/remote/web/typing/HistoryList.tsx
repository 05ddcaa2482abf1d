import { IconAlertTriangle, IconCheck, IconDeviceDesktop, IconTrash } from '@tabler/icons-react';
import { Fragment, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { FILE_MARKER } from '#platform/contract/message.ts';
import { formatDayName, getReceivedMs, formatSentTime } from '#platform/web/browser/formats.ts';
import { DiscardDialog } from '#platform/web/ui/Dialog.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { messageKinds, NamedIcon } from '#platform/web/ui/MessageParts.tsx';
import { formatKeys } from './shortcuts.ts';
import type { Line, ReplyLine, SentLine } from './useHistory.ts';
import styles from './HistoryList.module.css';

/** After this time no answer can arrive any more (timeout 5 s), and no outcome was stored. */
const FORGOTTEN_MS = 20_000;

/** Describes the outcome of a message: pending, done, or failed with the reason. */
export function describeOutcome(
  line: SentLine,
  now: number,
): { readonly state: 'pending' | 'ok' | 'failed'; readonly words: string } {
  if (line.outcome === 'ok') return { state: 'ok', words: 'ok' };
  // The notice has the reason; repeating it on many lines does not help.
  if (line.outcome === UNREACHABLE_MESSAGE) return { state: 'failed', words: 'Not sent' };
  if (line.outcome !== '') return { state: 'failed', words: line.outcome };
  return now - getReceivedMs(line) > FORGOTTEN_MS
    ? { state: 'failed', words: 'Outcome unknown' }
    : { state: 'pending', words: 'Sending' };
}

const formatText = ({ inputtype, inputValue, kept: stored }: SentLine): ReactNode => {
  if (stored === false) return <i className={styles['notStored']}>Not in history</i>;
  if (inputtype === 3) return inputValue.slice(inputValue.indexOf(FILE_MARKER) + FILE_MARKER.length);
  const keys = inputtype === 2 ? formatKeys(inputValue) : undefined;
  if (keys === undefined) return inputValue;
  return keys.map((key) => (
    <kbd key={key} className={styles['kbd']}>
      {key}
    </kbd>
  ));
};

interface SentItemProps {
  readonly line: SentLine;
  readonly now: number;
  readonly again: (text: string) => void;
}

function SentItem({ line, now, again }: SentItemProps) {
  const { label, kind, icon } = messageKinds[line.inputtype];
  const { state, words } = describeOutcome(line, now);
  const isStored = line.kept !== false;
  const content = (
    <>
      <NamedIcon className={styles['tile']} icon={icon} name={label} />
      <span className={styles['text']} dir="auto">
        {formatText(line)}
      </span>
      {isStored ? <span className={styles['resend']}>Send again</span> : <span />}
      <span className={styles['outcome']}>
        {state === 'ok' ? <IconCheck size={14} stroke={2} /> : null}
        {state === 'failed' ? <IconAlertTriangle size={14} stroke={2} /> : null}
        {words}
      </span>
      <time className="num">{formatSentTime(line)}</time>
    </>
  );
  const attributes = { className: styles['item'], 'data-kind': kind, 'data-state': state };
  if (!isStored) return <div {...attributes}>{content}</div>;
  return (
    <button
      type="button"
      {...attributes}
      onClick={(event) => {
        if (event.detail < 2) again(line.inputValue);
      }}
    >
      {content}
    </button>
  );
}

function DeviceItem({ line, device }: { readonly line: ReplyLine; readonly device: string }) {
  return (
    <div className={styles['item']} data-kind="said">
      <NamedIcon className={styles['tile']} icon={IconDeviceDesktop} name={`From ${device}`} />
      <pre className={styles['receivedText']} dir="auto">
        {line.text}
      </pre>
      <time className="num">{formatSentTime(line)}</time>
    </div>
  );
}

/**
 * Shows as many of the last lines as fit completely, and hides those above (docs/specification/remote.md section 3.4).
 */
const hideCutOff = (list: HTMLElement): void => {
  const items = [...list.children].filter((child) => child instanceof HTMLElement);
  for (const item of items) item.hidden = false;
  const top = list.getBoundingClientRect().top;
  const firstWhole = items.findIndex((item) => item.getBoundingClientRect().top >= top);
  // A single line that is higher than the window shows its end.
  const first = firstWhole === -1 ? items.length - 1 : firstWhole;
  for (const item of items.slice(0, first)) item.hidden = true;
};

/** A window never shows more than this. */
const MAX_SHOWN_LINES = 80;
const CLOCK_INTERVAL_MS = 10_000;

/** Returns the time, updated as often as the list needs it for pending outcomes and day headings. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), CLOCK_INTERVAL_MS);
    return () => clearInterval(tick);
  }, []);
  return now;
};

interface HistoryListProps {
  readonly lines: readonly Line[];
  readonly device: string;
  readonly again: (text: string) => void;
  readonly remove: (line: Line) => void;
}

/** The sent messages and the device's replies, from the bottom up, newest last. A click sends a message again. */
export function HistoryList({ lines, device, again, remove }: HistoryListProps) {
  const [removing, setRemoving] = useState<Line>();
  const list = useRef<HTMLDivElement>(null);
  const shown = lines.slice(-MAX_SHOWN_LINES);
  useLayoutEffect(() => {
    if (list.current) hideCutOff(list.current);
  });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const sizes = new ResizeObserver(() => hideCutOff(element));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  const now = useNow();
  return (
    <>
      <div ref={list} className={styles['list']} role="log" aria-label="Sent messages">
        {shown.map((line, at) => {
          const day = formatDayName(getReceivedMs(line), now);
          const previous = shown[at - 1];
          return (
            <Fragment key={`${line.from} ${line.timesent}`}>
              {previous !== undefined && formatDayName(getReceivedMs(previous), now) === day ? null : (
                <div className={styles['day']}>{day}</div>
              )}
              <div className={styles['line']} data-from={line.from}>
                {line.from === 'person' ? (
                  <SentItem line={line} now={now} again={again} />
                ) : (
                  <DeviceItem line={line} device={device} />
                )}
                <IconButton
                  className={styles['remove']}
                  label="Delete message"
                  size={28}
                  onClick={() => setRemoving(line)}
                >
                  <IconTrash size={16} stroke={1.75} />
                </IconButton>
              </div>
            </Fragment>
          );
        })}
      </div>
      {removing === undefined ? null : (
        <DiscardDialog
          title="Delete this message?"
          keepLabel="Cancel"
          onKeep={() => setRemoving(undefined)}
          discardLabel="Delete"
          onDiscard={() => {
            setRemoving(undefined);
            remove(removing);
          }}
        >
          The message is deleted from the server and from the history on all your devices. Text already typed on the
          computer stays there
        </DiscardDialog>
      )}
    </>
  );
}
