import '@mantine/core/styles/Menu.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import {
  IconCommand,
  IconDeviceDesktop,
  IconLogin,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { countDrafts, removeDrafts } from '#platform/web/app/draftStore.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import type { Icon } from '#platform/web/tool.ts';
import { overlayStore } from './overlayState.ts';
import styles from './AccountMenu.module.css';

/** Removes the data of an account from this browser after a logout. An expired session keeps it for the next login. */
export function useClearOnLogOut(): void {
  useEffect(() => {
    let lastAccount = offlineStorage.getAccount();
    return session.subscribe(() => {
      const loggedOutAccount = lastAccount;
      lastAccount = offlineStorage.getAccount();
      if (loggedOutAccount === undefined || session.getCurrent() || !session.hasLoggedOut()) return;
      removeDrafts(loggedOutAccount);
      void offlineStorage.removeAccount(loggedOutAccount);
    });
  }, []);
}

const LazyLogOutDialog = lazyPart(async () => (await import('./LogOutDialog.tsx')).LogOutDialog);

const SCHEMES: readonly { readonly value: MantineColorScheme; readonly name: string; readonly icon: Icon }[] = [
  { value: 'auto', name: 'Same as system', icon: IconDeviceDesktop },
  { value: 'light', name: 'Light', icon: IconSun },
  { value: 'dark', name: 'Dark', icon: IconMoon },
];

const getInitials = (name: string): string => Array.from(name).slice(0, 2).join('').toUpperCase();

const ICON_PROPS = { size: 16, stroke: 1.75 };

/** Menu with account, colour scheme and logout. */
export function AccountMenu({ username }: { readonly username: string | undefined }) {
  const navigateTo = useNavigateTo();
  const navigate = useNavigate();
  const isLoggedIn = useSession() !== undefined;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isOpen, setIsOpen] = useState(false);
  const [unsentCount, setUnsentCount] = useState(0);
  useClearOnLogOut();
  const server = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo, enabled: isOpen });

  async function confirmLogOut(): Promise<void> {
    const name = offlineStorage.getAccount();
    const count = name === undefined ? 0 : (await offlineStorage.countUnsent(name)) + countDrafts(name);
    if (count > 0) setUnsentCount(count);
    else await logOut();
  }
  async function logOut(): Promise<void> {
    setUnsentCount(0);
    const isSessionEnded = await accountClient.logOut().then(
      () => true,
      () => false,
    );
    session.logOut();
    void navigate('/login', { state: {} });
    if (isSessionEnded) notices.add('info', 'You are logged out in this browser');
    else notices.add('bad', 'You are logged out in this browser only, because the server could not be reached');
  }

  return (
    <>
      <Menu opened={isOpen} onChange={setIsOpen} position="top-end" width={230} withinPortal>
        <Menu.Target>
          <button type="button" className={styles['target']} aria-label="Account" title="Account">
            {/* Initials are added by CSS, so that screen readers don't read them. */}
            <span className={styles['avatar']} data-initials={getInitials(username ?? '')}>
              {username === undefined && <IconUser size={16} stroke={1.75} />}
            </span>
          </button>
        </Menu.Target>
        <Menu.Dropdown className={styles['menu'] ?? ''}>
          <Menu.Label className={styles['username'] ?? ''}>
            {isLoggedIn ? `User: ${username ?? '…'}` : 'Not logged in'}
          </Menu.Label>
          {isLoggedIn && (
            <Menu.Item
              leftSection={<IconUserCircle {...ICON_PROPS} />}
              onClick={() => navigateTo('/dashboard/settings')}
            >
              Account settings
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Label>Colours</Menu.Label>
          <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
            {SCHEMES.map(({ value, name, icon: Icon }) => (
              <Menu.RadioItem
                key={value}
                value={value}
                rightSection={<Icon {...ICON_PROPS} />}
                closeMenuOnClick={false}
              >
                {name}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconCommand {...ICON_PROPS} />}
            rightSection={<kbd>?</kbd>}
            onClick={() => overlayStore.show('shortcuts')}
          >
            Shortcuts
          </Menu.Item>
          {isLoggedIn ? (
            <Menu.Item leftSection={<IconLogout {...ICON_PROPS} />} onClick={() => void confirmLogOut()}>
              Log out
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconLogin {...ICON_PROPS} />} onClick={() => navigateTo('/login')}>
              Log in
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Label>Pegboard {server.data?.version ?? ''}, MIT licence</Menu.Label>
        </Menu.Dropdown>
      </Menu>
      {unsentCount > 0 && (
        <Suspense>
          <LazyLogOutDialog unsentCount={unsentCount} onStay={() => setUnsentCount(0)} onLogOut={() => void logOut()} />
        </Suspense>
      )}
    </>
  );
}
