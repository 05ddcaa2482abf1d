import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { eventssearch } from '../../contract/events.ts';
import { keys } from '../selection.ts';

export type SearchResult = AnswerOf<typeof eventssearch>['names'][number];

/** Behind the last letter typed. */
const DEBOUNCE_MS = 180;
const OK = 200;

/** The error catalogue's three texts (specification 2, section 8). */
const wordsOf = (error: Error): string => {
  if (!(error instanceof CallError)) return error.message;
  return error.status === 0 || error.status === OK ? 'failed to search' : `http error ${error.status}`;
};

/** What was typed a moment ago, so that not every letter is a call. */
const usePaused = (text: string) => {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const wait = setTimeout(() => setPaused(text), DEBOUNCE_MS);
    return () => clearTimeout(wait);
  }, [text]);
  return [paused, setPaused] as const;
};

/** The events that a text and tags find, while they are typed and chosen. */
export function useSearch(text: string, tags: readonly string[]) {
  const [paused, setPaused] = usePaused(text);
  const term = paused.trim();
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery({
    queryKey: keys.search(term, tags),
    queryFn: () => call(eventssearch, { searchterm: term, tags: tags.join(','), tz: getTimeZone() }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // A second try of a person is seen; what is asked while typing keeps its one entry.
  const wasAsked = useRef(false);
  useEffect(() => {
    if (!error || error instanceof InvalidTokenRefusal) return;
    if (wasAsked.current) notices.add('bad', wordsOf(error));
    else notices.addOnce('bad', wordsOf(error));
    wasAsked.current = false;
  }, [error]);
  return {
    results: data?.names,
    /** What the results were found by. */
    term,
    /** The results are those of the text as it stands. */
    isCurrent: text.trim() === term && data !== undefined && !isPlaceholderData && error === null,
    isFetching,
    /** Searches at once. */
    search: (): void => {
      wasAsked.current = true;
      if (text.trim() === term) void refetch();
      else setPaused(text);
    },
  };
}
