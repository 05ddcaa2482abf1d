import { isPrivateHost } from '#platform/contract/privateAddress.ts';

/** What to run on a computer that is to be paired with the server at `origin`. */
export interface PairLines {
  readonly npx: string;
  readonly withoutNpx: readonly string[];
  /** Plain http over the open internet: the agent takes it with a flag alone, which the lines have. */
  readonly isInsecure: boolean;
}

export function pairLines(origin: string): PairLines {
  const { protocol, hostname } = new URL(origin);
  const isInsecure = protocol !== 'https:' && !isPrivateHost(hostname);
  const pair = `pair ${origin}${isInsecure ? ' --insecure' : ''}`;
  return {
    npx: `npx ${origin}/agent.tgz ${pair}`,
    withoutNpx: [`curl -fO ${origin}/agent.mjs`, `node agent.mjs ${pair}`],
    isInsecure,
  };
}
