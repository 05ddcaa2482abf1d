import '@mantine/core/styles/Switch.layer.css';
import { Switch } from '@mantine/core';
import { SINGLE_LETTERS_KEY, useAllCommands, type Command } from '#platform/web/app/commands.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Keys } from '#platform/web/ui/Keys.tsx';
import { overlayStore } from './overlayState.ts';
import styles from './ShortcutSheet.module.css';

const groups = ['This page', 'Everywhere', 'Go to'] as const;
const groupOf = (command: Command): (typeof groups)[number] => command.group ?? 'This page';

/** All keys that do something on this page, as the commands declare them: also those that need something in focus. */
export function ShortcutSheet({ opened }: { readonly opened: boolean }) {
  const commands = useAllCommands().filter((command) => command.keys !== undefined);
  const [letters, setLetters] = useBrowserStorage(SINGLE_LETTERS_KEY);
  return (
    <Dialog title="Keyboard shortcuts" isOpen={opened} onClose={overlayStore.close} width={640}>
      <div className={styles['groups']}>
        {groups
          .filter((group) => commands.some((command) => groupOf(command) === group))
          .map((group) => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {commands
                  .filter((command) => groupOf(command) === group)
                  .map(({ id, name, keys }) => (
                    <div key={id}>
                      <dt>{name}</dt>
                      <dd>
                        <Keys keys={keys ?? ''} />
                      </dd>
                    </div>
                  ))}
              </dl>
            </section>
          ))}
      </div>
      <Switch
        label="Single letters"
        description="Keys without Ctrl or Alt, such as ? and g d"
        checked={letters !== 'off'}
        onChange={(event) => setLetters(event.currentTarget.checked ? 'on' : 'off')}
      />
    </Dialog>
  );
}
