import { IconAlertTriangle, IconCheck, IconDeviceDesktop, IconTrash } from '@tabler/icons-react';
import { Fragment, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { FILE_MARKER } from '#platform/contract/message.ts';
import { formatDayName, getReceivedMs, formatSentTime } from '#platform/web/browser/formats.ts';
import { DiscardDialog } from '#platform/web/ui/Dialog.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { messageKinds } from '#platform/web/ui/MessageParts.tsx';
import { NamedIcon } from '#platform/web/ui/NamedIcon.tsx';
import { describeOutcome } from './history.ts';
import type { Line, SaidLine, SentLine } from './lines.ts';
import { writtenKeys } from './shortcuts.ts';
import styles from './HistoryList.module.css';

const formatText = ({ inputtype, inputValue, kept }: SentLine): ReactNode => {
  if (kept === false) return <i className={styles['notStored']}>Not in history</i>;
  if (inputtype === 3) return inputValue.slice(inputValue.indexOf(FILE_MARKER) + FILE_MARKER.length);
  const keys = inputtype === 2 ? writtenKeys(inputValue) : undefined;
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
  const { word, kind, icon } = messageKinds[line.inputtype];
  const { state, words } = describeOutcome(line, now);
  const isStored = line.kept !== false;
  const content = (
    <>
      <NamedIcon className={styles['tile']} icon={icon} name={word} />
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

function DeviceItem({ line, device }: { readonly line: SaidLine; readonly device: string }) {
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
