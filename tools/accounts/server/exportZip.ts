import type { FileResponse } from '#platform/contract/call.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { streamPrettyJson } from '#platform/server/storage/accountExport.ts';
import { createZip, type ZipEntry } from '#platform/server/storage/zip.ts';
import type { ServerContext, ServerSite, ToolExport } from '#platform/server/tool.ts';

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
export const exportZip =
  ({ identity, now }: Pick<ServerContext, 'identity' | 'now'>, site: Pick<ServerSite, 'listExports' | 'version'>) =>
  async (account: number): Promise<FileResponse> => {
    const found = await identity.findAccount(account);
    if (found === undefined) throw new InvalidTokenRefusal();
    const heading = { username: found.name, version: site.version, now: now() };
    return {
      type: 'application/zip',
      name: `pegboard-${found.name}-${heading.now.toString().slice(0, 10)}.zip`,
      content: createZip(entriesOf(site.listExports(account), heading), heading.now),
    };
  };
