import { Button } from '@mantine/core';
import { IconCalendarDown } from '@tabler/icons-react';
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { MAX_ICS_BYTES, eventsbetween } from '../../contract/events.ts';
import { importevents, previewimport } from '../../contract/exchange.ts';
import { toLocalDay, parseDay } from '../../events/domain/day.ts';
import { decodeIcsText } from '../../exchange/domain/icsText.ts';
import { calendarPage } from '../../page.ts';
import { queryKeys } from '../selection.ts';
import styles from './Import.module.css';

interface WarningsProps {
  readonly warnings: readonly { readonly name: string; readonly why: string }[];
}

/** What a calendar contains that could not be taken over unchanged. */
export function Warnings({ warnings }: WarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <details className={styles['problems']} open={warnings.length <= 3}>
      <summary>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</summary>
      <ul>
        {warnings.map(({ name, why }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a list that never changes, of rows that may be alike
          <li key={index}>
            <b dir="auto">{name}</b> {why}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface Counts {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
}

const formatNumber = (count: number): string => count.toLocaleString('en');
const formatEventCount = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'event' : 'events'}`;
const getVerb = (count: number): string => (count === 1 ? 'is' : 'are');

/** Summarizes a file: '120 events are new, 3 are changed, 5 are here already'. */
export function formatFileSummary({ added, changed, same }: Counts): string {
  const counts = [
    { count: added, words: 'new' },
    { count: changed, words: 'changed' },
    { count: same, words: 'already in your calendar' },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return 'This file has no events';
  return counts
    .map(
      ({ count, words }, index) =>
        `${index === 0 ? formatEventCount(count) : formatNumber(count)} ${getVerb(count)} ${words}`,
    )
    .join(', ');
}

/** Summarizes an import: '120 events imported, 3 changed, 5 were here already'. */
export function formatImportSummary({ added, changed, same, refused }: Counts & { readonly refused: number }): string {
  return [
    `${formatEventCount(added)} imported`,
    ...(changed > 0 ? [`${formatNumber(changed)} changed`] : []),
    ...(same > 0 ? [`${formatNumber(same)} ${same === 1 ? 'was' : 'were'} already in your calendar`] : []),
    ...(refused > 0 ? [`${formatNumber(refused)} could not be imported`] : []),
  ].join(', ');
}

function EventTable({ events, total }: { readonly events: Preview['events']; readonly total: number }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard too
    <div className={styles['scroll']} role="region" aria-label="Events of the file" tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col">Event</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ name, date, when, changed }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a list that never changes, of rows that may be alike
            <tr key={index}>
              <td className="num">{date}</td>
              <td dir="auto">
                {name}
                {changed && <small className={styles['changed']}>changed</small>}
              </td>
              <td>{when}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > events.length && (
        <p className={styles['more']}>and {(total - events.length).toLocaleString('en')} more</p>
      )}
    </div>
  );
}

interface ImportPreviewProps {
  readonly file: string;
  readonly preview: Preview;
  readonly isBusy: boolean;
  readonly onImport: () => void;
  readonly onCancel: () => void;
}

/** Shows the events of a file before they are imported. */
export function ImportPreview({ file, preview, isBusy, onImport, onCancel }: ImportPreviewProps) {
  const { name, added, changed, events, problems } = preview;
  const total = added + changed;
  return (
    <div className={styles['preview']}>
      <p role="status">
        <b dir="auto">{name ?? file}</b>
        <span>{formatFileSummary(preview)}</span>
      </p>
      {events.length > 0 && <EventTable events={events} total={total} />}
      <Warnings warnings={problems} />
      <div className={styles['buttons']}>
        <Button variant="primary" disabled={total === 0} loading={isBusy} onClick={onImport}>
          Import
        </Button>
        <Button disabled={isBusy} onClick={onCancel}>
          {total === 0 ? 'Choose another file' : 'Cancel'}
        </Button>
      </div>
    </div>
  );
}

/** Returns the event to show first: the next one, or else the last one. */
function findFirstToShow(events: Preview['events']) {
  const today = toLocalDay(Date.now());
  return events.find(({ date }) => (parseDay(date) ?? 0) >= today) ?? events.at(-1);
}

/** Returns the path of an imported event. */
function useEventPath(event: Preview['events'][number] | undefined): string | undefined {
  const iso = toIso(parseDay(event?.date ?? '') ?? 0);
  const { data } = useQuery({
    queryKey: queryKeys.between(iso, iso),
    queryFn: () => call(eventsbetween, { from: iso, until: iso }),
    enabled: event !== undefined,
  });
  const entries = [...(data?.dates[iso]?.entries ?? []), ...(data?.durations ?? [])];
  const match = entries.find(({ name }) => name === event?.name);
  if (!match) return undefined;
  const query = new URLSearchParams({ view: 'event', event: String(match.eventid), date: iso, type: match.type });
  return `${calendarPage.path}?${query.toString()}`;
}

interface ImportResultProps {
  readonly preview: Preview;
  readonly result: ImportAnswer;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shows what was imported, with a link to it. */
export function ImportResult({ preview, result, onClose, children }: ImportResultProps) {
  const shownEvent = findFirstToShow(preview.events);
  const path = useEventPath(shownEvent);
  return (
    <div className={styles['preview']}>
      <p role="status">
        <b>Imported</b>
        <span>{formatImportSummary(result)}</span>
      </p>
      <div className={styles['buttons']}>
        {path !== undefined && shownEvent && (
          <PageLink to={path} onClick={onClose} className={styles['link']}>
            Show “{shownEvent.name}”
          </PageLink>
        )}
        {children}
      </div>
    </div>
  );
}

export type Preview = AnswerOf<typeof previewimport>;
export type ImportAnswer = AnswerOf<typeof importevents>;

/** A file that was read, and its preview. */
interface SelectedFile {
  readonly name: string;
  readonly text: string;
  readonly preview: Preview;
}

async function readFile(file: File): Promise<SelectedFile> {
  if (file.size > MAX_ICS_BYTES)
    throw new Refusal(
      'calendar.file_too_large',
      `${file.name} is larger than ${MAX_ICS_BYTES / 1024 / 1024} MB. Export a shorter period`,
    );
  const text = decodeIcsText(new Uint8Array(await file.arrayBuffer()));
  return { name: file.name, text, preview: await call(previewimport, { text }) };
}

function DropZone({ isBusy, onFile }: { readonly isBusy: boolean; readonly onFile: (file: File) => void }) {
  const [isDraggedOver, setDraggedOver] = useState(false);
  function selectFirst(files: FileList | null): void {
    const file = files?.[0];
    if (file && !isBusy) onFile(file);
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dropping is a second way to what the file field within does
    <label
      className={styles['drop']}
      data-over={isDraggedOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setDraggedOver(true);
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDraggedOver(false);
        selectFirst(event.dataTransfer.files);
      }}
    >
      <IconCalendarDown size={24} stroke={1.6} aria-hidden />
      <span>{isBusy ? 'Reading the file…' : 'Choose an .ics file or drop it here'}</span>
      <small>You can check the events before they are imported</small>
      <input
        className="unseen"
        type="file"
        accept=".ics,.ical,.ifb,text/calendar"
        aria-label="Calendar file"
        disabled={isBusy}
        onChange={(event) => {
          selectFirst(event.currentTarget.files);
          // Allows selecting the same file again after it was edited.
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

function useImport() {
  const queryClient = useQueryClient();
  const [selectedFile, setSelectedFile] = useState<SelectedFile>();
  const readMutation = useMutation({ mutationFn: readFile, onSuccess: setSelectedFile });
  const importMutation = useMutation({
    mutationFn: ({ text }: SelectedFile) => call(importevents, { text }),
    onError: showError,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.all }),
  });
  return {
    selectedFile,
    readMutation,
    importMutation,
    selectFile: (file: File): void => {
      setSelectedFile(undefined);
      importMutation.reset();
      readMutation.mutate(file);
    },
    reset: (): void => {
      setSelectedFile(undefined);
      importMutation.reset();
      readMutation.reset();
    },
  };
}

interface ImportProps {
  /** Whether the dialog was opened for this section. */
  readonly startsHere: boolean;
  readonly onClose: () => void;
}

/** The section for importing an .ics file: select, preview, import. */
export function Import({ startsHere, onClose }: ImportProps) {
  const { selectedFile, readMutation, importMutation, selectFile, reset } = useImport();
  const title = useRef<HTMLHeadingElement>(null);
  // The dialog would otherwise focus it without scrolling to it.
  useEffect(() => {
    if (startsHere) title.current?.scrollIntoView();
  }, [startsHere]);
  return (
    <section aria-labelledby="import-title">
      <h3 ref={title} id="import-title" tabIndex={-1} {...(startsHere ? { 'data-autofocus': true } : {})}>
        Import a file
      </h3>
      <p className={styles['text']}>Events that are already in your calendar are updated, not duplicated</p>
      {!selectedFile && <DropZone isBusy={readMutation.isPending} onFile={selectFile} />}
      {readMutation.error && (
        <p className={styles['error']} role="alert">
          {readMutation.error.message}
        </p>
      )}
      {selectedFile && !importMutation.data && (
        <ImportPreview
          file={selectedFile.name}
          preview={selectedFile.preview}
          isBusy={importMutation.isPending}
          onImport={() => importMutation.mutate(selectedFile)}
          onCancel={reset}
        />
      )}
      {selectedFile && importMutation.data && (
        <ImportResult preview={selectedFile.preview} result={importMutation.data} onClose={onClose}>
          <Button onClick={reset}>Import another file</Button>
        </ImportResult>
      )}
    </section>
  );
}
