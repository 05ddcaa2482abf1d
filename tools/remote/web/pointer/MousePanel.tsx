import { IconAdjustmentsHorizontal, IconMaximize } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { usePresses } from '../typing/usePresses.ts';
import { TiltKeys } from './MouseKeys.tsx';
import { useMouseSettings, MouseSettings, MouseState } from './MouseSettings.tsx';
import { Pad } from './Pad.tsx';
import { usePointer } from './pointerStream.ts';
import { canTilt, useMotion } from './useMotion.ts';
import styles from './MousePanel.module.css';

/**
 * Scroll, LMB and Lift: the phone as a mouse (docs/specification/remote.md sections 1.4 and 4.1). Without sensors there
 * is a touchpad above them.
 */
export function MousePanel({ target }: { readonly target: string | undefined }) {
  const go = useNavigateTo();
  const settings = useMouseSettings();
  const motion = useMotion(target, settings.speed);
  const stream = usePointer(target);
  const { swipe } = usePresses(target);
  const [open, setOpen] = useState(false);
  const chosen = settings.mode ?? 'tilt';
  const mode = chosen === 'tilt' && canTilt(motion.tilt) ? 'tilt' : 'touchpad';
  useWakeLock(motion.tilt === 'running' || chosen === 'touchpad');
  return (
    <section className={styles['panel']} aria-label="Mouse panel">
      {mode === 'touchpad' ? (
        <div className={styles['pad']}>
          <Pad
            stream={stream}
            speed={settings.speed}
            scrolls={motion.held.scroll}
            lifted={motion.held.lift}
            swipe={swipe}
          />
        </div>
      ) : null}
      <TiltKeys motion={motion} />
      <div className={styles['line']}>
        <MouseState motion={motion} chosen={chosen} />
        <IconButton label="Mouse settings" aria-expanded={open} onClick={() => setOpen(!open)}>
          <IconAdjustmentsHorizontal size={18} stroke={1.75} />
        </IconButton>
        <IconButton label="Full screen touchpad" onClick={() => go('/dashboard/touchpad')}>
          <IconMaximize size={18} stroke={1.75} />
        </IconButton>
      </div>
      {open ? <MouseSettings settings={settings} mode={mode} /> : null}
    </section>
  );
}
