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
  isUnderWay,
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

interface LineProps {
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

/** An entry of the panel: its state as text and colour, its title, its progress, and what can be done. */
function Line({ icon: Icon, tone, state, title, percent, detail, help, children }: LineProps) {
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

interface DownloadLineProps {
  readonly download: Download;
  /** The songs of the list. */
  readonly parts?: readonly Download[];
}

const NO_PARTS: readonly Download[] = [];

/** The button for the remedy of a failed download, and the site's own message. */
function Help({ download }: { readonly download: Download }) {
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

/** A download. */
export const DownloadLine = memo(function DownloadLine({ download, parts = NO_PARTS }: DownloadLineProps) {
  const { code, title, percent } = download;
  const songs = listFinishedSongs({ head: download, parts });
  const isOngoing = isUnderWay(code);
  return (
    <Line
      icon={ICONS[code]}
      tone={getTone(code)}
      state={formatState(download)}
      title={title}
      percent={isOngoing ? percent : undefined}
      detail={formatDetail(download)}
      help={code === codes.failed ? <Help download={download} /> : null}
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
        label={isOngoing ? `Cancel ${title}` : `Remove ${title} from the list`}
        onClick={() => void (isOngoing ? downloadActions.cancel(download) : downloadActions.close(download))}
      >
        <IconX size={15} stroke={1.75} />
      </IconButton>
    </Line>
  );
});

/** An action that failed before it became a download. */
export function FailedActionLine({ action }: { readonly action: FailedAction }) {
  const { id, title, text, retry } = action;
  return (
    <Line icon={IconAlertTriangle} tone="red" state="failed" title={title} detail={text}>
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
    </Line>
  );
}

const UPLOAD_STATES: Readonly<Record<PendingUpload['state'], string>> = {
  waiting: 'Waiting',
  reading: 'Reading',
  sending: 'Uploading',
  offline: 'Waiting for a connection',
  failed: 'Upload failed',
};

/** An upload in progress. */
export function UploadLine({ upload }: { readonly upload: PendingUpload }) {
  const { id, name, share, state, reason } = upload;
  const hasFailed = state === 'failed';
  return (
    <Line
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
    </Line>
  );
}
