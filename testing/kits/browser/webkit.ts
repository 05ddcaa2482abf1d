import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { waitFor, startDesktop } from '../desktop/desktop.ts';

/** Reference to an element of the page in WebDriver. */
export interface WebElement {
  readonly 'element-6066-11e4-a52e-4f735466cecf': string;
}

/** A window of WebKitGTK's MiniBrowser with its own profile, controlled by WebDriver, which is JSON over HTTP. */
export interface WebKitWindow extends AsyncDisposable {
  /** Loads an address; resolves when it is loaded. */
  readonly goto: (url: string) => Promise<void>;
  /** Runs a function in the page; its result must be JSON or an element. */
  readonly evaluate: <Result>(run: (argument: string) => Result, argument?: string) => Promise<Awaited<Result>>;
  readonly click: (element: WebElement) => Promise<void>;
  /** Types at the end of a field. */
  readonly type: (element: WebElement, text: string) => Promise<void>;
  /** Other calls of the session: https://www.w3.org/TR/webdriver2/. */
  readonly send: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;
}

const CAPABILITIES = { alwaysMatch: { pageLoadStrategy: 'normal' } };

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function request(url: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { readonly value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { readonly error: string; readonly message: string };
  throw new Error(`WebDriver: ${error}: ${message}`);
}

const getElementId = (element: WebElement): string => element['element-6066-11e4-a52e-4f735466cecf'];

/** Starts Debian's WebKitGTK with a window on its own display, 1280 pixels wide. */
export async function startWebKit(): Promise<WebKitWindow> {
  const desktop = await startDesktop({ isManaged: false });
  const port = await findFreePort();
  const env = {
    ...desktop.env,
    // Root has no sandbox, and a virtual display has no graphics card.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
  };
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  await waitFor('WebKitWebDriver answers', () => request(`${origin}/status`, 'GET').catch(() => undefined));
  const session = (await request(`${origin}/session`, 'POST', { capabilities: CAPABILITIES })) as {
    readonly sessionId: string;
  };
  const send: WebKitWindow['send'] = (method, path, body) =>
    request(`${origin}/session/${session.sessionId}${path}`, method, body);
  await send('POST', '/window/rect', { x: 0, y: 0, width: 1280, height: 800 });
  return {
    goto: async (url) => {
      await send('POST', '/url', { url });
    },
    evaluate: async (run, argument = '') =>
      (await send('POST', '/execute/sync', {
        script: `return (${run.toString()})(arguments[0])`,
        args: [argument],
      })) as never,
    click: async (element) => {
      await send('POST', `/element/${getElementId(element)}/click`, {});
    },
    type: async (element, text) => {
      await send('POST', `/element/${getElementId(element)}/value`, { text });
    },
    send,
    [Symbol.asyncDispose]: async () => {
      await send('DELETE', '');
      driver.kill();
      await once(driver, 'exit');
      await desktop[Symbol.asyncDispose]();
    },
  };
}
