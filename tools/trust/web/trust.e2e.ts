import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serverinfo, type OwnHttps } from '#platform/contract/session.ts';
import { readAuthority, type CertificateAuthority } from '#platform/server/https/authority.ts';
import { issueLeafCertificate } from '#platform/server/https/ownHttps.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { PLAIN_HTTP_HOST, startBrowser, type TestBrowser } from '#testing/kits/browser/browser.ts';
import { startServer, TEST_PASSWORD, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';

const skipReason = getSkipReason('chromium', 'certutil');
const getHostIdentity = () => ({ hostname: 'pegboard', addresses: ['127.0.0.1'], publicHosts: [] });
const run = promisify(execFile);

/** Creates a home folder whose browsers trust the authority, as after following the page. */
async function createTrustingHome({ certificate }: CertificateAuthority): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'pegboard-trust-'));
  const database = `sql:${join(home, '.pki/nssdb')}`;
  await mkdir(join(home, '.pki/nssdb'), { recursive: true });
  await writeFile(join(home, 'ca.pem'), certificate.toString());
  await run('certutil', ['-d', database, '-N', '--empty-password']);
  await run('certutil', ['-d', database, '-A', '-t', 'C,,', '-n', 'pegboard', '-i', join(home, 'ca.pem')]);
  return home;
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('ann');
  await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await page.getByLabel('Stay logged in').check();
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await page.waitForURL('**/pagerouter');
}

/** Returns which features that browsers only allow on secure pages are available. */
const getFeatures = (page: Page) =>
  page.evaluate(() => ({
    secure: isSecureContext,
    sensors: 'Accelerometer' in window && 'Gyroscope' in window,
    clipboard: 'clipboard' in navigator,
    wakeLock: 'wakeLock' in navigator,
  }));

describe.skipIf(skipReason)(`https by the server itself${skipReason === undefined ? '' : `, ${skipReason}`}`, () => {
  let server: TestServer;
  let ann: TestAccount;
  let browser: TestBrowser;
  let authority: CertificateAuthority;
  let https: OwnHttps;
  let home = '';
  let secureOrigin = '';

  beforeAll(async () => {
    server = await startServer({
      https: { port: 0, getHostIdentity },
      addresses: () => ['http://192.168.1.5:8300'],
    });
    ann = await server.createAccount('ann');
    const storedAuthority = await readAuthority(server.dataDir);
    const { https: about } = await server.call(serverinfo, {});
    if (!storedAuthority || !about) throw new Error('https is off');
    authority = storedAuthority;
    https = about;
    secureOrigin = `https://${PLAIN_HTTP_HOST}:${https.port}`;
    home = await createTrustingHome(authority);
    browser = await startBrowser({ home });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    if (home !== '') await rm(home, { recursive: true });
  });

  test('a phone that trusts the authority can use secure features over HTTPS', async () => {
    const plainPage = await browser.openPage(server.origin, '/trust', { size: 'phone', plainHttp: true });
    expect(await getFeatures(plainPage)).toEqual({ secure: false, sensors: false, clipboard: false, wakeLock: false });
    const page = await browser.openPage(secureOrigin, '/trust', { size: 'phone' });
    expect(await getFeatures(page)).toEqual({ secure: true, sensors: true, clipboard: true, wakeLock: true });
    await page.getByRole('heading', { name: 'This page is secure' }).waitFor();
  });

  test('a browser that trusts the authority refuses certificates outside its name constraints', async () => {
    // A thief of the key pretends to be another site, whose name resolves to this server.
    const forgedCertificate = issueLeafCertificate(authority, ['pegboard.example.com'], Temporal.Now.instant());
    const thiefServer = createServer(
      { key: forgedCertificate.key, cert: forgedCertificate.certificate },
      (_request, response) => response.end(),
    );
    await new Promise<void>((resolve) => void thiefServer.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void thiefServer.close());
    const { port } = thiefServer.address() as AddressInfo;
    const page = await browser.openPage(server.origin, '/trust');
    await expect(page.goto(`https://127.0.0.1:${port}/`)).rejects.toThrow('ERR_CERT_INVALID');
  });

  test.for(['light', 'dark'] as const)('the page has instructions for each device, %s', async (scheme) => {
    const page = await browser.openPage(server.origin, '/trust?for=/mixer', { size: 'phone', plainHttp: true, scheme });
    const devices = page.getByRole('group', { name: 'Device' });
    for (const [name, words] of [
      ['Android', 'CA certificate'],
      ['iPhone, iPad', 'Certificate Trust Settings'],
      ['Computer', 'Trusted Root Certification Authorities'],
    ] as const) {
      await devices.getByRole('button', { name }).click();
      const steps = page.getByRole('region', { name });
      await steps.getByText(words).first().waitFor();
      expect(await findBarriers(page)).toEqual([]);
      const shown = await steps.locator('code').allInnerTexts();
      expect(shown.map((text) => text.replaceAll(/\s+/g, ':'))).toContain(https.fingerprint);
      expect(await steps.getByRole('link', { name: 'Get the certificate' }).getAttribute('href')).toBe(
        '/trust/pegboard-ca.crt',
      );
    }
    await page.getByText('This certificate is valid only for addresses in your own network').waitFor();

    await page.getByRole('link', { name: 'Open over https' }).click();
    await page.waitForURL(`${secureOrigin}/trust?for=%2Fmixer`);
    await page.getByRole('link', { name: 'Continue to Mixer' }).click();
    await page.waitForURL(`${secureOrigin}/mixer`);
  });

  test('a narrow phone needs no horizontal scrolling', async () => {
    const page = await browser.openPage(server.origin, '/trust', { size: 'phone', plainHttp: true });
    await page.setViewportSize({ width: 320, height: 700 });
    for (const name of ['Android', 'iPhone, iPad', 'Computer']) {
      await page.getByRole('button', { name }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    }
  });

  test('the certificate can be downloaded', async () => {
    const page = await browser.openPage(server.origin, '/trust', { plainHttp: true });
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Get the certificate' }).click();
    expect((await download).suggestedFilename()).toBe('pegboard-ca.crt');
  });

  test('under a host that is not in the certificate, the page links to one that is', async () => {
    const page = await browser.openPage(server.origin.replace('127.0.0.1', 'sub.localhost'), '/trust');
    await page.getByText('The certificate is not valid for sub.localhost, but for 127.0.0.1').waitFor();
    const link = page.getByRole('link', { name: 'Open over https' });
    await expect.poll(() => link.getAttribute('href')).toBe(`https://127.0.0.1:${https.port}/trust?for=%2Fdashboard`);
  });

  test('a page that needs HTTPS says so over HTTP, and links to HTTPS and to the instructions', async () => {
    const page = await browser.openPage(server.origin, '/pastebin', { size: 'phone', plainHttp: true });
    await page.getByText('Encryption needs https').waitFor();
    const first = page.getByRole('link', { name: 'First time on this device' });
    await expect.poll(() => first.getAttribute('href')).toBe('/trust?for=%2Fpastebin');
    await page.getByRole('link', { name: 'Open over https' }).click();
    await page.waitForURL(`${secureOrigin}/pastebin`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await expect.poll(() => page.getByText('Encryption needs https').count()).toBe(0);
  });

  test("the HTTP page can't replace a login stored over HTTPS, says so, and links to the HTTPS page", async () => {
    const page = await browser.openPage(secureOrigin, '/login', { size: 'phone' });
    await logIn(page);
    const cookies = await page.context().cookies(secureOrigin);
    expect(Object.fromEntries(cookies.map(({ name, secure: isSecure }) => [name, isSecure]))).toEqual({
      pb_known: false,
      pb_visitor: false,
      usertoken: true,
    });
    const loginCookie = cookies.find(({ name }) => name === 'usertoken')?.value;

    // From an HTTP page, the browser neither reads nor overwrites the cookie that was set over HTTPS.
    const plainOrigin = `http://${PLAIN_HTTP_HOST}:${new URL(server.origin).port}`;
    await page.goto(`${plainOrigin}/login`);
    await logIn(page);
    const notice = page
      .getByRole('alert')
      .filter({ hasText: 'This browser stored a login for the https page of this server' });
    await expect
      .poll(() => notice.getByRole('link', { name: 'Open over https' }).getAttribute('href'))
      .toBe(`${secureOrigin}/login`);
    expect(await findBarriers(page)).toEqual([]);
    // The cookie of known browsers has no Secure flag, so it is valid on both ports.
    expect((await page.context().cookies(plainOrigin)).map(({ name }) => name).toSorted()).toEqual([
      'pb_known',
      'pb_visitor',
    ]);

    await notice.getByRole('link', { name: 'Open over https' }).click();
    await page.getByText('Logged in as ann').waitFor();
    expect((await page.context().cookies(secureOrigin)).find(({ name }) => name === 'usertoken')?.value).toBe(
      loginCookie,
    );
  });

  test("the HTTPS page shows a pairing command over HTTP, as programs don't trust the certificate yet", async () => {
    const page = await browser.openPage(secureOrigin, '/trust');
    await page.context().addCookies([{ name: 'usertoken', value: ann.token, url: secureOrigin }]);
    await page.goto('/dashboard/settings/pair');
    const address = 'http://192.168.1.5:8300';
    await page.getByText(`npx ${address}/agent.tgz pair ${address}`).waitFor();
    await page.getByRole('img', { name: `QR code for ${address}/login` }).waitFor();
  });

  test('without a Secure cookie, a login is stored over HTTP too, and nothing redirects to HTTPS', async () => {
    const page = await browser.openPage(secureOrigin, '/', { size: 'phone' });
    const plainOrigin = `http://${PLAIN_HTTP_HOST}:${new URL(server.origin).port}`;
    await page.goto(`${plainOrigin}/login`);
    expect(page.url()).toBe(`${plainOrigin}/login`);
    await logIn(page);
    expect(page.url()).toBe(`${plainOrigin}/pagerouter`);
    expect((await page.context().cookies(plainOrigin)).find(({ name }) => name === 'usertoken')?.secure).toBe(false);
  });
});

const plainSkipReason = getSkipReason('chromium');

describe.skipIf(plainSkipReason)(`without https${plainSkipReason === undefined ? '' : `, ${plainSkipReason}`}`, () => {
  test('the page explains how to turn HTTPS on', async () => {
    await using server = await startServer();
    await using browser = await startBrowser();
    const page = await browser.openPage(server.origin, '/trust', { size: 'phone', plainHttp: true });
    await page.getByRole('heading', { name: 'This server has no https yet' }).waitFor();
    await page.getByText('HTTPS_PORT=8443 npm start').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.context().close();
  });
});
