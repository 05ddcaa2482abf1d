import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { serverinfo } from '#platform/contract/session.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { checkaccounts, endsessions, setsignup, securityevents, serverstate } from '../../contract.ts';

/** What happened to the account, or to the whole server where its owner asks. */
export function useEvents(scope: 'own' | 'server') {
  return useQuery({ queryKey: ['securityevents', scope], queryFn: () => call(securityevents, { scope }) });
}

/** How the server is; its owner alone may ask. */
export function useServerState() {
  return useQuery({ queryKey: ['serverstate'], queryFn: () => call(serverstate, {}) });
}

const OVERVIEW = ['checkaccounts'] as const;
/** What is changed here is among them. */
const EVENTS = ['securityevents'] as const;
/** They end with the password. */
const PASSWORDS = ['apppasswords'] as const;

/** The account's own overview. */
export function useOverview() {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: OVERVIEW, queryFn: () => call(checkaccounts, {}) });
  const changed = () =>
    Promise.all([OVERVIEW, EVENTS, PASSWORDS].map((queryKey) => queries.invalidateQueries({ queryKey })));
  return { ...query, changed };
}

/** Ends sessions by id, or all but the own one. */
export function useEndSessions(changed: () => Promise<unknown>) {
  return useMutation({
    mutationFn: (ids: readonly number[] | undefined) => call(endsessions, ids === undefined ? {} : { ids: [...ids] }),
    onError: showError,
    onSuccess: ({ ended }) =>
      notices.add('good', ended === 1 ? 'One session has ended' : `${ended} sessions have ended`),
    onSettled: changed,
  });
}

/** Whether others can make accounts here; the owner alone may change it. */
export function useSignupOpen() {
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const set = useMutation({
    mutationFn: (open: boolean) => call(setsignup, { open }),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['serverinfo'] }),
  });
  return { open: set.isPending ? set.variables : data?.signupOpen, set: set.mutate };
}
