import type { AnswerOf } from '#platform/contract/call.ts';
import { accountimport, exportaccount, importpart, IMPORT_PART_BYTES, startimport } from '#tools/accounts/contract.ts';
import { waitFor } from '../desktop/desktop.ts';
import { TEST_PASSWORD, type TestAccount } from './server.ts';

export type ImportState = AnswerOf<typeof accountimport>;

/** Exports an account. Returns the bytes of the zip. */
export async function exportZip(account: TestAccount): Promise<Buffer> {
  const { content } = await account.call(exportaccount, { password: TEST_PASSWORD });
  return Buffer.from(await content.bytes());
}

/** Uploads a zip in parts, without waiting for its import. */
async function uploadZip(account: TestAccount, zip: Buffer, key = 'export.zip'): Promise<void> {
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
