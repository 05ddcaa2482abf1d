import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconMinus, IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { encodeBase64 } from '#platform/web/browser/encodeBase64.ts';
import { accountimport, dropimport, importpart, IMPORT_PART_BYTES, startimport } from '../../contract.ts';
import { FormError } from './PasswordConfirmation.tsx';
import account from './AccountPanel.module.css';
import styles from './ImportPanel.module.css';

type ImportState = AnswerOf<typeof accountimport>;
type PartReport = NonNullable<ImportState['parts']>[number];

const QUERY_KEY = ['accountimport'] as const;
/** How often the progress of a running import is loaded. */
const RUNNING_INTERVAL_MS = 1000;

/** Names of the parts, in the words of their pages. */
const NAME_BY_TOOL: Readonly<Record<string, string>> = {
  accounts: 'Account',
  devices: 'Paired computers and browsers',
  remote: 'Scripts',
  messages: 'Messages',
  paste: 'Pastebin',
  calendar: 'Calendar',
  shopping: 'Shopping planner',
  timetable: 'Timetable',
  screentime: 'Screen time',
  music: 'Music',
  gallery: 'Video sessions',
};

/** Descriptions of parts without a count or a problem. */
const TEXT_BY_STATUS: Readonly<Record<PartReport['status'], string>> = {
  imported: 'Nothing to import',
  skipped: 'Skipped, because this account has such data already',
  failed: 'Not imported',
  unsupported: "Not imported: this server can't read it",
};

/** Uploads a zip in parts. A file that was interrupted continues where the server has stopped. */
async function uploadExport(
  file: File,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (percent: number) => void },
): Promise<void> {
  let { offset } = await call(startimport, {
    size: file.size,
    key: `${file.name} ${file.size} ${file.lastModified}`.slice(0, 1000),
  });
  while (offset < file.size && !signal.aborted) {
    onProgress(Math.floor((offset / file.size) * 100));
    const data = await encodeBase64(file.slice(offset, offset + IMPORT_PART_BYTES));
    ({ offset } = await call(importpart, { offset, data }));
  }
}

function useAccountImport() {
  const queryClient = useQueryClient();
  const [percent, setPercent] = useState(0);
  const controller = useRef(new AbortController());
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: () => call(accountimport, {}),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? RUNNING_INTERVAL_MS : false),
  });
  const reload = () => queryClient.invalidateQueries({ queryKey: QUERY_KEY });
  const upload = useMutation({
    mutationFn: (file: File) => {
      controller.current = new AbortController();
      setPercent(0);
      return uploadExport(file, { signal: controller.current.signal, onProgress: setPercent });
    },
    onSettled: reload,
  });
  const drop = useMutation({
    mutationFn: () => {
      controller.current.abort();
      return call(dropimport, {});
    },
    onError: showError,
    onSettled: reload,
  });
  return { state: query.data, percent, upload, drop };
}

const getName = (tool: string): string => NAME_BY_TOOL[tool] ?? tool;
const getStatusText = (tool: string, status: PartReport['status']): string =>
  tool === 'devices' ? 'Not imported. Pair your computers again' : TEXT_BY_STATUS[status];

/** Returns whether a part had nothing, so that its name is enough. */
const isEmptyPart = ({ status, counts, problems }: PartReport): boolean =>
  status === 'imported' && problems.length === 0 && Object.values(counts).every((count) => count === 0);

/** Formats 'Events: 12, tags: 3'. */
function formatCounts(counts: PartReport['counts']): string {
  const text = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name}: ${count.toLocaleString('en')}`)
    .join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function PartLine({ part: { tool, status, counts, problems } }: { readonly part: PartReport }) {
  const summary = formatCounts(counts);
  const isImported = status === 'imported' && summary !== '';
  return (
    <li className={styles['entry']} data-status={status}>
      {status === 'failed' ? (
        <IconAlertTriangle size={18} stroke={1.75} />
      ) : isImported ? (
        <IconCheck size={18} stroke={1.75} />
      ) : (
        <IconMinus size={18} stroke={1.75} />
      )}
      <span className={account['details']}>
        <b>{getName(tool)}</b>
        {summary === '' && problems.length > 0 && status === 'imported' ? null : (
          <span>{summary === '' ? getStatusText(tool, status) : summary}</span>
        )}
        {problems.map((problem) => (
          <small key={problem}>{problem}</small>
        ))}
      </span>
    </li>
  );
}

interface ImportReportProps {
  readonly state: ImportState;
  readonly onHide: () => void;
}

/** Says what became of each part of an import, or why it failed as a whole. */
function ImportReport({ state, onHide }: ImportReportProps) {
  const { parts = [] } = state;
  const emptyNames = parts.filter(isEmptyPart).map(({ tool }) => getName(tool));
  return (
    <section className={styles['report']} aria-label="Result of the import">
      <h3>Result of the import</h3>
      {state.state === 'failed' ? (
        <p className={account['error']} role="alert">
          <IconAlertTriangle size={15} stroke={1.75} />
          {state.error}
        </p>
      ) : null}
      <ul>
        {parts
          .filter((part) => !isEmptyPart(part))
          .map((part) => (
            <PartLine key={part.tool} part={part} />
          ))}
      </ul>
      {emptyNames.length === 0 ? null : <p className={account['quiet']}>Nothing to import: {emptyNames.join(', ')}</p>}
      <Button onClick={onHide}>Hide result</Button>
    </section>
  );
}

function describeProgress(state: ImportState | undefined, isUploading: boolean, percent: number): string | undefined {
  if (isUploading) return `Uploading: ${percent} %`;
  if (state?.state === 'running') return `Importing${state.percent === undefined ? '' : `: ${state.percent} %`}`;
  if (state?.state === 'uploading') return 'The upload was interrupted. Choose the same file again to continue';
  return undefined;
}

/** Imports the zip of another server, and says what was imported and what was not. */
export default function ImportPanel() {
  const { state, percent, upload, drop } = useAccountImport();
  const input = useRef<HTMLInputElement>(null);
  const isBusy = upload.isPending || state?.state === 'running';
  const progress = describeProgress(state, upload.isPending, percent);
  return (
    <>
      <div className={account['line']}>
        <span className={account['details']}>
          <b>Import my data</b>
          <small aria-live="polite">
            {progress ??
              'Import the zip that “Export all data” of another Pegboard has downloaded. What this account has already stays unchanged'}
          </small>
        </span>
        <input
          ref={input}
          type="file"
          accept=".zip,application/zip"
          aria-label="Exported zip"
          hidden
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = '';
            if (file) upload.mutate(file);
          }}
        />
        {isBusy || state?.state === 'uploading' ? <Button onClick={() => drop.mutate()}>Cancel import</Button> : null}
        <Button loading={isBusy} onClick={() => input.current?.click()}>
          <IconUpload size={15} stroke={1.75} />
          <span className={account['label']}>Import</span>
        </Button>
        <FormError error={upload.error} />
      </div>
      {state?.state === 'done' || state?.state === 'failed' ? (
        <ImportReport state={state} onHide={() => drop.mutate()} />
      ) : null}
    </>
  );
}
