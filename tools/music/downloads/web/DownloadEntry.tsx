import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleCheck,
  IconClock,
  IconDeviceFloppy,
  IconRefresh,
  IconUpload,
  IconX,
} from '@tabler/icons-react';
import { memo, type ReactNode, useContext } from 'react';
import type { Icon } from '#platform/web/tool.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { codes, type Code } from '../../contract/limits.ts';
import {
  formatDetail,
  isOngoing,
  listFinishedSongs,
  formatState,
  getTone,
  type Download,
  type Tone,
} from '../domain/downloadPanel.ts';
import { panel, type FailedAction } from './panelState.ts';
import { uploadStore, type PendingUpload } from './uploads.ts';
import { DownloaderContext } from './useDownloader.ts';
import { downloadActions } from './useDownloads.ts';
import { UpdateButton } from './YtdlpPanel.tsx';
import styles from './DownloadsPanel.module.css';

const ICONS: Readonly<Record<Code, Icon>> = {
  0: IconCircleCheck,
  1: IconAlertTriangle,
  2: IconCheck,
  3: IconDeviceFloppy,
  4: IconClock,
  5: IconClock,
};

interface PanelEntryProps {
  readonly icon: Icon;
  readonly tone: Tone;
  readonly state: string;
  readonly title: string;
  /** 0 to 100, if known. */
  readonly percent?: number | undefined;
  readonly detail?: string | undefined;
  /** What the user can do about a failure. */
  readonly help?: ReactNode;
  /** Buttons. */
  readonly children?: ReactNode;
}

/** Shows an entry of the panel: its state as text and colour, its title, its progress, and what can be done. */
function PanelEntry({ icon: Icon, tone, state, title, percent, detail, help, children }: PanelEntryProps) {
  return (
    <div className={styles['line']} data-tone={tone}>
      <div className={styles['details']}>
        <Badge tone={tone}>
          <Icon size={14} stroke={1.75} />
          {state}
        </Badge>
        <span className={`${styles['title']} ellipsis`} dir="auto" title={title}>
          {title}
        </span>
      </div>
      {percent === undefined ? null : (
        <progress className={styles['bar']} max={100} value={percent} aria-label={`Progress of ${title}`}>
          {Math.round(percent)} %
        </progress>
      )}
      <span className={styles['actions']}>{children}</span>
      {detail === undefined ? null : <p className={styles['detail']}>{detail}</p>}
      {help}
    </div>
  );
}

const DISMISS_BUTTON = { size: 28, className: styles['dismiss'] } as const;

interface DownloadEntryProps {
  readonly download: Download;
  /** The downloads of a playlist's songs. */
  readonly songDownloads?: readonly Download[];
}

const NO_DOWNLOADS: readonly Download[] = [];

/** Shows the button for the remedy of a failed download, and the site's own message. */
function FailureHelp({ download }: { readonly download: Download }) {
  const { remedy, url, details } = download;
  const { addCookies } = useContext(DownloaderContext);
  const tryAgain = (): void => void downloadActions.retry(download);
  if (remedy === undefined && details === undefined) return null;
  return (
    <div className={styles['help']}>
      {remedy === 'update' ? <UpdateButton label="Update and try again" onUpdated={tryAgain} /> : null}
      {remedy === 'cookies' ? (
        <Button size="xs" onClick={() => void addCookies().then((isDone) => (isDone ? tryAgain() : undefined))}>
          Add cookies and try again
        </Button>
      ) : null}
      {remedy === 'again' ? (
        <Button size="xs" onClick={tryAgain}>
          Try again
        </Button>
      ) : null}
      {remedy === 'open' && url !== undefined ? (
        <Button size="xs" component="a" href={url} target="_blank" rel="noopener noreferrer">
          Open page
        </Button>
      ) : null}
      {details === undefined ? null : (
        <details>
          <summary>Details</summary>
          {details}
        </details>
      )}
    </div>
  );
}

/** Shows a download, with the buttons to save, retry, cancel or remove it. */
export const DownloadEntry = memo(function DownloadEntry({
  download,
  songDownloads = NO_DOWNLOADS,
}: DownloadEntryProps) {
  const { code, title, percent } = download;
  const songs = listFinishedSongs({ download, songDownloads });
  const canCancel = isOngoing(code);
  return (
    <PanelEntry
      icon={ICONS[code]}
      tone={getTone(code)}
      state={formatState(download)}
      title={title}
      percent={canCancel ? percent : undefined}
      detail={formatDetail(download)}
      help={code === codes.failed ? <FailureHelp download={download} /> : null}
    >
      {code === codes.save && songs.length > 0 ? (
        <button
          type="button"
          className={styles['save']}
          aria-label={`Save ${title}`}
          onClick={() => void downloadActions.save(download, songs)}
        >
          Save
        </button>
      ) : null}
      {code === codes.failed ? (
        <IconButton size={28} label={`Try ${title} again`} onClick={() => void downloadActions.retry(download)}>
          <IconRefresh size={15} stroke={1.75} />
        </IconButton>
      ) : null}
      <IconButton
        {...DISMISS_BUTTON}
        label={canCancel ? `Cancel ${title}` : `Remove ${title} from the list`}
        onClick={() => void (canCancel ? downloadActions.cancel(download) : downloadActions.close(download))}
      >
        <IconX size={15} stroke={1.75} />
      </IconButton>
    </PanelEntry>
  );
});

/** Shows an action that failed before it became a download. */
export function FailedActionEntry({ action }: { readonly action: FailedAction }) {
  const { id, title, text, retry } = action;
  return (
    <PanelEntry icon={IconAlertTriangle} tone="red" state="failed" title={title} detail={text}>
      {retry ? (
        <IconButton
          size={28}
          label={`Try ${title} again`}
          onClick={() => {
            panel.closeFailedAction(id);
            retry();
          }}
        >
          <IconRefresh size={15} stroke={1.75} />
        </IconButton>
      ) : null}
      <IconButton
        {...DISMISS_BUTTON}
        label={`Remove ${title} from the list`}
        onClick={() => panel.closeFailedAction(id)}
      >
        <IconX size={15} stroke={1.75} />
      </IconButton>
    </PanelEntry>
  );
}

const UPLOAD_STATES: Readonly<Record<PendingUpload['state'], string>> = {
  waiting: 'Waiting',
  reading: 'Reading',
  sending: 'Uploading',
  offline: 'Waiting for a connection',
  failed: 'Upload failed',
};

/** Shows an upload that is in progress or has failed. */
export function UploadEntry({ upload }: { readonly upload: PendingUpload }) {
  const { id, name, share, state, reason } = upload;
  const hasFailed = state === 'failed';
  return (
    <PanelEntry
      icon={hasFailed ? IconAlertTriangle : IconUpload}
      tone={hasFailed ? 'red' : 'orange'}
      state={UPLOAD_STATES[state]}
      title={name}
      percent={hasFailed || state === 'waiting' ? undefined : share * 100}
      detail={hasFailed ? `Failed: ${reason}` : undefined}
    >
      {hasFailed ? (
        <IconButton size={28} label={`Try ${name} again`} onClick={() => uploadStore.retry(id)}>
          <IconRefresh size={15} stroke={1.75} />
        </IconButton>
      ) : null}
      <IconButton {...DISMISS_BUTTON} label={`Cancel ${name}`} onClick={() => uploadStore.cancel(id)}>
        <IconX size={15} stroke={1.75} />
      </IconButton>
    </PanelEntry>
  );
}
