import { IconArrowsHorizontal, IconCalendar, IconRepeat } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { fold } from '#platform/contract/fold.ts';
import type { Icon } from '#platform/web/tool.ts';
import type { Style } from '../../events/domain/event.ts';
import type { EventPage } from '../useCalendar.ts';
import { getTagLabel } from './TagPanel.tsx';
import type { SearchResult } from './useSearch.ts';
import styles from './Results.module.css';

/** A piece of a text. `isMatch`: it matches the search. */
export interface TextPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Splits a text at the words of `term`, ignoring case and accents like the search itself. */
export function splitMatches(text: string, term: string): readonly TextPiece[] {
  // Folding may turn one character into several (ß) or none (an accent), so each folded one stores its origin.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    const plain = fold(letter);
    folded += plain;
    for (let each = 0; each < plain.length; each += 1) origins.push(at);
    at += letter.length;
  }
  origins.push(text.length);
  const isMarked = new Uint8Array(text.length);
  for (const word of fold(term).split(/\s+/).filter(Boolean)) {
    for (let from = folded.indexOf(word); from !== -1; from = folded.indexOf(word, from + 1)) {
      const [start = 0, last = 0] = [origins[from], origins[from + word.length - 1]];
      const end = origins.find((origin, index) => index > from + word.length - 1 && origin > last) ?? text.length;
      isMarked.fill(1, start, end);
    }
  }
  const pieces: TextPiece[] = [];
  let start = 0;
  for (let end = 1; end <= text.length; end += 1) {
    if (end < text.length && isMarked[end] === isMarked[start]) continue;
    pieces.push({ text: text.slice(start, end), isMatch: isMarked[start] === 1 });
    start = end;
  }
  return pieces;
}

const KIND_BY_STYLE: Readonly<Record<Style, { readonly icon: Icon; readonly word: string }>> = {
  calendar: { icon: IconCalendar, word: 'date' },
  repeat: { icon: IconRepeat, word: 'repeat' },
  duration: { icon: IconArrowsHorizontal, word: 'duration' },
};

function HighlightedText({ text, term }: { readonly text: string; readonly term: string }) {
  return splitMatches(text, term).map((piece, at) =>
    // oxlint-disable-next-line react/no-array-index-key -- pieces are known by their place
    piece.isMatch ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>,
  );
}

interface ResultsProps {
  readonly results: readonly SearchResult[];
  readonly term: string;
  readonly tags: EventPage['tags'];
  /** Whether Enter in the search field opens the first result. */
  readonly opensFirstOnEnter: boolean;
  readonly onSelect: (result: SearchResult) => void;
  /** Called when the focus moves up from the first result. */
  readonly onLeave: () => void;
}

/** The results as buttons. Arrows move between them. */
export function Results({ results, term, tags, opensFirstOnEnter, onSelect, onLeave }: ResultsProps) {
  function onKeyDown(event: KeyboardEvent<HTMLUListElement>): void {
    const { key, target, currentTarget } = event;
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
    event.preventDefault();
    const buttons = [...currentTarget.querySelectorAll('button')];
    const next = buttons.findIndex((button) => button === target) + (key === 'ArrowDown' ? 1 : -1);
    if (next < 0) onLeave();
    else buttons[next]?.focus();
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among the buttons, which take the focus themselves
    <ul
      className={`${styles['results']} surface`}
      aria-label="Events found"
      data-first={opensFirstOnEnter || undefined}
      onKeyDown={onKeyDown}
    >
      {results.map((result) => {
        const { icon: KindIcon, word } = KIND_BY_STYLE[result.type];
        return (
          <li key={result.id}>
            <button type="button" className={styles['result']} onClick={() => onSelect(result)}>
              <i style={{ background: result.colour }} />
              <span className={styles['details']}>
                <b className="ellipsis" dir="auto">
                  <HighlightedText text={result.name} term={term} />
                </b>
                <span className={styles['description']}>
                  {result.tags.map((name) => (
                    <span key={name} className={styles['tag']}>
                      <span className={`${styles['dot']} dot`} style={{ background: tags[name]?.colour }} />
                      <span dir="auto">{getTagLabel(tags, name)}</span>
                    </span>
                  ))}
                  {result.excerpt === undefined ? null : (
                    <span className={styles['excerpt']} dir="auto">
                      in the description: <HighlightedText text={result.excerpt} term={term} />
                    </span>
                  )}
                </span>
              </span>
              <span className={styles['kind']}>
                <KindIcon size={15} stroke={1.75} />
                <span>{word}</span>
              </span>
              <span className={`${styles['date']} num`}>{result.date}</span>
              <kbd className={styles['enter']} aria-hidden>
                Enter
              </kbd>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
