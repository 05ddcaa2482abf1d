import { Button } from '@mantine/core';
import { IconClipboardCopy, IconClipboardText } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { fetchclipboard, sendclipboard } from '#tools/clipboard/contract.ts';
import { devicedetails } from '#tools/devices/contract.ts';
import type { MessageDevice } from './useDevices.ts';
import styles from './ClipboardPanel.module.css';

const ABILITY_UNKNOWN_MESSAGE = 'The clipboard is turned off on that computer. Start its agent with --allow-clipboard';

/** Returns why the clipboard of a computer can't be used: undefined if it can, '' if that is not known yet. */
function useUnavailableReason({ id, name, state }: MessageDevice): string | undefined {
  const { data } = useQuery({
    queryKey: ['devicedetails'],
    queryFn: async () => (await call(devicedetails, {})).devices,
  });
  const ability = data?.find((device) => String(device.id) === id)?.abilities.clipboard;
  if (data === undefined) return '';
  if (!ability?.able) return ability?.reason ?? ABILITY_UNKNOWN_MESSAGE;
  return state === 'Disconnected' ? `${name} is not connected` : undefined;
}

/** Reads this browser's clipboard. Returns undefined if the browser does not allow it. */
async function readOwnClipboard(): Promise<string | undefined> {
  // Without a secure context the clipboard is missing, although its type says otherwise.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!isSecureContext() || clipboard === undefined) return undefined;
  return clipboard.readText().catch(() => undefined); // not allowed: the user pastes into the field instead
}

/** Transfers text between this browser's clipboard and that of a computer. */
export function ClipboardPanel({ device }: { readonly device: MessageDevice }) {
  const { id: target, name } = device;
  const reason = useUnavailableReason(device);
  const [isPasting, setIsPasting] = useState(false);
  const [text, setText] = useState('');
  const sendMutation = useMutation({
    mutationFn: (content: string) => call(sendclipboard, { content: { target, text: content } }),
    onSuccess: () => {
      notices.add('good', `Sent to the clipboard of ${name}`);
      setIsPasting(false);
      setText('');
    },
    onError: showError,
  });
  const fetchMutation = useMutation({
    mutationFn: () => call(fetchclipboard, { content: { target } }),
    // An empty clipboard is reported, not shown as a text.
    onSuccess: ({ text: fetchedText }) => {
      if (fetchedText === '') notices.add('bad', `The clipboard of ${name} has no text`);
    },
    onError: showError,
  });
  async function sendOwnClipboard(): Promise<void> {
    const ownText = await readOwnClipboard();
    if (ownText === undefined) setIsPasting(true);
    else if (ownText === '') notices.add('bad', 'The clipboard of this browser has no text');
    else sendMutation.mutate(ownText);
  }
  const isUnavailable = reason !== undefined;
  return (
    <section className={styles['panel']} aria-label={`Clipboard of ${name}`}>
      <div className={styles['row']}>
        <Button
          leftSection={<IconClipboardCopy size={16} stroke={1.75} />}
          disabled={isUnavailable}
          loading={sendMutation.isPending}
          aria-describedby="clipboard-reason"
          onClick={() => void sendOwnClipboard()}
        >
          Send clipboard
        </Button>
        <Button
          leftSection={<IconClipboardText size={16} stroke={1.75} />}
          disabled={isUnavailable}
          loading={fetchMutation.isPending}
          aria-describedby="clipboard-reason"
          onClick={() => fetchMutation.mutate()}
        >
          Fetch clipboard
        </Button>
        {reason ? (
          <p id="clipboard-reason" className={styles['reason']}>
            {reason}
          </p>
        ) : null}
      </div>
      {isPasting && !isUnavailable ? (
        <Form
          className={styles['row']}
          onSubmit={() => {
            if (text === '') notices.add('bad', 'No text to send');
            else sendMutation.mutate(text);
          }}
        >
          <textarea
            className={styles['paste']}
            rows={2}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opened it just now, to paste into
            autoFocus
            dir="auto"
            aria-label={`Text for the clipboard of ${name}`}
            placeholder="Paste here, because this browser blocks access to its clipboard"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={sendMutation.isPending}>
            Send text
          </Button>
        </Form>
      ) : null}
      {fetchMutation.data === undefined || fetchMutation.data.text === '' ? null : (
        <div className={styles['fetched']}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long ones scroll in themselves */}
          <pre dir="auto" tabIndex={0} aria-label={`Text from the clipboard of ${name}`}>
            {fetchMutation.data.text}
          </pre>
          <CopyButton text={fetchMutation.data.text} label="Copy text" />
        </div>
      )}
    </section>
  );
}
