import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { QueryState } from '#platform/web/ui/QueryState.tsx';
import type { useDays } from './useDays.ts';
import styles from './DaysHeader.module.css';

/** Explains why events can't be shown. The days are still drawn. */
export function DaysError({ query }: { readonly query: ReturnType<typeof useDays> }) {
  return (
    <div className={styles['failed']}>
      <QueryState query={query} />
    </div>
  );
}

interface DaysHeaderProps {
  readonly label: string;
  readonly unit: 'month' | 'week';
  /** Puts the name first and the page buttons at the right, within reach of the thumb. */
  readonly isPhone?: boolean;
  readonly onTurn: (by: 1 | -1) => void;
  readonly onToday: () => void;
}

/** The name of the shown page of days, and the buttons that turn it. */
export function DaysHeader({ label, unit, isPhone = false, onTurn, onToday }: DaysHeaderProps) {
  const size = isPhone ? 44 : 36;
  return (
    <div className={styles['head']} data-phone={isPhone || undefined}>
      <h2 aria-live="polite">{label}</h2>
      <div className={styles['navigation']}>
        <IconButton label={`Previous ${unit}`} size={size} onClick={() => onTurn(-1)}>
          <IconChevronLeft size={18} stroke={1.75} />
        </IconButton>
        <Button className={styles['today'] ?? ''} onClick={onToday}>
          Today
        </Button>
        <IconButton label={`Next ${unit}`} size={size} onClick={() => onTurn(1)}>
          <IconChevronRight size={18} stroke={1.75} />
        </IconButton>
      </div>
    </div>
  );
}
