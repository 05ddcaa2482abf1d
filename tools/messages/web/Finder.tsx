import { IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { shownText, type Entry } from './thread.ts';
import styles from './ConversationView.module.css';

/** Looking for a text in what is loaded of a conversation. */
export const useFinding = () => {
  const [text, setText] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const wanted = foldSearch(text ?? '');
  useCommands([
    {
      id: 'find-message',
      name: 'Find in this conversation',
      keys: '/',
      opensField: true,
      run: () => {
        setText((now) => now ?? '');
        field.current?.focus();
      },
    },
  ]);
  return {
    field,
    /** Undefined while the field is closed. */
    text,
    setText,
    isOn: wanted !== '',
    toggle: () => setText((now) => (now === undefined ? '' : undefined)),
    among: (entries: readonly Entry[]): readonly Entry[] =>
      wanted === '' ? entries : entries.filter((entry) => foldSearch(shownText(entry)).includes(wanted)),
  };
};

interface FinderProps {
  readonly finding: ReturnType<typeof useFinding>;
  readonly found: number;
}

export function Finder({ finding, found }: FinderProps) {
  const { field, text, setText, isOn } = finding;
  if (text === undefined) return null;
  return (
    <form className={styles['finder']} role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={field}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
        autoFocus
        type="search"
        aria-label="Find in this conversation"
        placeholder="Find in this conversation"
        dir="auto"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText(undefined);
        }}
      />
      <span role="status" className="num">
        {isOn ? `${found} found` : ''}
      </span>
      <IconButton label="Close" size={28} onClick={() => setText(undefined)}>
        <IconX size={16} stroke={1.75} />
      </IconButton>
    </form>
  );
}
