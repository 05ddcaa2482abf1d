import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { log } from '#platform/contract/session.ts';
import { computeTotp, decodeBase32, getTotpStep } from '#platform/server/identity/totp.ts';
import type { ServerContext, ServerSite, ServerTool } from '#platform/server/tool.ts';
import { exportZip } from '#testing/kits/server/accountTransfer.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { addtotp, changepassword, starttotp } from '#tools/accounts/contract.ts';
import { paste } from '#tools/paste/contract.ts';
import { runAdminCommand } from './adminCommands.ts';
import type { ServerOptions } from './assemble.ts';
import { serverTools } from './tools.ts';

test('the operator imports an export, and reads what became of each part', async () => {
  let run: ((words: readonly string[]) => Promise<string>) | undefined;
  const operator: ServerTool = {
    name: 'operator',
    migrations: [],
    start: (context: ServerContext, site: ServerSite) => {
      run = (words) => runAdminCommand({ ...context, ...site }, { words, owner: false, yes: false, mend: false });
      return { calls: [] };
    },
  };
  await using server = await startServer({ tools: [...serverTools, operator] });
  const ada = await server.createAccount('Ada');
  await ada.call(paste, { inputValue: 'moves' });
  const path = join(server.dataDir, 'export.zip');
  await writeFile(path, await exportZip(ada));
  await server.createAccount('Bob');
  expect(await run?.(['user', 'import', 'Bob', path])).toContain('paste\timported\tpastes: 1');
  expect(await run?.(['user', 'import', 'Bob', path])).toContain('paste\tskipped');
  await expect(run?.(['user', 'import', 'Bob', `${path}.missing`])).rejects.toThrow('Enter the path of the zip');
});

/** Starts a server, and returns a function that resets the password of the account Ada. */
async function startWithReset(options: Partial<ServerOptions> = {}) {
  let resetPassword: (() => Promise<string>) | undefined;
  const operator: ServerTool = {
    name: 'operator',
    migrations: [],
    start: (context: ServerContext, site: ServerSite) => {
      const request = { words: ['user', 'reset-password', 'Ada'], owner: false, yes: false, mend: false };
      resetPassword = () => runAdminCommand({ ...context, ...site }, request);
      return { calls: [] };
    },
  };
  const server = await startServer({ ...options, tools: [...serverTools, operator] });
  return { server, resetPassword: async () => (await resetPassword?.()) ?? '' };
}

const findPassword = (text: string): string => /New password of 'Ada': (\S+)/.exec(text)?.[1] ?? '';

test("a new password keeps the second factor, and the operator's reset removes it and says so", async () => {
  const { server, resetPassword } = await startWithReset();
  await using _ = server;
  const { call } = await server.createAccount('Ada');
  const { ticket, secret } = await call(starttotp, { password: TEST_PASSWORD });
  await call(addtotp, { ticket, oneTimeCode: computeTotp(decodeBase32(secret), getTotpStep(Date.now())) });
  const newPassword = 'a better horse';
  await call(changepassword, { password: TEST_PASSWORD, newPassword });
  await expect(server.call(log, { username: 'Ada', password: newPassword })).rejects.toThrow('second factor');
  const text = await resetPassword();
  expect(text).toContain('Second factor: removed the authenticator app');
  expect((await server.call(log, { username: 'Ada', password: findPassword(text) })).username).toBe('Ada');
  expect(await resetPassword()).toContain('Second factor: there was none');
});

test('a password that the operator has reset logs in although passwords are off', async () => {
  const { server, resetPassword } = await startWithReset({
    singleSignOn: {
      issuer: 'http://127.0.0.1:1',
      clientId: 'pegboard',
      clientSecret: undefined,
      name: 'Authelia',
      createsAccounts: false,
      allowsPasswords: false,
    },
  });
  await using _ = server;
  await server.createAccount('Ada');
  await expect(server.call(log, { username: 'Ada', password: TEST_PASSWORD })).rejects.toThrow(
    "Passwords don't log in on this server. Log in with Authelia",
  );
  const text = await resetPassword();
  expect(text).toContain('PASSWORD_LOGIN is off, so this password logs in for one day');
  expect((await server.call(log, { username: 'Ada', password: findPassword(text) })).username).toBe('Ada');
});
