import { IconAdjustmentsHorizontal, IconMaximize } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { usePresses } from '../typing/usePresses.ts';
import { TiltKeys } from './MouseKeys.tsx';
import { useMouseSettings, MouseSettings, MouseStatus } from './MouseSettings.tsx';
import { Pad } from './Pad.tsx';
import { usePointer } from './pointerStream.ts';
import { canTilt, useMotion } from './useMotion.ts';
import styles from './MousePanel.module.css';

/**
 * The phone as a mouse: Scroll, LMB and Lift (docs/specification/remote.md sections 1.4 and 4.1), and without sensors a
 * touchpad above them.
 */
export function MousePanel({ target }: { readonly target: string | undefined }) {
  const navigateTo = useNavigateTo();
  const settings = useMouseSettings();
  const motion = useMotion(target, settings.speed);
  const stream = usePointer(target);
  const { swipe } = usePresses(target);
  const [isOpen, setIsOpen] = useState(false);
  const preferredMode = settings.mode ?? 'tilt';
  const mode = preferredMode === 'tilt' && canTilt(motion.tilt) ? 'tilt' : 'touchpad';
  useWakeLock(motion.tilt === 'running' || preferredMode === 'touchpad');
  return (
    <section className={styles['panel']} aria-label="Mouse panel">
      {mode === 'touchpad' ? (
        <div className={styles['pad']}>
          <Pad
            stream={stream}
            speed={settings.speed}
            isScrolling={motion.buttons.scroll}
            isLifted={motion.buttons.lift}
            onSwipe={swipe}
          />
        </div>
      ) : null}
      <TiltKeys motion={motion} />
      <div className={styles['line']}>
        <MouseStatus motion={motion} preferredMode={preferredMode} />
        <IconButton label="Mouse settings" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <IconAdjustmentsHorizontal size={18} stroke={1.75} />
        </IconButton>
        <IconButton label="Full screen touchpad" onClick={() => navigateTo('/dashboard/touchpad')}>
          <IconMaximize size={18} stroke={1.75} />
        </IconButton>
      </div>
      {isOpen ? <MouseSettings settings={settings} mode={mode} /> : null}
    </section>
  );
}
