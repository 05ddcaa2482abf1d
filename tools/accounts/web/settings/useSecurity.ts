import { useQuery } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { securityevents, serverstate } from '../../contract.ts';

/** What happened to the account, or to the whole server where its owner asks. */
export const useEvents = (scope: 'own' | 'server') =>
  useQuery({ queryKey: ['securityevents', scope], queryFn: () => call(securityevents, { scope }) });

/** How the server is; its owner alone may ask. */
export const useServerState = () => useQuery({ queryKey: ['serverstate'], queryFn: () => call(serverstate, {}) });
