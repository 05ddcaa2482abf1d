import type { AnswerOf } from '#platform/contract/call.ts';
import { createZip, type ZipEntry } from '#platform/server/storage/accountExport.ts';
import { accountimport, exportaccount, importpart, IMPORT_PART_BYTES, startimport } from '#tools/accounts/contract.ts';
import { waitFor } from '../desktop/desktop.ts';
import { TEST_PASSWORD, type TestAccount } from './server.ts';

async function* toChunks(content: unknown): AsyncGenerator<string | Uint8Array> {
  if (content instanceof Uint8Array) yield content;
  else yield typeof content === 'string' ? content : JSON.stringify(content);
}
/** Creates a zip of these files, as an export has them. Values are written as JSON, except texts and bytes. */
export async function packZip(files: Readonly<Record<string, unknown>>): Promise<Buffer> {
  async function* listEntries(): AsyncGenerator<ZipEntry> {
    for (const [path, content] of Object.entries(files)) yield { path, content: toChunks(content) };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of createZip(listEntries(), Temporal.Instant.from('2026-11-21T12:00:00Z')))
    chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export type ImportState = AnswerOf<typeof accountimport>;

/** A song as `music.json` of an export has it. */
export const EXPORTED_SONG = {
  id: 1,
  title: 'Song',
  artist: '',
  album: '',
  artists: [],
  albumArtist: '',
  isCompilation: false,
  track: 0,
  disc: 0,
  year: 0,
  genre: '',
  type: 'mp3',
  duration: 1,
  size: 1,
  colour: '',
  hasPicture: false,
  gain: 0,
  peak: 1,
  added: '2026-11-21T12:00:00Z',
  plays: 0,
  played: null,
  starred: null,
  rating: 0,
  source: '',
  site: '',
  isMissing: false,
};

/** Exports an account. Returns the bytes of the zip. */
export async function exportZip(account: TestAccount): Promise<Buffer> {
  const { content } = await account.call(exportaccount, { password: TEST_PASSWORD });
  return Buffer.from(await content.bytes());
}

/** Uploads a zip in parts, without waiting for its import. */
export async function uploadZip(account: Pick<TestAccount, 'call'>, zip: Buffer, key = 'export.zip'): Promise<void> {
  let { offset } = await account.call(startimport, { size: zip.length, key });
  while (offset < zip.length) {
    const data = zip.subarray(offset, offset + IMPORT_PART_BYTES).toString('base64');
    ({ offset } = await account.call(importpart, { offset, data }));
  }
}

/** Imports a zip. Returns the state after it has ended. */
export async function importZip(account: TestAccount, zip: Buffer): Promise<ImportState> {
  await uploadZip(account, zip);
  let state = await account.call(accountimport, {});
  await waitFor('the end of the import', async () => {
    state = await account.call(accountimport, {});
    return state.state === 'done' || state.state === 'failed';
  });
  return state;
}
