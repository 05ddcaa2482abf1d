import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { checkaccounts, endsessions, makebackup, securityevents, serverbackups, serverstate } from '../../contract.ts';

/** Loads the security events of the account, or of the whole server for its owner. */
export function useEvents(scope: 'own' | 'server') {
  return useQuery({ queryKey: ['securityevents', scope], queryFn: () => call(securityevents, { scope }) });
}

/** Loads the state of the server; only for the owner. */
export function useServerState() {
  return useQuery({ queryKey: ['serverstate'], queryFn: () => call(serverstate, {}) });
}

/** How often the state of a running backup is loaded. */
const RUNNING_INTERVAL_MS = 2000;

/** Loads the backups of the server, and makes one; only for the owner. */
export function useBackups() {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: ['serverbackups'],
    queryFn: () => call(serverbackups, {}),
    refetchInterval: ({ state }) => (state.data?.isRunning === true ? RUNNING_INTERVAL_MS : false),
  });
  const make = useMutation({
    mutationFn: () => call(makebackup, {}),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['serverbackups'] }),
  });
  return { query, make };
}

const OVERVIEW_QUERY_KEY = ['checkaccounts'] as const;
/** Changes of the account and of its app passwords are security events. */
export const EVENTS_QUERY_KEY = ['securityevents'] as const;
export const SECOND_FACTOR_QUERY_KEY = ['secondfactor'] as const;
export const PASSWORDS_QUERY_KEY = ['apppasswords'] as const;

/** Loads the overview of the account. `reload` also reloads the security events and app passwords. */
export function useAccountOverview() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: OVERVIEW_QUERY_KEY, queryFn: () => call(checkaccounts, {}) });
  const reload = () =>
    Promise.all(
      [OVERVIEW_QUERY_KEY, EVENTS_QUERY_KEY, PASSWORDS_QUERY_KEY].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
  return { ...query, reload };
}

/** Ends sessions by id, or all except the current one. */
export function useEndSessions(onChanged: () => Promise<unknown>) {
  return useMutation({
    mutationFn: (ids: readonly number[] | undefined) => call(endsessions, ids === undefined ? {} : { ids: [...ids] }),
    onError: showError,
    onSuccess: ({ ended }) => notices.add('good', ended === 1 ? 'One session ended' : `${ended} sessions ended`),
    onSettled: onChanged,
  });
}
