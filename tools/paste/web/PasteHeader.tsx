import { Button } from '@mantine/core';
import { IconHash } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import styles from './PasteHeader.module.css';

interface FormProps {
  readonly open: (typed: string) => void;
  readonly size: 'small' | 'large';
}

function Form({ open, size }: FormProps) {
  const [typed, setTyped] = useState('');
  return (
    <form
      className={styles['form']}
      data-size={size}
      onSubmit={(event) => {
        event.preventDefault();
        open(typed);
        setTyped('');
      }}
    >
      <span className={styles['field']}>
        <IconHash size={15} stroke={1.75} />
        <input
          id="paste-code"
          aria-label="Code"
          placeholder="Code or link"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </span>
      <Button type="submit" {...(size === 'small' ? { size: 'compact-md' } : {})}>
        Open
      </Button>
    </form>
  );
}

interface CodeFieldProps {
  readonly open: (typed: string) => void;
  readonly asked: boolean;
  readonly setAsked: (asked: boolean) => void;
}

/** A field for another's code; narrow: behind a button. */
export function CodeField({ open, asked, setAsked }: CodeFieldProps) {
  const narrow = useIsNarrow();
  if (!narrow) return <Form open={open} size="small" />;
  return (
    <>
      <IconButton label="Open a code" size={44} onClick={() => setAsked(true)}>
        <IconHash size={20} stroke={1.75} />
      </IconButton>
      <Dialog title="Open a code" isOpen={asked} onClose={() => setAsked(false)}>
        <Form
          size="large"
          open={(typed) => {
            setAsked(false);
            open(typed);
          }}
        />
      </Dialog>
    </>
  );
}
