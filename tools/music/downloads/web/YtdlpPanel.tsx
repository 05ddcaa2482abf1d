import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { formatMoment } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { removecookies, setytdlpupdates } from '../../contract.ts';
import { formatSites } from '../domain/cookies.ts';
import { DownloaderContext } from './useDownloader.ts';
import { DOWNLOADS_KEY, type DownloadsState } from './useDownloads.ts';
import styles from './DownloadsPanel.module.css';

interface UpdateButtonProps {
  readonly label?: string;
  readonly onUpdated?: () => void;
}

/** Updates yt-dlp if the user is the owner of the server; otherwise says whom to contact. */
export function UpdateButton({ label = 'Update yt-dlp', onUpdated }: UpdateButtonProps) {
  const { isOwner, isUpdating, update } = useContext(DownloaderContext);
  if (!isOwner) return <span>Ask the owner of this server to update yt-dlp</span>;
  return (
    <Button
      size="xs"
      disabled={isUpdating}
      onClick={() => void update().then((isDone) => (isDone ? onUpdated?.() : undefined))}
    >
      {isUpdating ? 'Updating yt-dlp…' : label}
    </Button>
  );
}

/** Returns whether yt-dlp is missing or too old for large sites. */
const hasAdvice = ({ advice = '' }: DownloadsState): boolean => advice !== '';

/** Shown above the link field if yt-dlp is missing or too old for large sites. */
export function OutdatedYtdlp({ state }: { readonly state: DownloadsState }) {
  const { isOwner } = useContext(DownloaderContext);
  if (!hasAdvice(state)) return null;
  return (
    <div className={styles['old']} role="status">
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
      <p>{state.advice}</p>
      {isOwner ? <UpdateButton /> : null}
    </div>
  );
}

type UpdateState = NonNullable<DownloadsState['updates']>;

interface UpdateOptionsProps {
  readonly options: UpdateState;
  /** Whether the advice above the link field already has the button. */
  readonly isAdvised: boolean;
}

/** When yt-dlp is updated automatically, and from which channel; for the owner. */
function UpdateOptions({ options, isAdvised }: UpdateOptionsProps) {
  const { channel, dailyAt, last } = options;
  const queryClient = useQueryClient();
  async function save(change: Partial<UpdateState>): Promise<void> {
    try {
      await call(setytdlpupdates, change);
    } catch (error) {
      showError(error);
    }
    await queryClient.invalidateQueries({ queryKey: DOWNLOADS_KEY });
  }
  return (
    <section className={styles['setting']} aria-label="yt-dlp">
      <div className={styles['row']}>
        <h3>yt-dlp</h3>
        {isAdvised ? null : <UpdateButton />}
      </div>
      <div className={styles['row']}>
        <Switch
          label="Update daily"
          isOn={dailyAt !== null}
          onChange={(isOn) => void save({ dailyAt: isOn ? '04:30' : null })}
        />
        {dailyAt === null ? null : (
          <input
            type="time"
            aria-label="Time of the daily update (server time)"
            className={styles['time']}
            defaultValue={dailyAt}
            onBlur={({ currentTarget: { value } }) =>
              value === '' || value === dailyAt ? undefined : void save({ dailyAt: value })
            }
          />
        )}
        <Switch
          label="Nightly builds"
          isOn={channel === 'nightly'}
          onChange={(isOn) => void save({ channel: isOn ? 'nightly' : 'stable' })}
        />
      </div>
      {last === undefined ? null : (
        <p data-failed={last.failure === undefined ? undefined : true}>
          {last.failure === undefined
            ? `Last checked ${formatMoment(last.at)}`
            : `The update (${formatMoment(last.at)}) failed: ${last.failure}`}
        </p>
      )}
    </section>
  );
}

/** Cookies that yt-dlp sends to the sites of downloads. */
function Cookies({ sites }: { readonly sites: readonly string[] }) {
  const { addCookies } = useContext(DownloaderContext);
  const queryClient = useQueryClient();
  async function remove(): Promise<void> {
    try {
      await call(removecookies, {});
    } catch (error) {
      showError(error);
    }
    await queryClient.invalidateQueries({ queryKey: DOWNLOADS_KEY });
  }
  const isActive = sites.length > 0;
  return (
    <section className={styles['setting']} aria-label="Cookies">
      <div className={styles['row']}>
        <h3>Cookies</h3>
        {isActive ? <Badge tone="green">Active</Badge> : null}
      </div>
      <p title={sites.join(', ')}>
        {isActive
          ? `For ${formatSites(sites)}`
          : 'For sites that require a login, add a cookies.txt from your browser. It is stored encrypted, and each site receives only its own cookies'}
      </p>
      <div className={styles['row']}>
        <Button size="xs" onClick={() => void addCookies()}>
          {isActive ? 'Replace cookies' : 'Add cookies'}
        </Button>
        {isActive ? (
          <Button size="xs" onClick={() => void remove()}>
            Delete cookies
          </Button>
        ) : null}
      </div>
    </section>
  );
}

/** The programs for downloads and their settings, folded by default. */
export function DownloaderSettings({ state }: { readonly state: DownloadsState }) {
  const { tools, cookies = [], updates } = state;
  const [isOpen, setIsOpen] = useState(false);
  if (tools === '') return null;
  return (
    <details className={styles['tools']} open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        Download settings {cookies.length > 0 && !isOpen ? <Badge tone="green">Cookies active</Badge> : null}
      </summary>
      {updates ? <UpdateOptions options={updates} isAdvised={hasAdvice(state)} /> : null}
      <Cookies sites={cookies} />
      <p className={styles['versions']}>{tools}</p>
    </details>
  );
}
