import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { setytdlpupdates, updateytdlp } from '../../contract.ts';

/** What the owner does with the server's own yt-dlp. */
export const ytdlpCalls = ({
  identity,
  ytdlpUpdates,
}: Pick<ServerContext, 'identity' | 'ytdlpUpdates'>): readonly Handler[] => {
  const checkOwner = async (account: number): Promise<void> => {
    if (!(await identity.findAccount(account))?.isOwner)
      throw new Refusal('Only the owner of this server can update yt-dlp');
  };
  return [
    handle(updateytdlp, async (_request, { account }) => {
      await checkOwner(account);
      return ytdlpUpdates.update();
    }),
    handle(setytdlpupdates, async (next, { account }) => {
      await checkOwner(account);
      await ytdlpUpdates.setOptions(next);
      return {};
    }),
  ];
};
