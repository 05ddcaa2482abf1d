import { Button } from '@mantine/core';
import { IconAlertTriangle, IconArrowBackUp, IconCheck, IconFlame } from '@tabler/icons-react';
import { useRef, useState, type DragEvent } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { draftOwner, useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { downloadFile, openTextTab } from '#platform/web/browser/downloadFile.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { pasteraw, MAX_TEXT_BYTES } from '../contract.ts';
import { MyPastesDialog } from './MyPastesDialog.tsx';
import { Options, TextArea } from './PasteEditor.tsx';
import { CodeField, PasteMenu } from './PasteHeader.tsx';
import { PastePill } from './PastePill.tsx';
import { usePaste, type StoredPaste, type Status, type PasteOptions } from './usePaste.ts';
import styles from './PastePage.module.css';

/** Reads a text file. @throws Refusal if it is too large or not UTF-8 text. */
export async function readTextFile(file: File): Promise<string> {
  if (file.size > MAX_TEXT_BYTES)
    throw new Refusal(
      'paste.too_long',
      `${file.name} is too large: ${file.size.toLocaleString('en')} bytes, and the limit is ${MAX_TEXT_BYTES.toLocaleString('en')} (1 MiB). Choose a smaller file`,
    );
  const bytes = await file.arrayBuffer();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (cause) {
    throw new Refusal('paste.not_text', `${file.name} is not UTF-8 text. Choose a text file`, { cause });
  }
  throw new Refusal('paste.not_text', `${file.name} is not a text file. Choose a text file`);
}

const DEFAULT_OPTIONS: PasteOptions = { retention: '30d', encrypt: false, burn: false };

function StatusLine({ status }: { readonly status: Status }) {
  return (
    <p className={styles['status']} data-tone={status.tone} role="status" aria-live="polite">
      {status.tone === 'good' ? <IconCheck size={16} stroke={2} aria-hidden /> : null}
      {status.tone === 'bad' ? <IconAlertTriangle size={16} stroke={1.75} aria-hidden /> : null}
      {status.text}
    </p>
  );
}

interface BurnPromptProps {
  readonly isBusy: boolean;
  readonly onReveal: () => void;
  readonly onDismiss: () => void;
}

/** Asks before a paste that burns is shown, so that link previews of messengers don't burn it. */
function BurnPrompt({ isBusy, onReveal, onDismiss }: BurnPromptProps) {
  return (
    <div className={styles['burning']}>
      <EmptyState icon={IconFlame} text="This paste burns after reading. You can view it once, and then it is deleted">
        <span className={styles['actions']}>
          <Button variant="primary" loading={isBusy} onClick={onReveal}>
            View text
          </Button>
          <Button onClick={onDismiss}>Not now</Button>
        </span>
      </EmptyState>
    </div>
  );
}

/** Returns the path of the server's raw view. Undefined for a text that the server doesn't have or can't read. */
const getRawPath = (paste: StoredPaste | undefined, isTyped: boolean): string | undefined =>
  paste === undefined || isTyped || paste.burns || paste.key !== '' ? undefined : `${pasteraw.path}?code=${paste.code}`;

/**
 * The paste page. It remounts for another owner, because a draft is shown to its own account only.
 * It stays mounted when the account becomes known, as the user may be typing.
 */
export default function PastePage() {
  const owner = useDraftOwner() ?? draftOwner.getUnknownOwner();
  const [shown, setShown] = useState({ owner, key: 0 });
  if (shown.owner !== owner) {
    const isAdopted = draftOwner.isAccount(owner) && !draftOwner.isAccount(shown.owner);
    setShown({ owner, key: isAdopted ? shown.key : shown.key + 1 });
  }
  return <Paste key={shown.key} owner={shown.owner} />;
}

/** Stores the text of the editor, and opens stored texts by their code. */
function Paste({ owner }: { readonly owner: string }) {
  const controller = usePaste(owner);
  const { editor, status, setStatus, activePaste, unrevealedPaste } = controller;
  const textFieldRef = useRef<HTMLTextAreaElement>(null);
  const [options, setOptions] = useState(DEFAULT_OPTIONS);
  const [isMyPastesOpen, setMyPastesOpen] = useState(false);
  const [isCodeDialogOpen, setCodeDialogOpen] = useState(false);
  const [dollarSetting, setDollarSetting] = useBrowserStorage('paste.dollar');
  const submitsWithDollar = dollarSetting !== 'off';

  const submit = (text = editor.text): void => controller.submit(text, options);
  async function loadFile(file: File): Promise<void> {
    try {
      editor.showFile(await readTextFile(file));
      textFieldRef.current?.focus();
    } catch (error) {
      setStatus({ tone: 'bad', text: error instanceof Error ? error.message : String(error) });
    }
  }
  function handleDrop(event: DragEvent): void {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    void loadFile(file);
  }
  function openCodeField(): void {
    setCodeDialogOpen(true);
    document.getElementById('paste-code')?.focus();
  }
  useCommands([
    ...(submitsWithDollar
      ? [{ id: 'paste.submit', name: 'Submit', keys: '$', when: () => !unrevealedPaste, run: () => submit() }]
      : []),
    { id: 'paste.open', name: 'Open a paste', run: openCodeField },
    { id: 'paste.mine', name: 'Your pastes', run: () => setMyPastesOpen(true) },
  ]);

  return (
    <div
      className={styles['page']}
      data-flush
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={handleDrop}
    >
      <PageHeader>
        <CodeField onOpen={controller.open} isDialogOpen={isCodeDialogOpen} onDialogOpenChange={setCodeDialogOpen} />
        <PasteMenu
          submitsWithDollar={submitsWithDollar}
          onSubmitsWithDollarChange={(isOn) => setDollarSetting(isOn ? 'on' : 'off')}
          hasText={editor.text !== ''}
          hasStash={editor.hasStash}
          rawPath={getRawPath(activePaste, editor.isTyped)}
          onViewRaw={() => openTextTab(editor.text)}
          onDownload={() =>
            downloadFile(`${activePaste?.code ?? 'text'}.txt`, new Blob([editor.text], { type: 'text/plain' }))
          }
          onRestoreDraft={editor.restoreDraft}
          onShowMyPastes={() => setMyPastesOpen(true)}
        />
      </PageHeader>
      {unrevealedPaste ? (
        <BurnPrompt isBusy={controller.isOpening} onReveal={controller.reveal} onDismiss={controller.dismiss} />
      ) : (
        <>
          <TextArea
            fieldRef={textFieldRef}
            text={editor.text}
            onInput={editor.handleInput}
            onDollar={submitsWithDollar ? submit : undefined}
            onFile={(file) => void loadFile(file)}
          />
          <Options options={options} onChange={setOptions} />
        </>
      )}
      <div className={styles['foot']}>
        {unrevealedPaste ? null : (
          <Button
            variant="primary"
            size="lg"
            className={styles['submit'] ?? ''}
            loading={controller.isStoring}
            onClick={() => submit()}
          >
            Submit
            {submitsWithDollar ? <kbd aria-hidden>$</kbd> : null}
          </Button>
        )}
        <StatusLine status={status} />
        {editor.hasStash && !unrevealedPaste ? (
          <Button
            variant="subtle"
            leftSection={<IconArrowBackUp size={16} stroke={1.75} />}
            className={styles['back'] ?? ''}
            onClick={editor.restoreDraft}
          >
            Restore draft
          </Button>
        ) : null}
        {activePaste === undefined || unrevealedPaste ? null : <PastePill paste={activePaste} />}
      </div>
      <MyPastesDialog
        isOpen={isMyPastesOpen}
        onClose={() => setMyPastesOpen(false)}
        onOpenPaste={controller.open}
        onDeleted={controller.handleDeleted}
      />
    </div>
  );
}
