import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { registerHealthRoutes } from '../operations/health.ts';
import { createLogger } from '../operations/logger.ts';
import { createHttpServer, closeHttpServer } from './httpServer.ts';
import { createRateLimiter } from './rateLimiter.ts';
import { computeAgentDigest, registerSite } from './site.ts';

const INDEX =
  '<!doctype html><html><head>\n<meta name="csp-nonce" content="" />\n<title>x</title></head><body></body></html>';

/** Starts a server with a small site in its own folder. */
async function startTestSite({ isBuilt = true, metricsToken }: { isBuilt?: boolean; metricsToken?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-site-'));
  const [webDist, agentDist] = [join(folder, 'web'), join(folder, 'agent')];
  const files: Readonly<Record<string, string>> = {
    'web/index.html': INDEX,
    'web/scheme.js': '1;',
    'web/.stamp': 'secret',
    'web/.vite/pages.json': JSON.stringify({ '/login': ['/assets/login-abc.js', '/assets/login-abc.css'] }),
    'web/assets/main-abc.js': 'plain',
    'web/images/close.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'agent/agent.mjs': 'agent',
  };
  for (const [name, text] of Object.entries(isBuilt ? files : {})) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  if (isBuilt) await writeFile(join(webDist, 'assets/main-abc.js.br'), brotliCompressSync('packed'));
  const log = createLogger({ level: 'silent' });
  const rateLimiter = createRateLimiter({ isOn: true });
  const { http } = await createHttpServer({
    log,
    rateLimiter,
    identity: { hasOwner: async () => true },
    trustProxy: ['127.0.0.9'],
  });
  let isStopping = false;
  let fault: string | undefined;
  registerHealthRoutes(http, {
    isStopping: () => isStopping,
    assertReady: async () => {
      if (fault !== undefined) throw new Error(fault);
    },
    metricsToken,
  });
  await registerSite(http, { webDist, agentDist, pages: ['/', '/login', '/api/docs'] });
  const origin = await http.listen({ port: 0, host: '127.0.0.1' });
  return {
    origin,
    agentDist,
    get: (path: string, headers: Record<string, string> = {}) => fetch(origin + path, { headers }),
    stop: () => void (isStopping = true),
    failReadiness: () => void (fault = 'database is gone'),
    [Symbol.asyncDispose]: async () => {
      await closeHttpServer(http);
      await rm(folder, { recursive: true });
    },
  };
}

const getNonce = (policy: string | null): string | undefined => /'nonce-([^']+)'/.exec(policy ?? '')?.[1];

test('each page has the same nonce in header and HTML, and is never cached', async () => {
  await using site = await startTestSite();
  const nonces = new Set<string | undefined>();
  for (const path of ['/', '/login', '/login/', '/login?token=x', '/api/docs']) {
    const page = await site.get(path);
    const nonce = getNonce(page.headers.get('content-security-policy'));
    nonces.add(nonce);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('etag')).toBeNull();
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect((await page.text()).match(/<meta name="csp-nonce"[^>]*>/g)).toEqual([
      `<meta name="csp-nonce" content="${nonce}" />`,
    ]);
  }
  expect(nonces.size).toBe(5);
});

test('a page lists its own files, and not those of other pages', async () => {
  await using site = await startTestSite();
  const listLinks = async (path: string) => (await (await site.get(path)).text()).match(/<link [^>]*>(?=.*<\/head>)/g);
  for (const path of ['/login', '/login/?from=x'])
    expect(await listLinks(path)).toEqual([
      '<link rel="modulepreload" crossorigin href="/assets/login-abc.js" />',
      '<link rel="preload" as="style" crossorigin href="/assets/login-abc.css" />',
    ]);
  for (const path of ['/', '/nowhere']) expect(await listLinks(path)).toBeNull();
});

test('an unknown page is 404 with the site, an unknown call 404 with a message', async () => {
  await using site = await startTestSite();
  const page = await site.get('/nowhere');
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  for (const path of ['/api/nowhere', '/api', '/api/', '//api/nowhere', '/api//nowhere', '/api/nowhere/', '/api?x=1']) {
    const call = await site.get(path);
    expect([path, call.status, await call.json()]).toEqual([path, 404, { message: 'There is no such call' }]);
  }
  expect((await site.get('/api/images/nothing.svg')).status).toBe(404);
  expect((await site.get('/.stamp')).headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('a page sets a cookie that scripts cannot read, and each later page extends it', async () => {
  await using site = await startTestSite();
  const cookie = (await site.get('/')).headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^pb_visitor=[\w-]{22}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  const nextPage = await site.get('/', { cookie: cookie.split(';')[0] ?? '' });
  expect(nextPage.headers.get('set-cookie')).toBe(cookie);
});

test('assets are cached for a year and compressed; files without a hash are revalidated', async () => {
  await using site = await startTestSite();
  const asset = await site.get('/assets/main-abc.js', { 'accept-encoding': 'br' });
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-encoding')).toBe('br');
  expect(asset.headers.get('vary')).toBe('accept-encoding');
  expect(await asset.text()).toBe('packed');
  const plain = await site.get('/assets/main-abc.js', { 'accept-encoding': 'identity' });
  expect(await plain.text()).toBe('plain');
  const scheme = await site.get('/scheme.js');
  expect([scheme.headers.get('cache-control'), await scheme.text()]).toEqual(['no-cache', '1;']);
  for (const path of ['..%2f.stamp', '..%2findex.html', '%2e%2e/.stamp', './main-abc.js%00', 'nothing.js', ''])
    expect([path, (await site.get(`/assets/${path}`)).status]).not.toContain(200);
});

test('images have both addresses, and run nothing', async () => {
  await using site = await startTestSite();
  for (const path of ['/images/close.svg', '/api/images/close.svg']) {
    const image = await site.get(path);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(image.headers.get('content-security-policy')).toContain("default-src 'none'; sandbox");
  }
});

test('the agent is served as it was built, with its digest', async () => {
  await using site = await startTestSite();
  const agent = await site.get('/agent.mjs');
  expect([agent.headers.get('cache-control'), await agent.text()]).toEqual(['no-cache', 'agent']);
  expect((await site.get('/agent.tgz')).status).toBe(404);
  expect(await computeAgentDigest(site.agentDist)).toBe(
    'd4f0bc5a29de06b510f9aa428f1eedba926012b591fef7a518e776a7c9bd1824',
  );
});

test('a server whose pages are not built says what to do', async () => {
  await using site = await startTestSite({ isBuilt: false });
  const page = await site.get('/');
  expect([page.status, await page.text()]).toEqual([503, 'The pages are not built. Run npm run build\n']);
  expect(await computeAgentDigest(site.agentDist)).toBe('');
});

test('health reports alive, ready, not ready and stopping, and nothing else', async () => {
  await using site = await startTestSite();
  async function sendRequest(path: string) {
    const response = await site.get(path);
    return [response.status, await response.json()];
  }
  expect(await sendRequest('/healthz')).toEqual([200, { status: 'ok' }]);
  expect(await sendRequest('/readyz')).toEqual([200, { status: 'ok' }]);
  site.failReadiness();
  expect(await sendRequest('/readyz')).toEqual([503, { status: 'not ready' }]);
  site.stop();
  expect(await sendRequest('/readyz')).toEqual([503, { status: 'stopping' }]);
});

test('metrics are readable on this computer or with the token, and only contain route patterns', async () => {
  await using site = await startTestSite({ metricsToken: 'a token for figures' });
  await site.get('/metrics'); // starts counting
  await site.get('/secret-path?token=hunter2');
  const metrics = await (await site.get('/metrics')).text();
  expect(metrics).toContain('pegboard_requests_total{method="GET",route="/*",status="404"} 1');
  expect(metrics).not.toMatch(/hunter2|secret-path/);
  const forwarded = { 'x-forwarded-for': '203.0.113.9' };
  expect((await site.get('/metrics', forwarded)).status).toBe(403);
  expect((await site.get('/metrics', { ...forwarded, authorization: 'Bearer wrong' })).status).toBe(403);
  expect((await site.get('/metrics', { ...forwarded, authorization: 'Bearer a token for figures' })).status).toBe(200);
});
