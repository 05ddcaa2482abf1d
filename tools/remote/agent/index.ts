export { approveScript } from './approval.ts';
import { obey, type AgentGround, type AgentTool } from '#platform/agent/tool.ts';
import { lengthOf } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { pressKeys, typeText } from '../contract.ts';
import { motionHandler } from './motion.ts';
import { scriptRunner } from './scripts.ts';

const refuseUnableKeyboard = ({ allowed, drivers }: AgentGround): void => {
  if (!allowed.keyboard) throw new Refusal('Typing is switched off on that computer');
  const { ability } = drivers.keyboard;
  if (!ability.able) throw new Refusal(ability.reason);
};

export const remote: AgentTool = {
  name: 'remote',
  start: (ground) => {
    const { drivers, say } = ground;
    const { keyboard } = drivers;
    const scripts = scriptRunner(ground);
    const motion = motionHandler(ground);
    return {
      commands: [
        obey(typeText, async ({ text }) => {
          refuseUnableKeyboard(ground);
          const { dropped } = await keyboard.type(text);
          say(`Typed ${lengthOf(text)} characters`);
          return { dropped: [...dropped] };
        }),
        obey(pressKeys, async ({ keys }) => {
          refuseUnableKeyboard(ground);
          await keyboard.press(keys);
          say('Pressed a shortcut');
          return {};
        }),
        scripts.command,
      ],
      events: [motion],
      stop: async () => {
        motion.stop();
        await scripts.stop();
      },
    };
  },
};
