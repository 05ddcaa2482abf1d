import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { eventssearch } from '../../contract/events.ts';
import { queryKeys } from '../selection.ts';

export type SearchResult = AnswerOf<typeof eventssearch>['names'][number];

/** Delay after the last keystroke. */
const DEBOUNCE_MS = 180;
const HTTP_OK = 200;

/** Returns one of the three error texts of docs/specification/calendar.md section 5. */
function toErrorText(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  return error.status === 0 || error.status === HTTP_OK ? 'failed to search' : `http error ${error.status}`;
}

/** Debounces the text, so that not every keystroke sends a request. */
function useDebounced(text: string) {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [debounced, setDebounced] as const;
}

/** Finds events by text and tags while they are entered. */
export function useSearch(text: string, tags: readonly string[]) {
  const [debounced, setDebounced] = useDebounced(text);
  const term = debounced.trim();
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery({
    queryKey: queryKeys.search(term, tags),
    queryFn: () => call(eventssearch, { searchterm: term, tags: tags.join(','), tz: getTimeZone() }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // A failed retry of the user shows a notice of its own; failures while typing share one.
  const wasRequested = useRef(false);
  useEffect(() => {
    if (!error || error instanceof InvalidTokenRefusal) return;
    if (wasRequested.current) notices.add('bad', toErrorText(error));
    else notices.addOnce('bad', toErrorText(error));
    wasRequested.current = false;
  }, [error]);
  return {
    results: data?.names,
    /** The term of the results. */
    term,
    /** Whether the results are those of the current text. */
    isCurrent: text.trim() === term && data !== undefined && !isPlaceholderData && error === null,
    isFetching,
    /** Searches immediately. */
    search: (): void => {
      wasRequested.current = true;
      if (text.trim() === term) void refetch();
      else setDebounced(text);
    },
  };
}
