import { IconFlame, IconLink, IconLock } from '@tabler/icons-react';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { clockTime, shortDate } from '#platform/web/when.ts';
import { pathTo } from './address.ts';
import type { Shown } from './usePiece.ts';
import styles from './PastePage.module.css';

/** 'until 14:05' within a day, else 'until 21-12-2026'. */
export const untilText = (expires: string): string => {
  const isSoon = new Date(expires).getTime() - Date.now() < 86_400_000;
  return `until ${isSoon ? clockTime(expires) : shortDate(expires)}`;
};

/** The code of the piece in the area, to copy alone or as a link. */
export function CodePill({ shown }: { readonly shown: Shown }) {
  const { code, key, expires, burns } = shown;
  const origin = window.location.origin;
  return (
    <div className={styles['pill']} role="group" aria-label="Stored piece">
      <span className="num">{untilText(expires)}</span>
      {key === '' ? null : <IconLock size={15} stroke={1.75} aria-label="encrypted" />}
      {burns ? <IconFlame size={15} stroke={1.75} aria-label="burns after reading" /> : null}
      <b>{code}</b>
      {/* Without its key the code of an encrypted piece opens nothing. */}
      {key === '' ? <CopyButton text={code} label="Copy the code" bordered={false} /> : null}
      <CopyButton text={origin + pathTo(shown)} label="Copy the link" icon={IconLink} bordered={false} />
    </div>
  );
}
