import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../copy.ts';
import { notices } from '../notices.ts';
import { IconButton } from './IconButton.tsx';

const SAYS_SO_MS = 2000;

/** Copies a text; works without a secure context too. `label` is the accessible name. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const back = setTimeout(() => setCopied(false), SAYS_SO_MS);
    return () => clearTimeout(back);
  }, [copied]);
  const copy = async (): Promise<void> => {
    if (await copyText(text)) setCopied(true);
    else notices.add('bad', 'This browser did not let the text be copied; select it and copy it by hand');
  };
  return (
    <IconButton label={label} bordered onClick={() => void copy()}>
      {copied ? <IconCheck size={18} stroke={1.75} /> : <IconCopy size={18} stroke={1.75} />}
      <span className="unseen" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </IconButton>
  );
}
