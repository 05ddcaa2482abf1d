import { IconCommand, IconFileCode, IconLetterT } from '@tabler/icons-react';
import type { InputType } from '#platform/contract/message.ts';
import type { Icon } from '../tool.ts';

interface MessageKind {
  readonly word: string;
  /** In `data-kind`: the style's colours go by it. */
  readonly kind: 'text' | 'shortcut' | 'file';
  readonly icon: Icon;
}

/** How lists of messages tell the types apart. */
export const messageKinds: Readonly<Record<InputType, MessageKind>> = {
  1: { word: 'Text', kind: 'text', icon: IconLetterT },
  2: { word: 'Shortcut', kind: 'shortcut', icon: IconCommand },
  3: { word: 'File', kind: 'file', icon: IconFileCode },
};
