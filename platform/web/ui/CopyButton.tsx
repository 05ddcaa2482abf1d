import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { notices } from '../app/notices.ts';
import { copyText } from '../browser/clipboard.ts';
import type { Icon } from '../tool.ts';
import { IconButton } from './IconButton.tsx';
import styles from './ShownOnce.module.css';

const COPIED_NOTICE_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** What stands there instead of two sheets. */
  readonly icon?: Icon;
  readonly bordered?: boolean;
}

/** Copies a text; works without a secure context too. `label` is the accessible name. */
export function CopyButton({ text, label = 'Copy', icon: Icon = IconCopy, bordered = true }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const back = setTimeout(() => setCopied(false), COPIED_NOTICE_MS);
    return () => clearTimeout(back);
  }, [copied]);
  const copy = async (): Promise<void> => {
    if (await copyText(text)) setCopied(true);
    else notices.add('bad', 'This browser did not let the text be copied; select it and copy it by hand');
  };
  return (
    <IconButton label={label} bordered={bordered} onClick={() => void copy()}>
      {copied ? <IconCheck size={18} stroke={1.75} /> : <Icon size={18} stroke={1.75} />}
      <span className="unseen" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </IconButton>
  );
}

interface OneTimeSecretProps {
  readonly text: string;
  /** Accessible name of the button that copies it. */
  readonly copyLabel: string;
  /** What it is and that it will not be seen again. */
  readonly children: string;
}

/** A secret that is shown this once, to be copied or read off. */
export function OneTimeSecret({ text, copyLabel, children }: OneTimeSecretProps) {
  return (
    <div className={styles['box']} role="status">
      <p className={styles['why']}>{children}</p>
      <div className={styles['line']}>
        <code>{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </div>
  );
}
