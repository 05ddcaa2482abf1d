import { QueryClient } from '@tanstack/react-query';
import { CallFailed } from '#platform/contract/client.ts';

const RETRIES = 2;

/** No answer, or a fault of the server's: worth another try. A refusal is an answer. */
const isPassing = (error: unknown): boolean =>
  error instanceof CallFailed && (error.status === 0 || error.status >= 500);

/** Server data of the pages. `networkMode` is always: a server in the house is reached without any internet. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 5000,
        retry: (failures, error) => failures < RETRIES && isPassing(error),
      },
      // What was not answered may have been done: nothing is sent twice by itself, and nothing later.
      mutations: { networkMode: 'always', retry: false },
    },
  });
