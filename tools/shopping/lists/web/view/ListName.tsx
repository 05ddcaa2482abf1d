import { useEffect, useRef, useState } from 'react';
import { LIMITS } from '../../domain/list.ts';
import styles from './ListName.module.css';

interface ListNameProps {
  readonly name: string;
  /** A list that was just made: its name is there to be replaced. */
  readonly isFresh: boolean;
  readonly rename: (name: string) => void;
}

/** A pause this long in typing, and the name is kept: the page may go at any time. */
const SAVE_DEBOUNCE_MS = 1000;

/** The list's name, which can be typed over. While it is typed, no change of another's takes its place. */
export function ListName({ name, isFresh, rename }: ListNameProps) {
  const [draft, setDraft] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef({ name, draft, rename });
  useEffect(() => {
    latest.current = { name, draft, rename };
  });
  /** What this typing has told, and which name it took the place of: Escape gives that back. */
  const told = useRef<{ readonly name: string; readonly before: string }>(undefined);
  const keep = (): void => {
    const { draft: typed, name: known, rename: tell } = latest.current;
    const next = typed?.trim() ?? '';
    if (next === '' || next === known) return;
    // A name that came from elsewhere meanwhile is the one to go back to.
    told.current = { name: next, before: told.current?.name === known ? told.current.before : known };
    tell(next);
  };
  const end = (): void => {
    told.current = undefined;
    setDraft(undefined);
  };
  const atEnd = useRef(keep);
  useEffect(() => {
    if (draft === undefined) return undefined;
    const pause = setTimeout(() => atEnd.current(), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(pause);
  }, [draft]);
  useEffect(() => {
    const leave = (): void => atEnd.current();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  useEffect(() => {
    if (isFresh) field.current?.select();
  }, [isFresh]);
  return (
    <input
      ref={field}
      className={styles['name']}
      dir="auto"
      aria-label="List name"
      autoComplete="off"
      maxLength={LIMITS.name}
      value={draft ?? name}
      placeholder={name}
      onChange={({ currentTarget }) => setDraft(currentTarget.value)}
      onBlur={() => {
        keep();
        end();
      }}
      onKeyDown={({ key, currentTarget, nativeEvent }) => {
        if (nativeEvent.isComposing) return;
        if (key === 'Enter') currentTarget.blur();
        if (key !== 'Escape') return;
        if (told.current?.name === name) rename(told.current.before);
        end();
      }}
    />
  );
}
