export { approveScript } from './scriptRunner.ts';
import { handleCommand, handleEvent, type AgentContext, type AgentTool } from '#platform/agent/tool.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { controllerGone, pressKeys, typeText } from '../contract.ts';
import { createButtonHolds } from './controllers.ts';
import { createMotionHandler } from './motionHandler.ts';
import { outboxAccountData } from './outbox.ts';
import { createPasswordReporter } from './passwordReporter.ts';
import { createPointerHandler } from './pointerHandler.ts';
import { createScriptRunner } from './scriptRunner.ts';

function requireKeyboard({ allowed, drivers }: AgentContext): void {
  if (!allowed.keyboard) throw new Refusal('device.feature_off', 'Typing is turned off on that computer');
  const { ability } = drivers.keyboard;
  if (!ability.able) throw new Refusal('device.unsupported', ability.reason);
}

export const remote: AgentTool = {
  name: 'remote',
  accountData: outboxAccountData,
  start: (context) => {
    const { drivers, print } = context;
    const { keyboard } = drivers;
    const scripts = createScriptRunner(context);
    const buttonHolds = createButtonHolds(drivers.mouse);
    const motion = createMotionHandler(context, buttonHolds);
    const pointer = createPointerHandler(context, buttonHolds);
    const passwords = context.allowed.keyboard ? createPasswordReporter(context) : undefined;
    const onControllerGone = handleEvent(controllerGone, ({ controller }) => {
      motion.release(controller);
      pointer.release(controller);
    });
    return {
      commands: [
        handleCommand(typeText, async ({ text, isSecret = false }, onProgress) => {
          requireKeyboard(context);
          const { dropped } = await keyboard.type(text, onProgress);
          print(isSecret ? 'Typed a text that is not stored' : `Typed ${countCodePoints(text)} characters`);
          // Answers are stored on this computer, so they must not contain the text.
          return isSecret ? { dropped: [], droppedCount: dropped.length } : { dropped: [...dropped] };
        }),
        handleCommand(pressKeys, async ({ keys }) => {
          requireKeyboard(context);
          await keyboard.press(keys);
          print('Pressed a shortcut');
        }),
        scripts.command,
      ],
      events: [motion, pointer, onControllerGone],
      stop: async () => {
        motion.release();
        pointer.release();
        passwords?.stop();
        await scripts.stop();
      },
    };
  },
};
