import { Button } from '@mantine/core';
import { IconArrowLeft, IconChevronDown, IconChevronUp, IconSearch, IconTag, IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { MAX_SEARCH_RESULTS } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useTags } from '../useCalendar.ts';
import { Results } from './Results.tsx';
import { TagPanel, getTagLabel } from './TagPanel.tsx';
import { useSearch, type SearchResult } from './useSearch.ts';
import styles from './SearchView.module.css';

function formatHeading(count: number, hasQuery: boolean): string {
  if (!hasQuery) return count === 0 ? 'No upcoming events' : 'Upcoming events';
  if (count === MAX_SEARCH_RESULTS) return `The first ${MAX_SEARCH_RESULTS} events`;
  return count === 0 ? 'No events found' : `${count} ${count === 1 ? 'event' : 'events'}`;
}

interface SelectedTagsProps {
  readonly tags: ReturnType<typeof useTags>;
  readonly selectedTags: readonly string[];
  readonly onRemove: (name: string) => void;
}

function SelectedTags({ tags, selectedTags, onRemove }: SelectedTagsProps) {
  return selectedTags.map((name) => (
    <span key={name} className={`${styles['chip']} chip`}>
      <span className="dot" style={{ background: tags[name]?.colour }} />
      <span className="ellipsis" dir="auto">
        {getTagLabel(tags, name)}
      </span>
      <button type="button" aria-label={`Remove tag ${getTagLabel(tags, name)}`} onClick={() => onRemove(name)}>
        <IconX size={14} stroke={1.75} />
      </button>
    </span>
  ));
}

/** Search by text and tags, in place of the editor (docs/specification/calendar.md section 1.3). */
export function SearchView({ onSelect, onBack }: CalendarViewProps & { readonly onBack: () => void }) {
  const tags = useTags();
  const panelId = useId();
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [selectedTags, setSelectedTags] = useState<readonly string[]>([]);
  const [isPanelOpen, setIsPanelOpen] = useState(false);
  const { results, term, isCurrent, search } = useSearch(text, selectedTags);
  const hasQuery = term !== '' || selectedTags.length > 0;
  useEffect(() => field.current?.focus(), []);

  const selectResult = ({ id, date, type }: SearchResult): void =>
    onSelect({ kind: 'event', id, date: toIso(parseDay(date) ?? 0), type });
  const toggle = (name: string): void =>
    setSelectedTags(
      selectedTags.includes(name) ? selectedTags.filter((each) => each !== name) : [...selectedTags, name],
    );
  const firstResult = isCurrent && hasQuery ? results?.[0] : undefined;

  function onEscape(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    const isInPanel = document.getElementById(panelId)?.contains(document.activeElement) === true;
    if (!isInPanel) return onBack();
    setIsPanelOpen(false);
    return field.current?.focus();
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Esc leaves from wherever the focus is
    <div ref={root} className={styles['search']} onKeyDown={onEscape}>
      <Form className={styles['row']} role="search" onSubmit={search}>
        <IconButton label="Back" bordered onClick={onBack}>
          <IconArrowLeft size={18} stroke={1.75} />
        </IconButton>
        <label className={`${styles['box']} icon-field`}>
          <IconSearch size={18} stroke={1.75} aria-hidden />
          <input
            ref={field}
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
              if (event.key === 'Enter' && firstResult) {
                event.preventDefault();
                selectResult(firstResult);
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
      </Form>
      <div className={styles['filters']}>
        <Button
          size="xs"
          className={styles['filter'] ?? ''}
          data-open={isPanelOpen || undefined}
          aria-expanded={isPanelOpen}
          aria-controls={panelId}
          leftSection={<IconTag size={15} stroke={1.75} />}
          rightSection={
            isPanelOpen ? <IconChevronUp size={15} stroke={1.75} /> : <IconChevronDown size={15} stroke={1.75} />
          }
          onClick={() => setIsPanelOpen(!isPanelOpen)}
        >
          Filter tags
        </Button>
        <SelectedTags tags={tags} selectedTags={selectedTags} onRemove={toggle} />
      </div>
      {isPanelOpen ? <TagPanel id={panelId} tags={tags} selectedTags={selectedTags} onToggle={toggle} /> : null}
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
              opensFirstOnEnter={firstResult !== undefined}
              onSelect={selectResult}
              onLeave={() => field.current?.focus()}
            />
          ) : null}
        </>
      )}
    </div>
  );
}
