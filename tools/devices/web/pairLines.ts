import { isPrivateHost } from '#platform/contract/privateAddress.ts';

/** Commands that pair a computer with the server at `origin`. */
export interface PairLines {
  readonly npx: string;
  readonly withoutNpx: readonly string[];
  /** Plain HTTP over the internet, which the agent only accepts with a flag. The commands contain it. */
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
