import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AppPasswordKind } from '#platform/contract/appPasswords.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { apppasswords, makeapppassword, revokeapppassword } from '../../contract.ts';

const PASSWORDS = ['apppasswords'] as const;
/** What is done here is among them. */
const EVENTS = ['securityevents'] as const;

/** The account's app passwords, and making and revoking one. */
export const useAppPasswords = () => {
  const queries = useQueryClient();
  const read = useQuery({ queryKey: PASSWORDS, queryFn: () => call(apppasswords, {}) });
  const changed = () => Promise.all([PASSWORDS, EVENTS].map((queryKey) => queries.invalidateQueries({ queryKey })));
  const make = useMutation({
    mutationFn: (wanted: { readonly name: string; readonly kind: AppPasswordKind }) => call(makeapppassword, wanted),
    onSuccess: changed,
  });
  const revoke = useMutation({
    mutationFn: (id: number) => call(revokeapppassword, { id }),
    onError: showError,
    onSuccess: () => notices.add('good', 'The app password is revoked'),
    onSettled: changed,
  });
  return { read, make, revoke };
};
