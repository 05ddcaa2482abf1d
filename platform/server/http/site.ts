import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import serveFiles, { type SendOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { ensureVisitorCookie } from '../identity/visitor.ts';
import type { FileRoute } from './endpoint.ts';
import { isApiPath } from './guard.ts';
import { formatSetCookie, readCookie, buildPageCsp } from './headers.ts';

/** Folders and pages of the site. */
export interface SiteOptions {
  /** Folder of the built web app. */
  readonly webDist: string;
  /** Folder with `agent.mjs` and `agent.tgz`. */
  readonly agentDist: string;
  /** Paths of all pages. Any other address gets the site with status 404, and the site shows the error. */
  readonly pages: readonly string[];
}

const YEAR_SECONDS = 365 * DAY_SECONDS;
const NOT_BUILT_MESSAGE = 'The pages are not built. Run npm run build\n';

/** index.html, split where the nonce and the page's files are inserted; its own nonce tag is removed. */
interface IndexTemplate {
  readonly before: string;
  readonly head: string;
  readonly after: string;
  /** Link tags that preload a page's files, by the page's path. */
  readonly links: ReadonlyMap<string, string>;
}

/** The browser loads the file early, and runs it when the page needs it. */
const formatLink = (file: string, basePath: string): string =>
  file.endsWith('.css')
    ? `<link rel="preload" as="style" crossorigin href="${basePath}${file}" />`
    : `<link rel="modulepreload" crossorigin href="${basePath}${file}" />`;

async function readLinks(webDist: string, basePath: string): Promise<ReadonlyMap<string, string>> {
  const path = join(webDist, '.vite/pages.json');
  if (!existsSync(path)) return new Map();
  const files = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, readonly string[]>>;
  return new Map(
    Object.entries(files).map(([page, links]) => [page, links.map((link) => formatLink(link, basePath)).join('')]),
  );
}

/** The build has relative addresses, which would fail on pages in folders. Pages read the base path from the tag. */
async function readIndex(webDist: string, basePath: string): Promise<IndexTemplate> {
  const html = (await readFile(join(webDist, 'index.html'), 'utf8'))
    .replace(/\s*<meta name="csp-nonce"[^>]*>/, '')
    .replaceAll(/(?<=(?:src|href)=")\.\//g, `${basePath}/`);
  const baseTag = basePath === '' ? '' : `<meta name="base-path" content="${basePath}" />`;
  const headStart = html.indexOf('<head>') + '<head>'.length;
  const headEnd = html.indexOf('</head>');
  return {
    before: html.slice(0, headStart),
    head: baseTag + html.slice(headStart, headEnd),
    after: html.slice(headEnd),
    links: await readLinks(webDist, basePath),
  };
}

function setVisitorCookie(request: FastifyRequest, reply: FastifyReply): void {
  ensureVisitorCookie({
    cookie: (name) => readCookie(request.headers.cookie, name),
    setCookie: (name, value, options) =>
      void reply.header(
        'set-cookie',
        formatSetCookie(name, value, { ...options, isSecure: request.peer.isHttps, basePath: request.server.basePath }),
      ),
  });
}

const removeTrailingSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

function registerPages(http: FastifyInstance, { webDist, pages }: SiteOptions): void {
  const pagePaths = new Set(pages);
  let index: Promise<IndexTemplate> | undefined;
  async function handlePage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = removeTrailingSlash(request.url.split('?', 1)[0] ?? '/');
    if (isApiPath(path) && !pagePaths.has(path)) {
      reply.callNotFound();
      return reply;
    }
    // Never cache or revalidate: a 304 would combine an old nonce with a new header.
    reply.header('cache-control', 'no-store');
    if (!existsSync(join(webDist, 'index.html'))) return reply.code(503).type('text/plain').send(NOT_BUILT_MESSAGE);
    const { before, head, after, links } = await (index ??= readIndex(webDist, http.basePath));
    const nonce = randomBytes(16).toString('base64');
    setVisitorCookie(request, reply);
    return reply
      .code(pagePaths.has(path) ? 200 : 404)
      .header('content-security-policy', buildPageCsp(nonce))
      .type('text/html; charset=utf-8')
      .send(`${before}<meta name="csp-nonce" content="${nonce}" />${head}${links.get(path) ?? ''}${after}`);
  }
  http.route({ method: ['GET', 'HEAD'], url: '/*', handler: handlePage });
}

const setPageCsp = (reply: { header: (name: string, value: string) => unknown }): void =>
  void reply.header('content-security-policy', buildPageCsp());

interface FolderOptions {
  readonly caching: SendOptions;
  /** Scripts and styles have the CSP of pages; pictures have one that runs nothing. */
  readonly isPartOfPages: boolean;
}

/** Pictures of the site, for the OpenAPI document. */
export const imagesRoute: FileRoute = {
  path: '/api/images/:imageName',
  summary: 'Returns an image of the site, such as `close.svg`.',
  types: ['image/svg+xml', 'image/png'],
};

/** Serves a folder below `prefix`. The library's own route would list the whole folder for each file. */
const registerFolder = (http: FastifyInstance, root: string, prefix: string, options: FolderOptions): void =>
  void http.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: `${prefix}*`,
    handler: (request, reply) => {
      if (options.isPartOfPages) setPageCsp(reply);
      return reply.sendFile(request.params['*'], root, options.caching);
    },
  });

async function registerWebFiles(http: FastifyInstance, webDist: string): Promise<void> {
  if (!existsSync(webDist)) return;
  await http.register(serveFiles, {
    root: webDist,
    serve: false,
    suppressWarning: true,
    index: false,
    dotfiles: 'deny',
    preCompressed: true,
  });
  const cachedForYear = { maxAge: YEAR_SECONDS * 1000, immutable: true };
  registerFolder(http, join(webDist, 'assets'), '/assets/', { caching: cachedForYear, isPartOfPages: true });
  for (const prefix of ['/images/', '/api/images/'])
    registerFolder(http, join(webDist, 'images'), prefix, { caching: { maxAge: '1d' }, isPartOfPages: false });
  const files = readdirSync(webDist, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files) {
    if (name === 'index.html' || name.startsWith('.') || /\.(br|gz)$/.test(name)) continue;
    http.route({
      method: ['GET', 'HEAD'],
      url: `/${name}`,
      handler: (_request, reply) => {
        setPageCsp(reply);
        return reply.header('cache-control', 'no-cache').sendFile(name, webDist, { cacheControl: false });
      },
    });
  }
}

async function registerAgent(http: FastifyInstance, agentDist: string): Promise<void> {
  await http.register(serveFiles, { root: agentDist, serve: false, suppressWarning: true });
  for (const name of ['agent.mjs', 'agent.tgz'])
    http.route({
      method: ['GET', 'HEAD'],
      url: `/${name}`,
      handler: (_request, reply) => {
        reply.header('cache-control', 'no-cache');
        if (existsSync(join(agentDist, name))) return reply.sendFile(name, agentDist, { cacheControl: false });
        return reply.code(404).type('text/plain').send('The agent is not built. Run npm run build\n');
      },
    });
}

/** Returns the SHA-256 (hex) of the agent that this server serves; '' if it is not built. */
export async function computeAgentDigest(agentDist: string): Promise<string> {
  const path = join(agentDist, 'agent.mjs');
  return existsSync(path)
    ? createHash('sha256')
        .update(await readFile(path))
        .digest('hex')
    : '';
}

/** Registers pages, their files, images and the agent. */
export async function registerSite(http: FastifyInstance, options: SiteOptions): Promise<void> {
  // The library allows one file sender per scope.
  await http.register(async (scope) => registerWebFiles(scope, options.webDist));
  await http.register(async (scope) => registerAgent(scope, options.agentDist));
  registerPages(http, options);
}
