import { IconCheck, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { REMOVABLE } from '../../contract/events.ts';
import type { EventPage } from '../useCalendar.ts';
import styles from './TagPanel.module.css';

type Tags = EventPage['tags'];

export function getTagLabel(tags: Tags, name: string): string {
  return tags[name]?.displayname ?? name;
}

interface TagPanelProps {
  readonly id: string;
  readonly tags: Tags;
  readonly selectedTags: readonly string[];
  readonly onToggle: (name: string) => void;
}

const SEARCHABLE: readonly number[] = [REMOVABLE.builtIn, REMOVABLE.own, REMOVABLE.subscribed];

/** All tags, as filters of the search. */
export function TagPanel({ id, tags, selectedTags, onToggle }: TagPanelProps) {
  const [filter, setFilter] = useState('');
  const search = foldSearch(filter.trim());
  const matching = Object.entries(tags)
    .filter(
      ([name, { removable }]) => SEARCHABLE.includes(removable) && foldSearch(getTagLabel(tags, name)).includes(search),
    )
    .toSorted(([, one], [, other]) => one.intcolours - other.intcolours);
  return (
    <section id={id} className={`${styles['panel']} surface`} aria-label="Tags to filter by">
      <label className={`${styles['find']} icon-field`}>
        <IconSearch size={15} stroke={1.75} aria-hidden />
        <input
          type="text"
          aria-label="Find a tag"
          placeholder="Find a tag"
          autoComplete="off"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      </label>
      <div className={styles['tags']}>
        {matching.map(([name, { colour }]) => {
          const isSelected = selectedTags.includes(name);
          return (
            <button
              key={name}
              type="button"
              className={`${styles['tag']} chip`}
              aria-pressed={isSelected}
              onClick={() => onToggle(name)}
            >
              {isSelected ? (
                <IconCheck size={15} stroke={1.75} aria-hidden />
              ) : (
                <span className="dot" style={{ background: colour }} />
              )}
              <span className="ellipsis" dir="auto">
                {getTagLabel(tags, name)}
              </span>
            </button>
          );
        })}
      </div>
      <p className={styles['hint']}>
        {matching.length === 0 ? 'No tags match' : 'Shows events that have all selected tags'}
      </p>
    </section>
  );
}
