import { handleCommand, type AgentTool } from '#platform/agent/tool.ts';
import { readClipboard, writeClipboard } from '../contract.ts';
import { validateLength, sanitizeText } from '../domain/text.ts';
import { createConsent } from './consent.ts';

/** Shares the computer's clipboard with the account's pages, if the computer's owner allows it. */
export const clipboard: AgentTool = {
  name: 'clipboard',
  start: (context) => {
    const { clipboard: driver } = context.drivers;
    const consent = createConsent(context);
    return {
      commands: [
        handleCommand(writeClipboard, async ({ text, by }) => {
          consent.requireAllowed();
          validateLength(text);
          await driver.write(sanitizeText(text));
          consent.notify(`Clipboard set by ${by}`);
        }),
        handleCommand(readClipboard, async ({ by }) => {
          consent.requireAllowed();
          await consent.requireConsent(by);
          const text = sanitizeText(await driver.read());
          validateLength(text);
          consent.notify(`Clipboard fetched by ${by}`);
          return { text };
        }),
      ],
      stop: async () => consent.stop(),
    };
  },
};
