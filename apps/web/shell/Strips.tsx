import { IconCloudOff, IconRefresh } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { useIsReconnecting } from '#platform/web/app/line.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { getOfflineText } from './offlineText.ts';
import styles from './Strips.module.css';

/** Tells the notices how far the strips push the page down: they float over it, below what one needs next. */
const useHeightForNotices = () => {
  const strips = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = strips;
    if (!current) return undefined;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--strips-height', `${current.offsetHeight}px`));
    observer.observe(current);
    return () => {
      observer.disconnect();
      style.removeProperty('--strips-height');
    };
  }, []);
  return strips;
};

/** Under the header: says that the line is down. */
export function StatusStrips({ page }: { readonly page: Page }) {
  const reached = useIsReachable();
  const reconnecting = useIsReconnecting();
  const strips = useHeightForNotices();
  return (
    <div ref={strips} role="status">
      {!reached && (
        <p className={styles['strip']}>
          <IconCloudOff size={18} stroke={1.75} />
          {getOfflineText(page)}
        </p>
      )}
      {reached && reconnecting && (
        <p className={styles['strip']}>
          <IconRefresh size={18} stroke={1.75} />
          Reconnecting
        </p>
      )}
    </div>
  );
}
