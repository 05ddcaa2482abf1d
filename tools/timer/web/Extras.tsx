import { Button } from '@mantine/core';
import { IconBell, IconBellOff, IconBellRinging, IconPictureInPicture } from '@tabler/icons-react';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { useNotify } from './notify.ts';
import { canPin, pinTimer } from './pinned.tsx';
import styles from './TimerPage.module.css';

const bells = {
  on: { label: 'Notifications are on', Icon: IconBellRinging },
  off: { label: 'Notify me at the end', Icon: IconBell },
  blocked: { label: 'Notifications are blocked', Icon: IconBellOff },
} as const;

function Bell() {
  const { state, toggle } = useNotify();
  if (state === 'none') return null;
  if (state === 'insecure')
    return (
      <p className={styles['needs']}>
        <HttpsHint>Notifications, the small window and a screen that stays on need https</HttpsHint>
      </p>
    );
  const { label, Icon } = bells[state];
  return (
    <Button
      variant="subtle"
      leftSection={<Icon size={18} stroke={1.75} />}
      disabled={state === 'blocked'}
      {...(state === 'blocked'
        ? { title: 'Allow them in the settings of this browser' }
        : { 'aria-pressed': state === 'on' })}
      onClick={() => void toggle()}
    >
      {label}
    </Button>
  );
}

/** What not every browser has. */
export function Extras() {
  return (
    <div className={styles['extras']}>
      {canPin() && (
        <Button
          variant="subtle"
          leftSection={<IconPictureInPicture size={18} stroke={1.75} />}
          onClick={() => void pinTimer()}
        >
          Small window
        </Button>
      )}
      <Bell />
    </div>
  );
}
