import { Button } from '@mantine/core';
import { IconArrowLeft, IconChevronDown, IconChevronUp, IconSearch, IconTag, IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { MAX_SEARCH_RESULTS } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useTags } from '../useCalendar.ts';
import { Results } from './Results.tsx';
import { TagPanel, tagWords } from './TagPanel.tsx';
import { useSearch, type SearchResult } from './useSearch.ts';
import styles from './SearchView.module.css';

const formatHeading = (count: number, hasQuery: boolean): string => {
  if (!hasQuery) return count === 0 ? 'No upcoming events' : 'Upcoming events';
  if (count === MAX_SEARCH_RESULTS) return `The first ${MAX_SEARCH_RESULTS} events`;
  return count === 0 ? 'No events found' : `${count} ${count === 1 ? 'event' : 'events'}`;
};

interface ChosenTagsProps {
  readonly tags: ReturnType<typeof useTags>;
  readonly chosen: readonly string[];
  readonly onRemove: (name: string) => void;
}

function ChosenTags({ tags, chosen, onRemove }: ChosenTagsProps) {
  return chosen.map((name) => (
    <span key={name} className={styles['chip']}>
      <span className={styles['dot']} style={{ background: tags[name]?.colour }} />
      <span className="ellipsis" dir="auto">
        {tagWords(tags, name)}
      </span>
      <button type="button" aria-label={`Remove tag ${tagWords(tags, name)}`} onClick={() => onRemove(name)}>
        <IconX size={14} stroke={1.75} />
      </button>
    </span>
  ));
}

/** Search by text and tags, in place of the editor (docs/specification/calendar.md section 1.3). */
export function SearchView({ onSelect, onBack }: CalendarViewProps & { readonly onBack: () => void }) {
  const tags = useTags();
  const panel = useId();
  const root = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [panelOpen, setPanelOpen] = useState(false);
  const { results, term, isCurrent, search } = useSearch(text, chosen);
  const hasQuery = term !== '' || chosen.length > 0;
  useEffect(() => box.current?.focus(), []);

  const pick = ({ id, date, type }: SearchResult): void =>
    onSelect({ kind: 'event', id, date: toIso(parseDay(date) ?? 0), type });
  const toggle = (name: string): void =>
    setChosen(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  const first = isCurrent && hasQuery ? results?.[0] : undefined;

  const onEscape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    const isInPanel = document.getElementById(panel)?.contains(document.activeElement) === true;
    if (!isInPanel) return onBack();
    setPanelOpen(false);
    return box.current?.focus();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Esc leaves from wherever the focus is
    <div ref={root} className={styles['search']} onKeyDown={onEscape}>
      <form
        className={styles['row']}
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <IconButton label="Back" bordered onClick={onBack}>
          <IconArrowLeft size={18} stroke={1.75} />
        </IconButton>
        <label className={styles['box']}>
          <IconSearch size={18} stroke={1.75} aria-hidden />
          <input
            ref={box}
            type="text"
            aria-label="Search events"
            placeholder="Search events"
            autoComplete="off"
            enterKeyHint="search"
            maxLength={400}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === 'Enter' && first) {
                event.preventDefault();
                pick(first);
              }
              if (event.key !== 'ArrowDown') return;
              event.preventDefault();
              root.current?.querySelector<HTMLElement>('ul button')?.focus();
            }}
          />
          <kbd aria-hidden>Esc</kbd>
        </label>
        <Button type="submit" variant="primary" size="lg">
          Search
        </Button>
      </form>
      <div className={styles['filters']}>
        <Button
          size="xs"
          className={styles['filter'] ?? ''}
          data-open={panelOpen || undefined}
          aria-expanded={panelOpen}
          aria-controls={panel}
          leftSection={<IconTag size={15} stroke={1.75} />}
          rightSection={
            panelOpen ? <IconChevronUp size={15} stroke={1.75} /> : <IconChevronDown size={15} stroke={1.75} />
          }
          onClick={() => setPanelOpen(!panelOpen)}
        >
          Filter tags
        </Button>
        <ChosenTags tags={tags} chosen={chosen} onRemove={toggle} />
      </div>
      {panelOpen ? <TagPanel id={panel} tags={tags} chosen={chosen} onToggle={toggle} /> : null}
      {results === undefined ? null : (
        <>
          <div className={styles['head']} role="status">
            <h2>{formatHeading(results.length, hasQuery)}</h2>
            {results.length > 0 ? <span>by date</span> : null}
          </div>
          {results.length > 0 ? (
            <Results
              results={results}
              term={term}
              tags={tags}
              firstIsNext={first !== undefined}
              onPick={pick}
              onLeave={() => box.current?.focus()}
            />
          ) : null}
        </>
      )}
    </div>
  );
}
