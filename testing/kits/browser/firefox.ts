import { firefox, type Browser, type BrowserContext } from 'playwright-core';
import { findProgram } from '#testing/machine.ts';

interface Session {
  send: (method: string, params?: unknown) => Promise<unknown>;
}
/** Members that playwright's types leave out. */
interface BrowserInternals {
  readonly _connection: { readonly toImpl: (browser: Browser) => { readonly _browserSession: Session } };
}

/** Firefox ESR lacks this command; playwright sends it for every context and would fail. */
const UNKNOWN_TO_ESR = 'emulation.setMediaFeaturesOverride';

/** Starts Debian's Firefox without a window. `localNames`: host names of this computer. */
export async function startFirefox(localNames: readonly string[] = []): Promise<Browser> {
  const browser = await firefox.launch({
    // The stock browser over WebDriver BiDi, instead of playwright's own build.
    channel: 'moz-firefox',
    executablePath: findProgram('firefox-esr') ?? 'firefox-esr',
    firefoxUserPrefs: {
      'network.dns.localDomains': localNames.join(','),
      // Disables animations, like the setting in Chromium's contexts.
      'ui.prefersReducedMotion': 1,
    },
  });
  // All sessions, of the browser and its pages, share one class.
  const sessions = Object.getPrototypeOf(
    (browser as unknown as BrowserInternals)._connection.toImpl(browser)._browserSession,
  ) as Session;
  const { send } = sessions;
  sessions.send = function (method, params) {
    return method === UNKNOWN_TO_ESR ? Promise.resolve({}) : send.call(this, method, params);
  };
  return browser;
}

/**
 * Makes `fill` work with React in Firefox: playwright sets the value directly there, which React ignores.
 * The browser's own command types like a user.
 */
export function fillByTyping(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(() => {
    Object.defineProperty(window, '__pw_bidiInsertText', {
      // oxlint-disable-next-line typescript/no-deprecated -- nothing else types into a field
      get: () => (text: string) => void document.execCommand('insertText', false, text),
      // Playwright assigns its own function later.
      set: () => {},
    });
  });
}
