import { handleEvent, type AgentTool } from '#platform/agent/tool.ts';
import { messageArrived } from '../contract.ts';

/** Shows messages for this computer as desktop notifications, or in the terminal if the desktop has none. */
export const messages: AgentTool = {
  name: 'messages',
  start: ({ drivers, allowed, print }) => {
    const { notifications } = drivers;
    async function showMessage(from: string, text: string): Promise<void> {
      if (allowed.notifications && notifications.ability.able) await notifications.show(from, text);
      else print(`Message from ${from}`);
    }
    return {
      events: [
        handleEvent(messageArrived, ({ sentby, text }) => {
          if (!allowed.messages) return;
          showMessage(sentby, text).catch((error: unknown) => print(`Could not show a message: ${String(error)}`));
        }),
      ],
    };
  },
};
