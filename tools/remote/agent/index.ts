export { approveScript } from './approval.ts';
import { obey, receive, type AgentGround, type AgentTool } from '#platform/agent/tool.ts';
import { lengthOf } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { controllerGone, pressKeys, typeText } from '../contract.ts';
import { makeGrip } from './grip.ts';
import { motionHandler } from './motion.ts';
import { outboxKeep } from './outbox.ts';
import { createPasswordReporter } from './passwordReporter.ts';
import { pointerHandler } from './pointer.ts';
import { scriptRunner } from './scripts.ts';

const refuseUnableKeyboard = ({ allowed, drivers }: AgentGround): void => {
  if (!allowed.keyboard) throw new Refusal('Typing is switched off on that computer');
  const { ability } = drivers.keyboard;
  if (!ability.able) throw new Refusal(ability.reason);
};

export const remote: AgentTool = {
  name: 'remote',
  keep: outboxKeep,
  start: (ground) => {
    const { drivers, say } = ground;
    const { keyboard } = drivers;
    const scripts = scriptRunner(ground);
    const grip = makeGrip(drivers.mouse);
    const motion = motionHandler(ground, grip);
    const pointer = pointerHandler(ground, grip);
    const passwords = ground.allowed.keyboard ? createPasswordReporter(ground) : undefined;
    const gone = receive(controllerGone, ({ controller }) => {
      motion.letGo(controller);
      pointer.letGo(controller);
    });
    return {
      commands: [
        obey(typeText, async ({ text, isSecret = false }, onProgress) => {
          refuseUnableKeyboard(ground);
          const { dropped } = await keyboard.type(text, onProgress);
          say(isSecret ? 'Typed a text that is not kept' : `Typed ${lengthOf(text)} characters`);
          // What is answered is stored on this computer.
          return isSecret ? { dropped: [], droppedCount: dropped.length } : { dropped: [...dropped] };
        }),
        obey(pressKeys, async ({ keys }) => {
          refuseUnableKeyboard(ground);
          await keyboard.press(keys);
          say('Pressed a shortcut');
          return {};
        }),
        scripts.command,
      ],
      events: [motion, pointer, gone],
      stop: async () => {
        motion.letGo();
        pointer.letGo();
        passwords?.stop();
        await scripts.stop();
      },
    };
  },
};
