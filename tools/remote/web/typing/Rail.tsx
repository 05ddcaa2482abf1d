import { IconCookieOff, IconHome, IconInfoCircle, IconPlus, IconUserCircle } from '@tabler/icons-react';
import { useState } from 'react';
import type { Computer } from '#platform/web/app/computers.ts';
import { notices } from '#platform/web/app/notices.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { UploadWindow } from '../scripts/UploadWindow.tsx';
import { useScriptNames } from '../scripts/useScripts.ts';
import styles from './DashboardPage.module.css';

/** No file has a slash in its name. */
const ADD = '/add';
const KEYBOARD = 'Keyboard';
const inputDevices = [KEYBOARD, 'Xinput', 'Add more inputs'].map((name) => ({ value: name, label: name }));

interface RailProps {
  readonly computers: readonly Computer[];
  readonly chosen: Computer | undefined;
  readonly choose: (id: string) => void;
  /** A script was chosen to be sent. */
  readonly onScript: (name: string) => void;
}

/** The left rail of the wide dashboard (specification 1, section 2). */
export function Rail({ computers, chosen, choose, onScript }: RailProps) {
  const names = useScriptNames();
  const [uploading, setUploading] = useState(false);
  const username = useSession()?.username ?? '';
  return (
    <aside className={styles['rail']} aria-label="Dashboard">
      <DevicePicker computers={computers} selected={chosen} onSelect={choose} />
      <Dropdown
        label="Input device"
        options={inputDevices}
        value={KEYBOARD}
        onSelect={(name) => {
          if (name !== KEYBOARD) notices.add('info', 'Only Keyboard works so far');
        }}
      />
      <Dropdown
        label="Add/Send script files"
        placeholder="Choose a file"
        options={[
          ...names.map((name) => ({ value: name, label: name })),
          { value: ADD, label: 'Add script file', icon: IconPlus },
        ]}
        onSelect={(name) => (name === ADD ? setUploading(true) : onScript(name))}
      />
      <nav className={styles['links']} aria-label="Dashboard links">
        <PageLink to="/" className={styles['link']} onClick={() => session.clearCookie()}>
          <IconHome size={15} stroke={1.75} />
          Go to home (clear cookie first)
        </PageLink>
        <button
          type="button"
          className={styles['link']}
          onClick={() => {
            session.clearCookie();
            notices.add('good', 'The cookie is cleared; this page stays signed in until it is closed');
          }}
        >
          <IconCookieOff size={15} stroke={1.75} />
          clear cookie
        </button>
        <PageLink to="/dashboard/about" className={styles['link']}>
          <IconInfoCircle size={15} stroke={1.75} />
          About
        </PageLink>
        <PageLink to="/dashboard/settings" className={styles['link']}>
          <IconUserCircle size={15} stroke={1.75} />
          <span className="ellipsis">Account {username}</span>
        </PageLink>
      </nav>
      {uploading ? <UploadWindow close={() => setUploading(false)} uploaded={onScript} /> : null}
    </aside>
  );
}
