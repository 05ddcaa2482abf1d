import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '#platform/web/app/call.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { eventsbetween } from '../../contract/events.ts';
import { dayOfLocalMs, parseDay, toIso } from '../../events/domain/day.ts';
import { calendarPage } from '../../page.ts';
import { keys } from '../selection.ts';
import type { ImportAnswer, Preview } from './Import.tsx';
import { doneWords } from './importWords.ts';
import styles from './Import.module.css';

/** The event to be looked at first: the next one to come, else the last of all. */
const firstOf = (events: Preview['events']) => {
  const today = dayOfLocalMs(Date.now());
  return events.find(({ date }) => (parseDay(date) ?? 0) >= today) ?? events.at(-1);
};

/** Where an imported event is on the page. */
const usePathOf = (event: Preview['events'][number] | undefined): string | undefined => {
  const iso = toIso(parseDay(event?.date ?? '') ?? 0);
  const { data } = useQuery({
    queryKey: keys.between(iso, iso),
    queryFn: () => call(eventsbetween, { from: iso, until: iso }),
    enabled: event !== undefined,
  });
  const there = [...(data?.dates[iso]?.entries ?? []), ...(data?.durations ?? [])];
  const found = there.find(({ name }) => name === event?.name);
  if (!found) return undefined;
  const query = new URLSearchParams({ view: 'event', event: String(found.eventid), date: iso, type: found.type });
  return `${calendarPage.path}?${query.toString()}`;
};

interface ImportResultProps {
  readonly preview: Preview;
  readonly result: ImportAnswer;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What was taken over, and where it is. */
export function ImportResult({ preview, result, onClose, children }: ImportResultProps) {
  const first = firstOf(preview.events);
  const path = usePathOf(first);
  return (
    <div className={styles['preview']}>
      <p role="status">
        <b>Imported</b>
        <span>{doneWords(result)}</span>
      </p>
      <div className={styles['buttons']}>
        {path !== undefined && first && (
          <PageLink to={path} onClick={onClose} className={styles['link']}>
            Show ‘{first.name}’
          </PageLink>
        )}
        {children}
      </div>
    </div>
  );
}
