import { handle, type Handler } from '#platform/server/tool.ts';
import { downloadticket, sendsongplaylist, streamaddresses } from '#tools/music/contract.ts';
import type { Library } from '../library.ts';
import type { FileToSend, Giver } from './fileSender.ts';
import { PAGE_LINK, songPurpose, streamPath, type SignedLinks } from './signedLinks.ts';
import type { Tickets } from './tickets.ts';
import { wantedOf } from './wanted.ts';

interface FileHandlersDeps {
  readonly library: Library;
  readonly give: Giver;
  readonly links: SignedLinks;
  readonly tickets: Tickets;
}

const bytesOf = ({ content }: FileToSend): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.size;

export const fileCalls = ({ library, give, links, tickets }: FileHandlersDeps): readonly Handler[] => [
  handle(sendsongplaylist, async (request, caller) => give(await wantedOf(library, caller.account, request), caller)),

  handle(downloadticket, async (request, caller) => {
    const wanted = await wantedOf(library, caller.account, request);
    const given = await give(wanted, caller);
    return { address: await tickets.issue(caller.account, wanted), name: given.name, size: bytesOf(given) };
  }),

  handle(streamaddresses, async ({ songs }, { account }) => {
    const found = await library.songs(account, songs);
    const { until, of } = await links.queries(account, PAGE_LINK);
    return {
      addresses: Object.fromEntries(found.map(({ id }) => [String(id), `${streamPath(id)}${of(songPurpose(id))}`])),
      until: until.toString(),
    };
  }),
];
