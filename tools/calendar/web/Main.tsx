import { Button } from '@mantine/core';
import { IconCalendarEvent } from '@tabler/icons-react';
import { memo } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import type { DaysProps } from './parts.ts';
import type { View } from './selection.ts';
import styles from './Main.module.css';

const Editor = lazyPart(async () => (await import('./editor/Editor.tsx')).Editor);
const MonthView = lazyPart(async () => (await import('./month/MonthView.tsx')).MonthView);
const WeekView = lazyPart(async () => (await import('./month/WeekView.tsx')).WeekView);
const PhoneMonth = lazyPart(async () => (await import('./month/PhoneMonth.tsx')).PhoneMonth);
const QuickAdd = lazyPart(async () => (await import('./QuickAdd.tsx')).QuickAdd);
const SearchView = lazyPart(async () => (await import('./search/SearchView.tsx')).SearchView);
export interface MainProps extends DaysProps {
  readonly view: View;
  readonly small: boolean;
  readonly isEmpty: boolean;
  readonly onBack: () => void;
  /** Opens what brings events from elsewhere. */
  readonly onConnect: () => void;
}

/** What stands in the main place. Days that come into the rails do not draw it again. */
export const Main = memo(function Main({ view, small, isEmpty, onBack, onConnect, ...days }: MainProps) {
  const { selection, today, onSelect, onNew } = days;
  const part = { selection, today, onSelect };
  if (view === 'search') return <SearchView {...part} onBack={onBack} />;
  if (small && selection.kind === 'none')
    return (
      <>
        <div className={styles['quick']}>
          <QuickAdd today={today} onSelect={onSelect} />
        </div>
        <PhoneMonth {...days} />
      </>
    );
  if (!small && view === 'month') return <MonthView {...days} />;
  if (!small && view === 'week') return <WeekView {...days} />;
  if (isEmpty && selection.kind === 'none')
    return (
      <EmptyState
        icon={IconCalendarEvent}
        text="Your events appear here by day. Add the first one, or bring your calendar from elsewhere"
      >
        <Button variant="primary" onClick={() => onNew(today)}>
          New event
        </Button>
        <Button onClick={onConnect}>Import or subscribe</Button>
      </EmptyState>
    );
  return <Editor {...part} />;
});
