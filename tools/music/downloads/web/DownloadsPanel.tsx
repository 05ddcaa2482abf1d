import { Button } from '@mantine/core';
import { IconChevronDown, IconDownload, IconUpload } from '@tabler/icons-react';
import { useId, useMemo, useState, useRef } from 'react';
import { Form } from '#platform/web/ui/Form.tsx';
import { codes, type Code, MAX_LINK_TEXT_LENGTH } from '../../contract/limits.ts';
import {
  countDownloads,
  groupDownloads,
  isOngoing,
  listUnannouncedUploads,
  formatSummary,
  type Download,
  type DownloadGroup,
} from '../domain/downloadPanel.ts';
import { DownloadEntry, FailedActionEntry, UploadEntry } from './DownloadEntry.tsx';
import { usePanel } from './panelState.ts';
import { joinPastedLines, queueLinks } from './queueLinks.ts';
import { useUploads, uploadStore } from './uploads.ts';
import { DownloaderContext, useDownloader } from './useDownloader.ts';
import { downloadActions, type DownloadsState } from './useDownloads.ts';
import { DownloaderSettings, OutdatedYtdlp } from './YtdlpPanel.tsx';
import styles from './DownloadsPanel.module.css';

/** Adds a link or files to the library, without a playlist. Not in the specification. */
export function AddForm() {
  const [url, setUrl] = useState('');
  const files = useRef<HTMLInputElement>(null);
  return (
    <Form
      className={styles['adding']}
      onSubmit={() => {
        if (url.trim() === '') return;
        void queueLinks(url.trim());
        setUrl('');
      }}
    >
      <input
        className={styles['field']}
        type="text"
        inputMode="url"
        aria-label="Video or playlist links"
        placeholder="Video or playlist links"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_LINK_TEXT_LENGTH}
        data-link-field
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        onPaste={(event) => setUrl(joinPastedLines(event) ?? url)}
      />
      <Button
        type="submit"
        size="xs"
        className={styles['submit'] ?? ''}
        leftSection={<IconDownload size={15} stroke={1.75} />}
        disabled={url.trim() === ''}
      >
        Download
      </Button>
      <Button
        size="xs"
        className={styles['submit'] ?? ''}
        leftSection={<IconUpload size={15} stroke={1.75} />}
        title="Or drop files anywhere on this page"
        onClick={() => files.current?.click()}
      >
        Upload files
      </Button>
      <input
        ref={files}
        type="file"
        hidden
        multiple
        accept="audio/*,video/*,.mp3,.m4a,.flac,.ogg,.opus,.wav,.aac,.wma,.aiff,.aif,.ape,.wv,.mpc,.caf,.amr,.ac3,.mka,.dsf,.dff,.tta,.tak,.dts,.vob"
        aria-label="Audio files"
        onChange={({ currentTarget }) => {
          uploadStore.add([...(currentTarget.files ?? [])]);
          // Lets the same file be chosen again.
          currentTarget.value = '';
        }}
      />
    </Form>
  );
}

/** Shows a download; the songs of a playlist are folded below it. */
function GroupEntry({ group }: { readonly group: DownloadGroup }) {
  const { download, songDownloads } = group;
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  if (songDownloads.length === 0)
    return (
      <li>
        <DownloadEntry download={download} />
      </li>
    );
  const endedCount = songDownloads.filter(({ code }) => !isOngoing(code)).length;
  const { failed } = countDownloads(songDownloads);
  return (
    <li>
      <DownloadEntry download={download} songDownloads={songDownloads} />
      <button
        type="button"
        className={styles['fold']}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <IconChevronDown size={15} stroke={1.75} aria-hidden />
        {`${endedCount} of ${songDownloads.length} songs of ${download.title}${failed > 0 ? `, ${failed} failed` : ''}`}
      </button>
      <ul id={id} className={styles['tracks']} hidden={!isOpen}>
        {isOpen &&
          songDownloads.map((songDownload) => (
            <li key={songDownload.id}>
              <DownloadEntry download={songDownload} />
            </li>
          ))}
      </ul>
    </li>
  );
}

function usePanelLists() {
  const { downloads: downloadsById, failedActions } = usePanel();
  const files = useUploads();
  const downloads = useMemo(() => [...downloadsById.values()], [downloadsById]);
  const uploads = useMemo(() => listUnannouncedUploads(files, downloads), [files, downloads]);
  return { downloads, failedActions, uploads };
}

/** From this number of finished downloads on, a button closes all of them. */
const MIN_CLEARABLE_COUNT = 2;

const isFinished = (code: Code): boolean => !isOngoing(code) && code !== codes.failed;

/** Closes downloads. Their songs stay in the library. */
async function closeAll(downloads: readonly Download[]): Promise<void> {
  for (const download of downloads) await downloadActions.close(download);
}

function DownloadList() {
  const { downloads, failedActions, uploads } = usePanelLists();
  const groups = useMemo(() => groupDownloads(downloads), [downloads]);
  if (groups.length + failedActions.length + uploads.length === 0)
    return <p className={styles['empty']}>No downloads. Paste a link above to start one</p>;
  const finished = groups.map(({ download }) => download).filter(({ code }) => isFinished(code));
  return (
    <>
      {finished.length >= MIN_CLEARABLE_COUNT ? (
        <Button
          size="compact-sm"
          variant="subtle"
          className={styles['clear'] ?? ''}
          onClick={() => void closeAll(finished)}
        >
          Clear finished
        </Button>
      ) : null}
      <ul className={styles['lines']} aria-label="Downloads">
        {failedActions.map((action) => (
          <li key={`action ${action.id}`}>
            <FailedActionEntry action={action} />
          </li>
        ))}
        {uploads.map((upload) => (
          <li key={`upload ${upload.id}`}>
            <UploadEntry upload={upload} />
          </li>
        ))}
        {groups.map((group) => (
          <GroupEntry key={group.download.id} group={group} />
        ))}
      </ul>
    </>
  );
}

interface DownloadsPanelProps {
  readonly state: DownloadsState;
  readonly isNarrow: boolean;
  /** Whether the panel is open on narrow windows. */
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/**
 * The Downloads panel (docs/specification/music.md sections 1.1, 3.2 and 5). Narrow windows show one line until it is
 * opened.
 */
export function DownloadsPanel({ state: serverState, isNarrow, isOpen, onToggle }: DownloadsPanelProps) {
  const downloader = useDownloader(serverState);
  const { downloads, failedActions, uploads } = usePanelLists();
  const id = useId();
  const counts = useMemo(() => countDownloads(downloads), [downloads]);
  const failedUploadCount = uploads.filter(({ state }) => state === 'failed').length;
  const failed = counts.failed + failedActions.length + failedUploadCount;
  const summary = formatSummary({ ...counts, ongoing: counts.ongoing + uploads.length - failedUploadCount, failed });
  const heading = (
    <>
      <h2>Downloads</h2>
      <p className={`${styles['sum']} num`} role="status" data-failed={failed > 0 || undefined}>
        {summary}
      </p>
    </>
  );
  return (
    <DownloaderContext value={downloader}>
      <aside
        className={`${styles['panel']} surface`}
        aria-label="Downloads panel"
        data-failed={failed > 0 || undefined}
      >
        <header className={styles['head']}>
          {heading}
          {isNarrow ? (
            <button
              type="button"
              className={styles['opener']}
              aria-expanded={isOpen}
              aria-controls={id}
              aria-label={isOpen ? 'Hide downloads' : 'Show downloads'}
              onClick={() => onToggle(!isOpen)}
            >
              <IconChevronDown size={20} stroke={1.75} aria-hidden />
            </button>
          ) : null}
        </header>
        <div id={id} className={styles['content']} hidden={isNarrow && !isOpen}>
          <OutdatedYtdlp state={serverState} />
          <AddForm />
          <DownloadList />
          <DownloaderSettings state={serverState} />
        </div>
      </aside>
    </DownloaderContext>
  );
}
