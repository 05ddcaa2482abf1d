import type { FileResponse } from '#platform/contract/call.ts';
import { Refusal, InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { streamPrettyJson, createZip, type ZipEntry } from '#platform/server/storage/accountExport.ts';
import { EXPORT_FORMAT, MANIFEST_PATH } from '#platform/server/storage/exportArchive.ts';
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
  makebackup,
  revokeapppassword,
  securityevents,
  serverbackups,
  serverstate,
} from '../contract.ts';
import { requireOwner } from './accessHandlers.ts';
import {
  getAccountOverview,
  getBackupOverview,
  getServerOverview,
  listAllSecurityEvents,
  listAppPasswords,
  listSecurityEvents,
  toWireAppPassword,
} from './accountOverview.ts';

interface ReadmeHeader {
  readonly username: string;
  readonly version: string;
  readonly now: Temporal.Instant;
}

function formatReadme(toolExports: readonly ToolExport[], { username, version, now }: ReadmeHeader): string {
  const lines = toolExports.map(
    ({ tool, description }) => `${tool}.json\n    ${description ?? `What the tool '${tool}' stores about you.`}`,
  );
  return [
    `All data of the account ${username} on this Pegboard server.`,
    `Exported ${now.toString({ smallestUnit: 'second' })} by version ${version}.`,
    '',
    `${MANIFEST_PATH}\n    The version of this format.`,
    ...lines,
    '',
    'The files are JSON in UTF-8. Times are ISO 8601 in UTC, or seconds since 1970 where a field is called timesent.',
    'Other files of a tool are in a folder with its name. Passwords and tokens are stored only as hashes',
    'and are not included. Another Pegboard can import the zip: Settings, Main Account Settings, Import my data.',
    '',
  ].join('\n');
}

const formatManifest = ({ version, now }: ReadmeHeader): string =>
  `${JSON.stringify({ format: EXPORT_FORMAT, version, exported: now.toString() }, undefined, 2)}\n`;

async function* streamText(text: string): AsyncGenerator<string> {
  yield text;
}
async function* streamJsonFile(data: () => Promise<unknown>): AsyncGenerator<string> {
  yield* streamPrettyJson(await data());
  yield '\n';
}

async function* streamEntries(toolExports: readonly ToolExport[], header: ReadmeHeader): AsyncGenerator<ZipEntry> {
  yield { path: 'README.txt', content: streamText(formatReadme(toolExports, header)) };
  yield { path: MANIFEST_PATH, content: streamText(formatManifest(header)) };
  for (const { tool, data, files } of toolExports) {
    yield { path: `${tool}.json`, content: streamJsonFile(data) };
    for await (const { path, ...file } of files()) yield { ...file, path: `${tool}/${path}` };
  }
}

/** Exports an account as a zip, which is created from the data of the tools while it is sent. */
async function exportAsZip(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  site: Pick<ServerSite, 'listExports' | 'version'>,
  account: number,
): Promise<FileResponse> {
  const accountInfo = await identity.findAccount(account);
  if (accountInfo === undefined) throw new InvalidTokenRefusal();
  const header = { username: accountInfo.name, version: site.version, now: now() };
  return {
    type: 'application/zip',
    name: `pegboard-${accountInfo.name}-${header.now.toString().slice(0, 10)}.zip`,
    content: createZip(streamEntries(site.listExports(account), header), header.now),
  };
}

const toClientInfo = ({ address, browser }: Caller) => ({ address, browser });

export function createAccountsHandlers(context: ServerContext, site: ServerSite): readonly Handler[] {
  const { identity } = context;
  return [
    handle(checkaccounts, async (_request, { account, session }) => {
      const { sessions, ...rest } = await getAccountOverview(context, account);
      return { ...rest, sessions: sessions.map((entry) => ({ ...entry, own: entry.id === session })) };
    }),

    handle(changepassword, async ({ password, newPassword }, caller) => {
      await identity.checkPassword(caller.account, password, toClientInfo(caller));
      return { ended: await identity.changePassword(caller.account, newPassword, caller.session) };
    }),

    handle(endsessions, async ({ ids }, { account, session }) => ({
      ended: await identity.endSessions(account, ids === undefined ? { allBut: session } : { ids }),
    })),

    handle(endlinks, async (_request, { account }) => {
      await identity.revokeLinks(account);
    }),

    handle(apppasswords, async (_request, { account }) => ({
      passwords: await listAppPasswords(context, account),
    })),

    handle(makeapppassword, async ({ name, kind = 'calendar' }, caller) => {
      const options = { name, kind };
      const { password, ...info } = await identity.appPasswords.create(caller.account, options, toClientInfo(caller));
      return { ...toWireAppPassword(info), password };
    }),

    handle(revokeapppassword, async ({ id }, caller) => {
      await identity.appPasswords.revoke(caller.account, id, toClientInfo(caller));
    }),

    handle(exportaccount, async ({ password }, caller) => {
      await identity.checkPassword(caller.account, password, toClientInfo(caller));
      return exportAsZip(context, site, caller.account);
    }),

    handle(deleteaccount, async ({ password, username }, caller) => {
      await identity.checkPassword(caller.account, password, toClientInfo(caller));
      if (username.trim() !== (await identity.findAccount(caller.account))?.name)
        throw new Refusal('account.name_mismatch', 'This is not the name of your account. Check it for typos');
      await identity.assertDeletable(caller.account);
      await site.deleteAccountData(caller.account); // before the rows that name the files are deleted
      await identity.deleteAccount(caller.account);
    }),

    handle(securityevents, async ({ scope }, { account }) => {
      if (scope !== 'server') return { events: await listSecurityEvents(context, account) };
      await requireOwner(context, account, 'see its security events');
      return { events: await listAllSecurityEvents(context) };
    }),

    handle(serverstate, async (_request, { account }) => {
      await requireOwner(context, account, 'see its state');
      return getServerOverview(context, site);
    }),

    handle(serverbackups, async (_request, { account }) => {
      await requireOwner(context, account, 'see its backups');
      return getBackupOverview(context);
    }),

    handle(makebackup, async (_request, { account }) => {
      await requireOwner(context, account, 'make a backup');
      // It may take minutes. If it fails, it is logged, and the overview says why.
      context.backups.backUp('request').catch(() => undefined);
    }),
  ];
}
