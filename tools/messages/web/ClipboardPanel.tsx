import { Button } from '@mantine/core';
import { IconClipboardCopy, IconClipboardText } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { fetchclipboard, sendclipboard } from '#tools/clipboard/contract.ts';
import { devicedetails } from '#tools/devices/contract.ts';
import type { MessageDevice } from './useDevices.ts';
import styles from './ClipboardPanel.module.css';

const ABILITY_UNKNOWN_MESSAGE = 'That computer has not said that its clipboard may be used';

/** Why the clipboard of a computer cannot be used now; undefined where it can, '' where that is not known yet. */
const useReason = ({ id, name, state }: MessageDevice): string | undefined => {
  const { data } = useQuery({
    queryKey: ['devicedetails'],
    queryFn: async () => (await call(devicedetails, {})).devices,
  });
  const ability = data?.find((device) => String(device.id) === id)?.abilities.clipboard;
  if (data === undefined) return '';
  if (!ability?.able) return ability?.reason ?? ABILITY_UNKNOWN_MESSAGE;
  return state === 'Disconnected' ? `${name} is not connected` : undefined;
};

/** What this browser's clipboard holds; undefined where it does not say. */
const readOwn = async (): Promise<string | undefined> => {
  // Without a secure context there is no clipboard at all, whatever the type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!isSecureContext() || clipboard === undefined) return undefined;
  return clipboard.readText().catch(() => undefined); // Not allowed: the field takes it by hand.
};

/** Text between this browser's clipboard and that of a computer. */
export function ClipboardPanel({ device }: { readonly device: MessageDevice }) {
  const { id: target, name } = device;
  const reason = useReason(device);
  const [isPasting, setIsPasting] = useState(false);
  const [text, setText] = useState('');
  const send = useMutation({
    mutationFn: (given: string) => call(sendclipboard, { content: { target, text: given } }),
    onSuccess: () => {
      notices.add('good', `On the clipboard of ${name}`);
      setIsPasting(false);
      setText('');
    },
    onError: showError,
  });
  const fetched = useMutation({
    mutationFn: () => call(fetchclipboard, { content: { target } }),
    // Nothing to copy is no text: it is said and not shown as one.
    onSuccess: ({ text: found }) => {
      if (found === '') notices.add('bad', `The clipboard of ${name} holds no text`);
    },
    onError: showError,
  });
  const begin = async (): Promise<void> => {
    const own = await readOwn();
    if (own === undefined) setIsPasting(true);
    else if (own === '') notices.add('bad', 'The clipboard of this browser holds no text');
    else send.mutate(own);
  };
  const isOff = reason !== undefined;
  return (
    <section className={styles['panel']} aria-label={`Clipboard of ${name}`}>
      <div className={styles['row']}>
        <Button
          leftSection={<IconClipboardCopy size={16} stroke={1.75} />}
          disabled={isOff}
          loading={send.isPending}
          aria-describedby="clipboard-reason"
          onClick={() => void begin()}
        >
          Send clipboard
        </Button>
        <Button
          leftSection={<IconClipboardText size={16} stroke={1.75} />}
          disabled={isOff}
          loading={fetched.isPending}
          aria-describedby="clipboard-reason"
          onClick={() => fetched.mutate()}
        >
          Fetch clipboard
        </Button>
        {reason ? (
          <p id="clipboard-reason" className={styles['reason']}>
            {reason}
          </p>
        ) : null}
      </div>
      {isPasting && !isOff ? (
        <form
          className={styles['row']}
          onSubmit={(event) => {
            event.preventDefault();
            if (text === '') notices.add('bad', 'No text to send');
            else send.mutate(text);
          }}
        >
          <textarea
            className={styles['paste']}
            rows={2}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now, to paste into
            autoFocus
            dir="auto"
            aria-label={`Text for the clipboard of ${name}`}
            placeholder="This browser does not let its clipboard be read: paste here"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={send.isPending}>
            Send this
          </Button>
        </form>
      ) : null}
      {fetched.data === undefined || fetched.data.text === '' ? null : (
        <div className={styles['fetched']}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long ones scroll in themselves */}
          <pre dir="auto" tabIndex={0} aria-label={`On the clipboard of ${name}`}>
            {fetched.data.text}
          </pre>
          <CopyButton text={fetched.data.text} label="Copy the text" />
        </div>
      )}
    </section>
  );
}
