import { useQuery } from '@tanstack/react-query';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { chatstate, getstatusesdiscord } from '../contract.ts';
import { VIEWS, type View } from '../domain/status.ts';

const STATES = ['0', '1', '2'] as const;

const getState = (view: View): (typeof STATES)[number] => STATES[VIEWS.indexOf(view)] ?? '0';

/** Loads the days of a code and reloads them every minute. Loads nothing if `code` is undefined. */
export function useStatuses(code: string | undefined, view: View) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['chatstatus', code, view],
    queryFn: async () => ({
      ...(await call(getstatusesdiscord, { code: code ?? '', state: getState(view), tz: getTimeZone() })),
      asOf: Date.now(),
    }),
    enabled: code !== undefined,
    refetchInterval: ({ state }) => (state.error instanceof Refusal ? false : MINUTE_MS),
    // Keeps the previous view on screen until the new one of the same code is loaded.
    placeholderData: (before, query) => (query?.queryKey[1] === code ? before : undefined),
  });
  return {
    // A refused request must not show earlier data.
    answer: error instanceof Refusal ? undefined : data,
    problem: error?.message,
    isFetching,
    retry: () => void refetch(),
  };
}

/** Loads the state of the chat platforms; undefined until it is known. */
export function usePlatforms() {
  return useQuery({
    queryKey: ['chatstate'],
    queryFn: async () => (await call(chatstate, {})).platforms,
    refetchInterval: MINUTE_MS,
  }).data;
}
