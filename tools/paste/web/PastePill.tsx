import { IconCopy, IconFlame, IconLink, IconLock } from '@tabler/icons-react';
import { DAY_MS } from '#platform/contract/duration.ts';
import { formatClockTime, formatDate } from '#platform/web/browser/formats.ts';
import { getSiteAddress } from '#platform/web/browser/siteAddress.ts';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { formatPastePath } from '../domain/paste.ts';
import type { StoredPaste } from './usePaste.ts';
import styles from './PastePage.module.css';

/** Formats an expiry: 'expires 14:05' if it is within a day, otherwise 'expires 21 Dec 2026'. */
export function formatExpiry(expires: string): string {
  const isSoon = new Date(expires).getTime() - Date.now() < DAY_MS;
  return `expires ${isSoon ? formatClockTime(expires) : formatDate(expires)}`;
}

/**
 * Shows the code of the open paste, to copy it or its link.
 * An encrypted paste only has the link: its code opens nothing.
 */
export function PastePill({ paste }: { readonly paste: StoredPaste }) {
  const { code, key, expires, burns } = paste;
  const link = getSiteAddress() + formatPastePath(paste);
  const isEncrypted = key !== '';
  return (
    <div className={styles['pill']} role="group" aria-label="Stored paste">
      <span className="num">{formatExpiry(expires)}</span>
      {isEncrypted ? <IconLock size={15} stroke={1.75} aria-label="encrypted" /> : null}
      {burns ? <IconFlame size={15} stroke={1.75} aria-label="burns after reading" /> : null}
      {isEncrypted ? <span className={`${styles['link']} ellipsis`}>{link}</span> : <b>{code}</b>}
      {isEncrypted ? null : <CopyButton text={code} label="Copy code" bordered={false} />}
      <CopyButton text={link} label="Copy link" icon={isEncrypted ? IconCopy : IconLink} bordered={false} />
    </div>
  );
}
