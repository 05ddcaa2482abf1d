import { IconAlertTriangle, IconCheck, IconDeviceDesktop, IconTrash } from '@tabler/icons-react';
import { Fragment, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { FILE_MARKER } from '#platform/contract/message.ts';
import { formatDayName, getReceivedMs, formatSentTime } from '#platform/web/browser/formats.ts';
import { useNow } from '#platform/web/browser/useNow.ts';
import { ConfirmDialog } from '#platform/web/ui/Dialog.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { messageKinds, NamedIcon } from '#platform/web/ui/MessageParts.tsx';
import { listKeyLabels } from './shortcuts.ts';
import type { HistoryLine, ReplyLine, SentLine } from './useMessageHistory.ts';
import styles from './HistoryList.module.css';

/** After this long no answer can arrive (its timeout is 5 s), so no outcome was stored. */
const OUTCOME_TIMEOUT_MS = 20_000;

export function describeOutcome(
  line: SentLine,
  now: number,
): { readonly state: 'pending' | 'ok' | 'failed'; readonly description: string } {
  if (line.outcome === 'ok') return { state: 'ok', description: 'ok' };
  // The notice has the reason; repeating it on many lines does not help.
  if (line.outcome === UNREACHABLE_MESSAGE) return { state: 'failed', description: 'Not sent' };
  if (line.outcome !== '') return { state: 'failed', description: line.outcome };
  return now - getReceivedMs(line) > OUTCOME_TIMEOUT_MS
    ? { state: 'failed', description: 'Outcome unknown' }
    : { state: 'pending', description: 'Sending' };
}

function formatText({ inputtype, inputValue, kept }: SentLine): ReactNode {
  if (kept === false) return <i className={styles['notStored']}>Not in history</i>;
  if (inputtype === 3) return inputValue.slice(inputValue.indexOf(FILE_MARKER) + FILE_MARKER.length);
  const keys = inputtype === 2 ? listKeyLabels(inputValue) : undefined;
  if (keys === undefined) return inputValue;
  return keys.map((key) => (
    <kbd key={key} className={styles['kbd']}>
      {key}
    </kbd>
  ));
}

interface SentItemProps {
  readonly line: SentLine;
  readonly now: number;
  readonly onResend: (text: string) => void;
}

function SentItem({ line, now, onResend }: SentItemProps) {
  const { label, kind, icon } = messageKinds[line.inputtype];
  const { state, description } = describeOutcome(line, now);
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
        {description}
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
        if (event.detail < 2) onResend(line.inputValue);
      }}
    >
      {content}
    </button>
  );
}

function ReplyItem({ line, device }: { readonly line: ReplyLine; readonly device: string }) {
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

/** Hides all lines except the last ones that fit completely (docs/specification/remote.md section 3.4). */
function hideCutOffLines(list: HTMLElement): void {
  const items = [...list.children].filter((child) => child instanceof HTMLElement);
  for (const item of items) item.hidden = false;
  const top = list.getBoundingClientRect().top;
  const firstComplete = items.findIndex((item) => item.getBoundingClientRect().top >= top);
  // If even the last line does not fit, its end is visible.
  const first = firstComplete === -1 ? items.length - 1 : firstComplete;
  for (const item of items.slice(0, first)) item.hidden = true;
}

/** No window is high enough for more. */
const MAX_SHOWN_LINES = 80;
/** As often as pending outcomes and day headings change. */
const CLOCK_INTERVAL_MS = 10_000;

interface HistoryListProps {
  readonly lines: readonly HistoryLine[];
  readonly device: string;
  readonly onResend: (text: string) => void;
  readonly onDelete: (line: HistoryLine) => void;
}

/** The sent messages and the device's replies, from the bottom up, newest last. A click sends a message again. */
export function HistoryList({ lines, device, onResend, onDelete }: HistoryListProps) {
  const [lineToDelete, setLineToDelete] = useState<HistoryLine>();
  const listRef = useRef<HTMLDivElement>(null);
  const shownLines = lines.slice(-MAX_SHOWN_LINES);
  useLayoutEffect(() => {
    if (listRef.current) hideCutOffLines(listRef.current);
  });
  useLayoutEffect(() => {
    const element = listRef.current;
    if (!element) return undefined;
    const resizeObserver = new ResizeObserver(() => hideCutOffLines(element));
    resizeObserver.observe(element);
    return () => resizeObserver.disconnect();
  }, []);
  const now = useNow(CLOCK_INTERVAL_MS);
  return (
    <>
      <div ref={listRef} className={styles['list']} role="log" aria-label="Sent messages">
        {shownLines.map((line, index) => {
          const day = formatDayName(getReceivedMs(line), now);
          const previous = shownLines[index - 1];
          return (
            <Fragment key={`${line.from} ${line.timesent}`}>
              {previous !== undefined && formatDayName(getReceivedMs(previous), now) === day ? null : (
                <div className={styles['day']}>{day}</div>
              )}
              <div className={styles['line']} data-from={line.from}>
                {line.from === 'person' ? (
                  <SentItem line={line} now={now} onResend={onResend} />
                ) : (
                  <ReplyItem line={line} device={device} />
                )}
                <IconButton
                  className={styles['remove']}
                  label="Delete message"
                  size={28}
                  onClick={() => setLineToDelete(line)}
                >
                  <IconTrash size={16} stroke={1.75} />
                </IconButton>
              </div>
            </Fragment>
          );
        })}
      </div>
      {lineToDelete === undefined ? null : (
        <ConfirmDialog
          title="Delete this message?"
          cancelLabel="Cancel"
          onCancel={() => setLineToDelete(undefined)}
          confirmLabel="Delete"
          onConfirm={() => {
            setLineToDelete(undefined);
            onDelete(lineToDelete);
          }}
        >
          The message is deleted from the server and from the history on all your devices. Text already typed on the
          computer stays there
        </ConfirmDialog>
      )}
    </>
  );
}
