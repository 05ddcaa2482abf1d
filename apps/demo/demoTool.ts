import { randomBytes } from 'node:crypto';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { Endpoint } from '#platform/server/http/endpoint.ts';
import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { formatScreenCsp, formatScreenPage } from './screenPage.ts';
import type { SimulatedComputer } from './simulatedComputer.ts';

const SESSION_DAYS = 7;
/** Pings keep proxies from closing a silent stream, and detect readers that are gone. */
const PING_INTERVAL_MS = 15_000;

const createSecret = (): string => randomBytes(18).toString('base64url');

export interface DemoTool {
  readonly tool: ServerTool;
  readonly getContext: () => ServerContext;
  /** Path of the link that logs in. It is random, so that only readers of the terminal know it. */
  readonly loginPath: string;
  readonly screenPath: string;
}

interface DemoToolOptions {
  readonly computer: SimulatedComputer;
  readonly computerName: string;
  /** Credentials of the account that the link logs in to. */
  readonly credentials: { readonly username: string; readonly password: string };
}

async function* streamScreen(computer: SimulatedComputer): AsyncGenerator<string> {
  const screens = computer.watchScreen();
  try {
    let next = screens.next();
    for (;;) {
      const ping = Promise.withResolvers<undefined>();
      const timer = setTimeout(ping.resolve, PING_INTERVAL_MS);
      const result = await Promise.race([next, ping.promise]);
      clearTimeout(timer);
      if (result?.done === true) return;
      yield result === undefined ? ': still here\n\n' : `data: ${JSON.stringify(result.value)}\n\n`;
      if (result !== undefined) next = screens.next();
    }
  } finally {
    void screens.return(undefined);
  }
}

/** Creates the part of the demo that runs in its server: the link that logs in, and the screen of the computer. */
export function createDemoTool({ computer, computerName, credentials }: DemoToolOptions): DemoTool {
  const loginPath = `/demo/login/${createSecret()}` as const;
  const screenPath = `/demo/screen/${createSecret()}` as const;
  let context: ServerContext | undefined;

  function getContext(): ServerContext {
    if (!context) throw new Error('the server has not started the demo tool yet');
    return context;
  }
  const logIn: Endpoint = {
    methods: ['GET'],
    path: loginPath,
    run: async ({ address, browser }) => {
      const { token } = await getContext().identity.logIn({
        ...credentials,
        sessionDays: SESSION_DAYS,
        client: { address, browser },
        knownBrowser: undefined,
      });
      // Pages set this cookie after a login, and their scripts read it (docs/specification/platform.md section 2).
      const cookie = `usertoken=${encodeURIComponent(token)}; Path=/; Max-Age=${SESSION_DAYS * DAY_SECONDS}; SameSite=Strict`;
      return { status: 303, headers: { location: '/', 'set-cookie': cookie } };
    },
  };
  const showScreen: Endpoint = {
    methods: ['GET'],
    path: screenPath,
    run: async () => {
      const nonce = randomBytes(16).toString('base64');
      return {
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': formatScreenCsp(nonce) },
        body: formatScreenPage(computerName, nonce),
      };
    },
  };
  const sendScreen: Endpoint = {
    methods: ['GET'],
    path: `${screenPath}/events`,
    run: async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: streamScreen(computer),
    }),
  };
  return {
    tool: {
      name: 'demo',
      migrations: [],
      start: (services) => {
        context = services;
        return { calls: [], endpoints: [logIn, showScreen, sendScreen] };
      },
    },
    getContext,
    loginPath,
    screenPath,
  };
}
