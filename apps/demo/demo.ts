import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from '#platform/contract/client.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { assembleServer, type PegboardServer, version } from '../server/assemble.ts';
import { formatOrigin, listNetworkOrigins, WILDCARD_HOSTS } from '../server/startupMessage.ts';
import { serverTools } from '../server/tools.ts';
import { createDemoTool } from './demoTool.ts';
import {
  type Computer,
  fillCalendar,
  fillCategoriesAndGoals,
  fillChatStatus,
  fillMessages,
  fillScreenTime,
  fillShopping,
  fillTexts,
  fillTimetable,
  pairComputer,
  type Person,
  sendFirstInput,
  AI_ANSWER,
} from './fillHousehold.ts';
import { fillMedia, isFfmpegInstalled, type MediaOptions } from './media.ts';
import { createSimulatedComputer, type SimulatedComputer } from './simulatedComputer.ts';

const WORD_DELAY_MS = 40;

export interface DemoAiServer extends AsyncDisposable {
  /** Settings of a server that asks this one. */
  readonly environment: Readonly<Record<string, string>>;
}

async function sendAnswer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, reason: string | null): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
  for (const word of AI_ANSWER.split(/(?<=\s)/)) {
    if (response.destroyed) return;
    send({ content: word }, null);
    await sleep(WORD_DELAY_MS);
  }
  send({}, 'stop');
  response.end('data: [DONE]\n\n');
}

/** Starts an OpenAI-compatible server that gives the same answer to every question. */
async function startAiServer(): Promise<DemoAiServer> {
  const http = createServer((request, response) => {
    request.resume();
    if (request.url === '/v1/chat/completions') void sendAnswer(response);
    else response.writeHead(404).end();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    environment: { AI_BASE_URL: `http://127.0.0.1:${port}/v1`, AI_MODEL: 'made-up' },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

export interface DemoOptions {
  readonly host: string;
  readonly port: number;
  /** Folder that stores the demo; undefined is a temporary one, which is removed at the end. */
  readonly folder: string | undefined;
  /** Days of history. */
  readonly days: number;
  readonly now: Temporal.ZonedDateTime;
  /** Prints what is being created, one line each. */
  readonly print: (line: string) => void;
}

export interface Demo {
  /** Logs in as the first person. */
  readonly loginLink: string;
  /** Shows the screen of the simulated computer. */
  readonly screenLink: string;
  /** Names of the accounts, the owner first. */
  readonly people: readonly [owner: string, other: string];
  /** Password of both. */
  readonly password: string;
  /** Shows a year of presence on the page of the chat status. */
  readonly chatCode: string;
  readonly log: PegboardServer['log'];
  readonly stop: () => Promise<void>;
}

const OWNER = 'anna';
const OTHER_PERSON = 'ben';
const COMPUTER = 'Study PC';
const OTHER_COMPUTER = 'Living room laptop';

/** What a stored demo needs to start again. */
interface DemoState {
  readonly password: string;
  readonly token: string;
  readonly chatCode: string;
}

async function openFolder(folder: string | undefined): Promise<string> {
  if (folder === undefined) return mkdtemp(join(tmpdir(), 'pegboard-demo-'));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return resolve(folder);
}

const readState = async (path: string): Promise<DemoState | undefined> =>
  existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as DemoState) : undefined;

const LOOPBACK = '127.0.0.1';

async function listen(server: PegboardServer, { host, port }: DemoOptions): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    if (!hasErrorCode(error, 'EADDRINUSE')) throw error;
    throw new Refusal('server.port_in_use', `Port ${port} is already in use. Choose another one with --port`);
  }
  const address = server.http.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Creates an account, as the operator does. The first one is the owner. */
async function createPerson(
  { identity }: Pick<ServerContext, 'identity'>,
  origin: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Person> {
  const { token } = await identity.signUp({
    username,
    password,
    sessionDays: 1,
    client: { address: 'this computer', browser: 'demo' },
    knownBrowser: undefined,
    setupCode: undefined,
    isLocal: true,
    isOperator: true,
  });
  return { name: username, call: createClient({ origin, token: () => token }) };
}

interface FillDeps {
  readonly context: ServerContext;
  readonly computer: SimulatedComputer;
  /** Connects the simulated computer. */
  readonly connect: (token: string) => Promise<void>;
  /** Origin for calls. */
  readonly origin: string;
  readonly password: string;
  /** Folder of the demo. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

interface FilledDemo {
  readonly state: DemoState;
  /** Resolves when songs and recordings are created, or left out. */
  readonly mediaFilled: Promise<void>;
}

async function fillMediaIfPossible(options: MediaOptions, print: DemoOptions['print']): Promise<void> {
  if (!(await isFfmpegInstalled())) return print('No songs and recordings: ffmpeg is not installed');
  try {
    await fillMedia(options);
  } catch (error) {
    if (!options.signal.aborted)
      print(`No songs and recordings: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function fillDemo(deps: FillDeps, { now, days, print: printLine }: DemoOptions): Promise<FilledDemo> {
  const { context, computer, origin, password, folder, signal } = deps;
  const createComputerClient = ({ token }: Computer): Client => createClient({ origin, token: () => token });
  printLine('Making a household:');
  const print = (step: string): void => printLine(`  ${step}`);
  print('Two people, and two computers');
  const owner = await createPerson(context, origin, { username: OWNER, password });
  const other = await createPerson(context, origin, { username: OTHER_PERSON, password });
  const study = await pairComputer(origin, owner, COMPUTER);
  const livingRoom = await pairComputer(origin, owner, OTHER_COMPUTER);
  const callAsStudy = createComputerClient(study);
  print(`A calendar of ${days} days`);
  await fillCalendar(owner, now, days);
  print('Shopping lists and a timetable');
  await fillShopping(owner, other, now);
  await fillTimetable(owner, now);
  print('Screen time');
  await fillScreenTime(callAsStudy, 'study', now, days);
  await fillScreenTime(createComputerClient(livingRoom), 'livingRoom', now, days);
  await fillCategoriesAndGoals(owner, now);
  print('Texts and messages');
  await fillTexts(origin, owner);
  await fillMessages(owner, callAsStudy, study.target);
  const chatCode = await fillChatStatus(context, now, days);
  await deps.connect(study.token);
  await sendFirstInput(owner, study.target);
  const media = { call: owner.call, callAsComputer: callAsStudy, today: now.toPlainDate(), parent: folder, signal };
  return {
    state: { password, token: study.token, chatCode },
    mediaFilled: fillMediaIfPossible({ ...media, onRecording: computer.drivers.setRecordedContent }, print),
  };
}

/** Starts a server with a made-up household and a simulated computer. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { host } = options;
  const cleanup = new AsyncDisposableStack();
  try {
    const folder = await openFolder(options.folder);
    if (options.folder === undefined) {
      cleanup.defer(() => rm(folder, { recursive: true, force: true }));
      // Also if the process is interrupted while the household is being made.
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    }
    const statePath = join(folder, 'demo.json');
    const storedState = await readState(statePath);
    const password = storedState?.password ?? randomBytes(9).toString('base64url');
    const ai = cleanup.use(await startAiServer());
    const computer = createSimulatedComputer();
    const demoTool = createDemoTool({
      computer,
      computerName: COMPUTER,
      credentials: { username: OWNER, password },
    });
    const server = await assembleServer({
      dataDir: join(folder, 'data'),
      logLevel: 'error',
      logTo: { write: (line) => void process.stderr.write(line) },
      passwordHash: 'light',
      // Filling it is a load that would refuse the calls of its own visitors.
      busyAfterMs: 0,
      backupIntervalMs: DAY_MS,
      environment: ai.environment,
      tools: [...serverTools, demoTool.tool],
    });
    let mediaFilled: Promise<void> = Promise.resolve();
    cleanup.defer(() => mediaFilled);
    cleanup.defer(server.stop);
    cleanup.use(computer);
    const stopping = new AbortController();
    cleanup.defer(() => stopping.abort());

    const port = await listen(server, options);
    const origin = formatOrigin(WILDCARD_HOSTS.includes(host) ? LOOPBACK : host, port);
    const [linkOrigin = origin] = listNetworkOrigins({ host, port, publicOrigins: [] });
    const connect = (token: string): Promise<void> =>
      computer.connect({ origin, token, version, stateDir: join(folder, 'computer') });
    let state = storedState;
    if (state === undefined) {
      const context = demoTool.getContext();
      const filled = await fillDemo(
        { context, computer, connect, origin, password, folder, signal: stopping.signal },
        options,
      );
      ({ state, mediaFilled } = filled);
      if (options.folder !== undefined) await writeFile(statePath, JSON.stringify(state), { mode: 0o600 });
    } else await connect(state.token);
    return {
      loginLink: linkOrigin + demoTool.loginPath,
      screenLink: linkOrigin + demoTool.screenPath,
      people: [OWNER, OTHER_PERSON],
      password,
      chatCode: state.chatCode,
      log: server.log,
      stop: () => cleanup.disposeAsync(),
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}
