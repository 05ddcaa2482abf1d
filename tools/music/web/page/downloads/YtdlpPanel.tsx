import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useRef, useState } from 'react';
import { call } from '#platform/web/call.ts';
import { showFailure } from '#platform/web/failure.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { COOKIES_LIMIT, removecookies, setcookies, setytdlpupdates } from '../../../contract.ts';
import { DownloaderContext } from './downloader.ts';
import { DOWNLOADS_KEY, type DownloadsState } from './useDownloads.ts';
import styles from './Downloads.module.css';

/** Updates yt-dlp where the one who looks owns the server; asks for its owner where not. */
export function UpdateButton() {
  const { isOwner, isUpdating, update } = useContext(DownloaderContext);
  if (!isOwner) return <span className={styles['ask']}>Ask the owner of this server to update yt-dlp</span>;
  return (
    <Button size="xs" disabled={isUpdating} onClick={() => void update()}>
      {isUpdating ? 'Updating yt-dlp…' : 'Update yt-dlp'}
    </Button>
  );
}

/** Above the link field where yt-dlp is too old for large sites. */
export function OldYtdlp({ advice }: { readonly advice: string }) {
  const { isOwner } = useContext(DownloaderContext);
  return (
    <div className={styles['old']} role="status">
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
      <p>{advice}</p>
      {isOwner ? <UpdateButton /> : null}
    </div>
  );
}

type Options = NonNullable<DownloadsState['updates']>;

/** When yt-dlp is updated by itself, and from which channel; for the owner. */
function UpdateOptions({ options }: { readonly options: Options }) {
  const queries = useQueryClient();
  const save = async (next: Options): Promise<void> => {
    try {
      await call(setytdlpupdates, next);
    } catch (error) {
      showFailure(error);
    }
    await queries.invalidateQueries({ queryKey: DOWNLOADS_KEY });
  };
  return (
    <div className={styles['row']}>
      <Switch
        label="Nightly builds"
        isOn={options.channel === 'nightly'}
        onSwitch={(isOn) => void save({ ...options, channel: isOn ? 'nightly' : 'stable' })}
      />
      <Switch
        label="Update daily"
        isOn={options.dailyAt !== null}
        onSwitch={(isOn) => void save({ ...options, dailyAt: isOn ? '04:30' : null })}
      />
      {options.dailyAt === null ? null : (
        <input
          type="time"
          aria-label="Time of the daily update"
          className={styles['time']}
          defaultValue={options.dailyAt}
          onBlur={({ currentTarget }) =>
            currentTarget.value === '' ? undefined : void save({ ...options, dailyAt: currentTarget.value })
          }
        />
      )}
      <UpdateButton />
    </div>
  );
}

/** The cookies that sites are shown while something is downloaded from them. */
function Cookies({ sites }: { readonly sites: readonly string[] }) {
  const queries = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      showFailure(error);
    }
    await queries.invalidateQueries({ queryKey: DOWNLOADS_KEY });
  };
  const take = async (file: File): Promise<void> => {
    if (file.size > COOKIES_LIMIT) return showFailure(new Error('This file is too large for a cookies.txt'));
    await change(async () => call(setcookies, { text: await file.text() }));
  };
  const isActive = sites.length > 0;
  return (
    <div className={styles['row']}>
      <span className={styles['what']} title={sites.join(', ')}>
        Cookies
        {isActive
          ? ` for ${sites.slice(0, 3).join(', ')}${sites.length > 3 ? ` and ${sites.length - 3} more` : ''}`
          : ''}
      </span>
      {isActive ? <Badge tone="green">Active</Badge> : null}
      <Button size="xs" data-add-cookies onClick={() => field.current?.click()}>
        {isActive ? 'Replace cookies' : 'Add cookies'}
      </Button>
      {isActive ? (
        <Button size="xs" onClick={() => void change(() => call(removecookies, {}))}>
          Delete cookies
        </Button>
      ) : null}
      <input
        ref={field}
        type="file"
        hidden
        accept=".txt,text/plain"
        aria-label="cookies.txt"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) void take(file);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

/** By what downloads are made, and what can be set for them; folded until it is wanted. */
export function DownloaderSettings({ state }: { readonly state: DownloadsState }) {
  const { tools, cookies = [], updates } = state;
  const [isOpen, setIsOpen] = useState(false);
  if (tools === '') return null;
  return (
    <details className={styles['tools']} open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {tools} {cookies.length > 0 ? <Badge tone="green">Cookies active</Badge> : null}
      </summary>
      <Cookies sites={cookies} />
      {updates ? <UpdateOptions options={updates} /> : null}
    </details>
  );
}

/** Opens the file chooser for a cookies.txt, wherever a download asks for it. */
export const askForCookies = (): void => {
  const button = document.querySelector<HTMLButtonElement>('[data-add-cookies]');
  const folded = button?.closest('details');
  if (folded) folded.open = true;
  button?.click();
};
