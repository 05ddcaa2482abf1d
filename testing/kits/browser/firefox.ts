import { firefox, type Browser, type BrowserContext } from 'playwright-core';
import { findProgram } from '#testing/machine.ts';

interface Session {
  send: (method: string, params?: unknown) => Promise<unknown>;
}
/** What playwright does not tell in its types. */
interface Inside {
  readonly _connection: { readonly toImpl: (browser: Browser) => { readonly _browserSession: Session } };
}

/** Firefox ESR has no such command; playwright sends it for every context and would fail with it. */
const UNKNOWN_TO_ESR = 'emulation.setMediaFeaturesOverride';

/** Starts Debian's Firefox without a window. `localNames` are names of this computer. */
export async function startFirefox(localNames: readonly string[] = []): Promise<Browser> {
  const browser = await firefox.launch({
    // The stock browser, over WebDriver BiDi, in place of playwright's own build.
    channel: 'moz-firefox',
    executablePath: findProgram('firefox-esr') ?? 'firefox-esr',
    firefoxUserPrefs: {
      'network.dns.localDomains': localNames.join(','),
      // Without it every page animates, which the kit asks Chromium's contexts not to do.
      'ui.prefersReducedMotion': 1,
    },
  });
  // All sessions, the browser's and those of its pages, are of one class.
  const sessions = Object.getPrototypeOf(
    (browser as unknown as Inside)._connection.toImpl(browser)._browserSession,
  ) as Session;
  const { send } = sessions;
  sessions.send = function (method, params) {
    return method === UNKNOWN_TO_ESR ? Promise.resolve({}) : send.call(this, method, params);
  };
  return browser;
}

/**
 * Lets `fill` reach React in Firefox: playwright sets the field's value by itself there, which React takes for its own doing, so the page
 * never hears of it. The browser's own command types as a person does.
 */
export function fillByTyping(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(() => {
    Object.defineProperty(window, '__pw_bidiInsertText', {
      // oxlint-disable-next-line typescript/no-deprecated -- nothing else types into a field
      get: () => (text: string) => void document.execCommand('insertText', false, text),
      // playwright puts its own there later on.
      set: () => {},
    });
  });
}
