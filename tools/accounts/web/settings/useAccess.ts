import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import { serverinfo, type SignupRule } from '#platform/contract/session.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import {
  invitations,
  makeinvitation,
  revokeinvitation,
  serveraccounts,
  setsignup,
  suspendaccount,
} from '../../contract/access.ts';
import { EVENTS_QUERY_KEY } from './useAccountOverview.ts';

export type InvitationInfo = AnswerOf<typeof invitations>['invitations'][number];
export type AccountInfo = AnswerOf<typeof serveraccounts>['accounts'][number];

/** Loads and changes who may sign up; only the owner can change it. */
export function useSignupRule() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: ['serverinfo'], queryFn: () => call(serverinfo, {}) });
  const set = useMutation({
    mutationFn: (rule: SignupRule) => call(setsignup, { rule }),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['serverinfo'] }),
  });
  return { query, rule: set.isPending ? set.variables : query.data?.signupRule, set: set.mutate };
}

/** Loads, creates and revokes invitations; only for the owner. */
export function useInvitations() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: ['invitations'], queryFn: () => call(invitations, {}) });
  const reload = () =>
    Promise.all([['invitations'], EVENTS_QUERY_KEY].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  const creation = useMutation({
    mutationFn: (request: RequestInputOf<typeof makeinvitation>) => call(makeinvitation, request),
    onSuccess: reload,
  });
  const revocation = useMutation({
    mutationFn: (id: number) => call(revokeinvitation, { id }),
    onError: showError,
    onSuccess: () => notices.add('good', 'Invitation revoked'),
    onSettled: reload,
  });
  return { query, creation, revocation };
}

/** Loads and suspends the accounts of the server; only for the owner. */
export function useServerAccounts() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: ['serveraccounts'], queryFn: () => call(serveraccounts, {}) });
  const suspend = useMutation({
    mutationFn: (request: RequestInputOf<typeof suspendaccount>) => call(suspendaccount, request),
    onError: showError,
    onSuccess: (_answer, { suspended }) =>
      notices.add('good', suspended ? 'Account suspended' : 'The account can log in again'),
    onSettled: () =>
      Promise.all(
        [['serveraccounts'], EVENTS_QUERY_KEY].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
  return { query, suspend };
}
