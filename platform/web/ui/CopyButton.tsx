import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { notices } from '../app/notices.ts';
import { copyText } from '../browser/copyText.ts';
import type { Icon } from '../tool.ts';
import { IconButton } from './IconButton.tsx';
import styles from './CopyButton.module.css';

const COPIED_NOTICE_MS = 2000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** Replaces the copy icon. */
  readonly icon?: Icon;
  readonly bordered?: boolean;
}

/** Copies a text, also in insecure contexts. `label` is the accessible name. */
export function CopyButton({ text, label = 'Copy', icon: Icon = IconCopy, bordered = true }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), COPIED_NOTICE_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    if (await copyText(text)) setIsCopied(true);
    else notices.add('bad', 'This browser did not allow copying. Select the text and copy it yourself');
  }
  return (
    <IconButton label={label} bordered={bordered} onClick={() => void copy()}>
      {isCopied ? <IconCheck size={18} stroke={1.75} /> : <Icon size={18} stroke={1.75} />}
      <span className="unseen" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </IconButton>
  );
}

interface OneTimeSecretProps {
  readonly text: string;
  /** Accessible name of the copy button. */
  readonly copyLabel: string;
  /** Says what it is and that it is shown only once. */
  readonly children: string;
}

/** A secret that is shown only once. */
export function OneTimeSecret({ text, copyLabel, children }: OneTimeSecretProps) {
  return (
    <div className={styles['box']} role="status">
      <p className={styles['failureHint']}>{children}</p>
      <div className={styles['line']}>
        <code>{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </div>
  );
}
