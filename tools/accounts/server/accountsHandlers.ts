import type { FileResponse } from '#platform/contract/call.ts';
import { Refusal, InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { streamPrettyJson, createZip, type ZipEntry } from '#platform/server/storage/accountExport.ts';
import {
  handle,
  type Caller,
  type ServerContext,
  type Handler,
  type ServerSite,
  type ToolExport,
} from '#platform/server/tool.ts';
import {
  apppasswords,
  changepassword,
  checkaccounts,
  deleteaccount,
  endlinks,
  endsessions,
  exportaccount,
  makeapppassword,
  revokeapppassword,
  securityevents,
  serverstate,
  setsignup,
} from '../contract.ts';
import { overviewOf, appPasswordsOf, shownOf, allEvents, eventsOf, stateOf } from './accountOverview.ts';

interface Heading {
  readonly username: string;
  readonly version: string;
  readonly now: Temporal.Instant;
}

const readmeOf = (parts: readonly ToolExport[], { username, version, now }: Heading): string => {
  const lines = parts.map(
    ({ tool, description }) => `${tool}.json\n    ${description ?? `What the tool '${tool}' keeps of you.`}`,
  );
  return [
    `Everything that the account ${username} holds on this Pegboard.`,
    `Written ${now.toString({ smallestUnit: 'second' })} by version ${version}.`,
    '',
    ...lines,
    '',
    'The files are JSON in UTF-8. Times are ISO 8601 in UTC, or seconds since 1970 where a field is called timesent.',
    'Files besides the JSON, if a tool has any, stand in a folder of its name. Passwords and tokens are kept as hashes only',
    'and are not among these.',
    '',
  ].join('\n');
};

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}
async function* asFile(data: () => Promise<unknown>): AsyncGenerator<string> {
  yield* streamPrettyJson(await data());
  yield '\n';
}

async function* entriesOf(parts: readonly ToolExport[], heading: Heading): AsyncGenerator<ZipEntry> {
  yield { path: 'README.txt', content: oneText(readmeOf(parts, heading)) };
  for (const { tool, data, files } of parts) {
    yield { path: `${tool}.json`, content: asFile(data) };
    for await (const { path, ...file } of files()) yield { ...file, path: `${tool}/${path}` };
  }
}

/** The account's data as one zip, collected from the tools while it is sent. */
export function exportZip(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  site: Pick<ServerSite, 'listExports' | 'version'>,
) {
  return async (account: number): Promise<FileResponse> => {
    const found = await identity.findAccount(account);
    if (found === undefined) throw new InvalidTokenRefusal();
    const heading = { username: found.name, version: site.version, now: now() };
    return {
      type: 'application/zip',
      name: `pegboard-${found.name}-${heading.now.toString().slice(0, 10)}.zip`,
      content: createZip(entriesOf(site.listExports(account), heading), heading.now),
    };
  };
}

const originOf = ({ address, browser }: Caller) => ({ address, browser });

export function calls(ground: ServerContext, site: ServerSite): readonly Handler[] {
  const { identity } = ground;
  const [overview, appPasswords] = [overviewOf(ground), appPasswordsOf(ground)];
  const zipOfAccount = exportZip(ground, site);
  const [ownEvents, everyEvent, state] = [eventsOf(ground), allEvents(ground), stateOf(ground, site)];
  const checkOwner = async (account: number, may: string): Promise<void> => {
    if (!(await identity.findAccount(account))?.isOwner) throw new Refusal(`Only the owner of this server can ${may}`);
  };
  return [
    handle(checkaccounts, async (_request, { account, session }) => {
      const { sessions, ...rest } = await overview(account);
      return { ...rest, sessions: sessions.map((one) => ({ ...one, own: one.id === session })) };
    }),

    handle(changepassword, async ({ password, newPassword }, caller) => {
      await identity.checkPassword(caller.account, password, originOf(caller));
      return { ended: await identity.changePassword(caller.account, newPassword, caller.session) };
    }),

    handle(endsessions, async ({ ids }, { account, session }) => ({
      ended: await identity.endSessions(account, ids === undefined ? { allBut: session } : { ids }),
    })),

    handle(endlinks, async (_request, { account }) => {
      await identity.revokeLinks(account);
      return {};
    }),

    handle(apppasswords, async (_request, { account }) => ({ passwords: await appPasswords(account) })),

    handle(makeapppassword, async ({ name, kind = 'calendar' }, caller) => {
      const given = { name, kind };
      const { password, ...made } = await identity.appPasswords.create(caller.account, given, originOf(caller));
      return { ...shownOf(made), password };
    }),

    handle(revokeapppassword, async ({ id }, caller) => {
      await identity.appPasswords.revoke(caller.account, id, originOf(caller));
      return {};
    }),

    handle(exportaccount, async ({ password }, caller) => {
      await identity.checkPassword(caller.account, password, originOf(caller));
      return zipOfAccount(caller.account);
    }),

    handle(deleteaccount, async ({ password, username }, caller) => {
      await identity.checkPassword(caller.account, password, originOf(caller));
      if (username.trim() !== (await identity.findAccount(caller.account))?.name)
        throw new Refusal('The name typed is not the name of this account');
      await identity.assertDeletable(caller.account);
      await site.deleteAccountData(caller.account); // while the rows still say which files are the account's
      await identity.deleteAccount(caller.account);
      return {};
    }),

    handle(setsignup, async ({ open }, { account }) => {
      await checkOwner(account, 'open or close sign-up');
      await identity.setSignupOpen(open);
      return {};
    }),

    handle(securityevents, async ({ scope }, { account }) => {
      if (scope !== 'server') return { events: await ownEvents(account) };
      await checkOwner(account, 'see its security events');
      return { events: await everyEvent() };
    }),

    handle(serverstate, async (_request, { account }) => {
      await checkOwner(account, 'see its state');
      return state();
    }),
  ];
}
