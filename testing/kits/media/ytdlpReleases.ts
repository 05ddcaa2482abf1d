import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp';
import type { YtdlpReleases } from '#platform/server/programs/ytdlpUpdates.ts';
import { listenLocally } from '../server/localServer.ts';

/** A site with releases of yt-dlp, signed with its own key. */
export interface ReleaseSite extends AsyncDisposable {
  /** Server options to update from this site. */
  readonly options: { readonly egressAllow: readonly string[]; readonly ytdlpReleases: YtdlpReleases };
  /** The program of each channel; 404 if missing. */
  readonly programs: Map<'stable' | 'nightly', string>;
}

/** Creates a program that only prints this version. */
export function createFakeYtdlp(version: string): string {
  return `#!/bin/sh\necho ${version}\n`;
}

const formatSums = (program: string): string => `${createHash('sha256').update(program).digest('hex')}  yt-dlp\n`;

export async function startReleaseSite(): Promise<ReleaseSite> {
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'Test' }] });
  const signingKeys = await readPrivateKey({ armoredKey: privateKey });
  const programs: ReleaseSite['programs'] = new Map();
  const signText = async (text: string): Promise<Uint8Array> =>
    sign({
      message: await createMessage({ binary: Buffer.from(text) }),
      signingKeys,
      detached: true,
      format: 'binary',
    });
  const site = createServer((request, response) => {
    const [, channel, name] = (request.url ?? '').split('/');
    const program = programs.get(channel === 'nightly' ? 'nightly' : 'stable');
    void (async () => {
      if (program === undefined) return response.writeHead(404).end();
      if (name === 'yt-dlp') return response.end(program);
      return response.end(name === 'SHA2-256SUMS' ? formatSums(program) : await signText(formatSums(program)));
    })();
  });
  const localServer = await listenLocally(site);
  const { host, origin } = localServer;
  return {
    ...localServer,
    programs,
    options: {
      egressAllow: [host],
      ytdlpReleases: { stable: `${origin}/stable`, nightly: `${origin}/nightly`, key: publicKey },
    },
  };
}
