import { Button } from '@mantine/core';
import { IconAlertCircle, IconCheck, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { importactivitywatch } from '../../contract.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import { splitIntoChunks, parseExport, type AwayEvent, type ExportChunk } from '../domain/activityWatchExport.ts';
import { formatInteger } from '../domain/formats.ts';
import styles from './UsagePanel.module.css';

/** Windows per chunk: about a second of work for the server. */
const WINDOWS_PER_CHUNK = 2000;

export interface ImportState {
  readonly chunks: readonly ExportChunk[];
  /** Number of chunks that the server has. */
  readonly sentCount: number;
  readonly taken: number;
  readonly skipped: number;
  /** Import id by hostname, so that all chunks are undone together. */
  readonly ids: ReadonlyMap<string, number>;
}

/**
 * Reads a file for the import.
 * @throws Refusal if it is not an export.
 */
export async function readImportFile(file: Blob): Promise<ImportState> {
  let json: unknown;
  try {
    json = JSON.parse(await file.text());
  } catch (cause) {
    throw new Refusal('screentime.import_not_json', 'This file is not JSON. Choose a JSON export of ActivityWatch', {
      cause,
    });
  }
  const recorded = parseExport(json);
  if (!recorded)
    throw new Refusal(
      'screentime.import_no_buckets',
      'This file has no buckets. Choose a JSON export of ActivityWatch',
    );
  if (recorded.length === 0)
    throw new Refusal(
      'screentime.import_no_windows',
      'This file has no data of a window watcher, so there is nothing to import',
    );
  const chunks = recorded.flatMap((computer) => splitIntoChunks(computer, WINDOWS_PER_CHUNK));
  return { chunks, sentCount: 0, taken: 0, skipped: 0, ids: new Map() };
}

const toWireEvent = ({ timestamp, duration }: AwayEvent) => ({ timestamp, duration });

type SendChunk = (chunk: {
  hostname: string;
  window: { timestamp: string; duration: number; app: string }[];
  away: { timestamp: string; duration: number }[];
  importid: number | undefined;
}) => Promise<AnswerOf<typeof importactivitywatch>>;

/**
 * Sends the remaining chunks in order until all are sent, one fails, or `isStopped` returns true. Reports progress
 * after each.
 */
export async function sendChunks(
  initialState: ImportState,
  send: SendChunk,
  onChange: (state: ImportState) => void,
  isStopped: () => boolean,
): Promise<void> {
  let state = initialState;
  for (const { hostname, window, away } of initialState.chunks.slice(initialState.sentCount)) {
    if (isStopped()) return;
    const { taken, skipped, importid } = await send({
      hostname,
      window: window.map((event) => ({ ...toWireEvent(event), app: event.app })),
      away: away.map(toWireEvent),
      importid: state.ids.get(hostname),
    });
    state = {
      ...state,
      sentCount: state.sentCount + 1,
      taken: state.taken + taken,
      skipped: state.skipped + skipped,
      ids: importid === undefined ? state.ids : new Map([...state.ids, [hostname, importid]]),
    };
    onChange(state);
  }
}

const INVALIDATED_KEYS = [[SCREEN_TIME], ['devicedetails'], ['checkdevices']];

const formatCount = (count: number, noun: string): string => `${formatInteger(count)} ${noun}${count === 1 ? '' : 's'}`;

const formatNames = ({ chunks }: ImportState): string =>
  [...new Set(chunks.map(({ hostname }) => hostname))].join(', ');

function Progress({ state }: { readonly state: ImportState }) {
  const { chunks, sentCount, taken, skipped } = state;
  const isDone = sentCount === chunks.length;
  return (
    <div className={styles['progress']}>
      <progress aria-label="Import" max={chunks.length} value={sentCount} />
      <p role="status" data-good={isDone || undefined}>
        {isDone ? (
          <>
            <IconCheck size={15} stroke={2} />
            <span dir="auto">
              {formatCount(taken, 'event')} imported from {formatNames(state)}, {formatInteger(skipped)} skipped
            </span>
          </>
        ) : (
          `${sentCount} of ${formatCount(chunks.length, 'part')} sent`
        )}
      </p>
      {isDone && skipped > 0 ? (
        <small>
          Events are skipped if they were imported before, if the computer was idle, or if their time is not plausible
        </small>
      ) : null}
    </div>
  );
}

/** Imports an ActivityWatch export, parsed here and sent in chunks. After a failure it continues where it stopped. */
export function ImportForm() {
  const queryClient = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const isStopped = useRef(false);
  const [state, setState] = useState<ImportState>();
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const send = useMutation({
    mutationFn: async (source: File | ImportState) => {
      const initialState = source instanceof File ? await readImportFile(source) : source;
      setState(initialState);
      await sendChunks(
        initialState,
        (chunk) => call(importactivitywatch, chunk),
        setState,
        () => isStopped.current,
      );
    },
    // The import may have added a computer.
    onSettled: () => Promise.all(INVALIDATED_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  const isIncomplete = state !== undefined && state.sentCount < state.chunks.length;
  return (
    <div className={styles['import']}>
      <p>
        In ActivityWatch, open Raw data and choose Export all buckets as JSON. The windows in the file become screen
        time of a computer with the name in the file, without idle time. Browser tabs and editor files count as part of
        their windows. You can import the same file again: events that are already here are skipped
      </p>
      <input
        ref={field}
        type="file"
        accept=".json,application/json"
        className="unseen"
        tabIndex={-1}
        aria-label="ActivityWatch export"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // Choosing the same file again must be a change, too.
          event.currentTarget.value = '';
          if (!file) return;
          setState(undefined);
          send.mutate(file);
        }}
      />
      <span className={styles['buttons']}>
        <Button
          leftSection={<IconUpload size={16} stroke={1.75} />}
          disabled={send.isPending}
          onClick={() => field.current?.click()}
        >
          Choose file
        </Button>
        {isIncomplete && send.isError ? (
          <Button variant="primary" onClick={() => send.mutate(state)}>
            Continue import
          </Button>
        ) : null}
      </span>
      {state ? <Progress state={state} /> : null}
      {send.error ? (
        <p className={styles['problem']} role="alert">
          <IconAlertCircle size={15} stroke={1.75} />
          {send.error.message}
        </p>
      ) : null}
    </div>
  );
}
