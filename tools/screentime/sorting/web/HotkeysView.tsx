import { IconInfoCircle } from '@tabler/icons-react';
import { ACTIONS } from '../domain/category.ts';
import type { Box } from '../domain/categoryBoard.ts';
import type { CategoryBoxes } from './categoryBoxes.ts';
import { KeyField } from './KeyField.tsx';
import type { Saver } from './saver.ts';
import styles from './HotkeysView.module.css';

const X11_KEYS = 'https://gitlab.freedesktop.org/xorg/proto/xorgproto/-/blob/master/include/X11/keysymdef.h';
const OTHER_KEYS = 'https://developer.mozilla.org/en-US/docs/Web/API/UI_Events/Keyboard_event_key_values';

function Help() {
  return (
    <div className={styles['help']}>
      <IconInfoCircle size={18} stroke={1.75} />
      <p>
        Type a single letter, or the name of a key from the list for{' '}
        <a href={X11_KEYS} target="_blank" rel="noreferrer">
          Linux and X11
        </a>{' '}
        or{' '}
        <a href={OTHER_KEYS} target="_blank" rel="noreferrer">
          other systems
        </a>
        ; keys are held together as in Ctrl-Alt-U. Enter or leaving the field saves. After saving, the client needs
        about 20 seconds and a press of an old key before it listens for the new keys.
      </p>
    </div>
  );
}

interface HotkeysViewProps {
  readonly boxes: readonly Box[];
  /** What computers could not take. */
  readonly refused: CategoryBoxes['refused'];
  readonly saver: Saver;
}

/** The keys of each category: up, down and mute act on the volume of those of its applications that make sound. */
export function HotkeysView({ boxes, refused, saver }: HotkeysViewProps) {
  return (
    <div className={styles['page']}>
      <Help />
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Category</th>
            {ACTIONS.map((action) => (
              <th key={action} scope="col">
                {action}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {boxes.map(({ name, keys }) => (
            <tr key={name}>
              <th scope="row" dir="auto">
                {name}
              </th>
              {ACTIONS.map((action) => (
                <td key={action} data-action={action}>
                  <KeyField
                    category={name}
                    action={action}
                    value={keys[action]}
                    refusals={refused.filter((each) => each.category === name && each.action === action)}
                    saver={saver}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
