import { Button } from '@mantine/core';
import { IconAlertTriangle, IconArrowBackUp, IconCheck, IconFlame } from '@tabler/icons-react';
import { useRef, useState, type DragEvent } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { downloadFile, openTextTab } from '#platform/web/browser/saveFile.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { pasteraw, PASTE_LIMIT_BYTES } from '../contract.ts';
import { MyPieces } from './MyPastesDialog.tsx';
import { Options, TextArea } from './PasteEditor.tsx';
import { CodeField, PasteMenu } from './PasteHeader.tsx';
import { CodePill } from './PastePill.tsx';
import { usePiece, type StoredPaste, type Status, type PasteOptions } from './usePaste.ts';
import styles from './PastePage.module.css';

/** Reads a text file. @throws Refusal if it is too large or not UTF-8 text. */
export async function readTextFile(file: File): Promise<string> {
  if (file.size > PASTE_LIMIT_BYTES)
    throw new Refusal(
      'paste.too_long',
      `${file.name} is too large: ${file.size.toLocaleString('en')} bytes, and the limit is ${PASTE_LIMIT_BYTES.toLocaleString('en')} (1 MiB). Choose a smaller file`,
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

const DEFAULT_OPTIONS: PasteOptions = { keep: '30d', encrypt: false, burn: false };

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
  readonly show: () => void;
  readonly dismiss: () => void;
}

/** Asks before a paste that burns is shown, so that link previews of messengers don't burn it. */
function BurnPrompt({ isBusy, show, dismiss }: BurnPromptProps) {
  return (
    <div className={styles['burning']}>
      <EmptyState icon={IconFlame} text="This paste burns after reading. You can view it once, and then it is deleted">
        <span className={styles['actions']}>
          <Button variant="primary" loading={isBusy} onClick={show}>
            View text
          </Button>
          <Button onClick={dismiss}>Not now</Button>
        </span>
      </EmptyState>
    </div>
  );
}

/** Returns the path of the server's raw view. Undefined for a text that the server doesn't have or can't read. */
const getRawPath = (shown: StoredPaste | undefined, isTyped: boolean): string | undefined =>
  shown === undefined || isTyped || shown.burns || shown.key !== '' ? undefined : `${pasteraw.path}?code=${shown.code}`;

/** The paste page. It is created again for another account, because a draft is shown to its own account only. */
export default function PastePage() {
  return <Paste key={useDraftOwner() ?? ''} />;
}

/** Stores the text of the editor, and opens stored texts by their code. */
function Paste() {
  const controller = usePiece();
  const { area, status, setStatus, shown, asking } = controller;
  const textFieldRef = useRef<HTMLTextAreaElement>(null);
  const [options, setOptions] = useState(DEFAULT_OPTIONS);
  const [isMyPastesOpen, setMyPastesOpen] = useState(false);
  const [isCodeDialogOpen, setCodeDialogOpen] = useState(false);
  const [dollarSetting, setDollarSetting] = useBrowserStorage('paste.dollar');
  const dollar = dollarSetting !== 'off';

  const submit = (text = area.text): void => controller.submit(text, options);
  const loadFile = async (file: File): Promise<void> => {
    try {
      area.showFile(await readTextFile(file));
      textFieldRef.current?.focus();
    } catch (error) {
      setStatus({ tone: 'bad', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const handleDrop = (event: DragEvent): void => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    void loadFile(file);
  };
  const openCodeField = (): void => {
    setCodeDialogOpen(true);
    document.getElementById('paste-code')?.focus();
  };
  useCommands([
    ...(dollar ? [{ id: 'paste.submit', name: 'Submit', keys: '$', when: () => !asking, run: () => submit() }] : []),
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
        <CodeField open={controller.openTyped} isDialogOpen={isCodeDialogOpen} onDialogOpenChange={setCodeDialogOpen} />
        <PasteMenu
          dollar={dollar}
          setDollar={(on) => setDollarSetting(on ? 'on' : 'off')}
          hasText={area.text !== ''}
          hasAside={area.hasAside}
          rawPath={getRawPath(shown, area.isTyped)}
          showRaw={() => openTextTab(area.text)}
          save={() => downloadFile(`${shown?.code ?? 'text'}.txt`, new Blob([area.text], { type: 'text/plain' }))}
          onRestoreDraft={area.restoreDraft}
          showMine={() => setMyPastesOpen(true)}
        />
      </PageHeader>
      {asking ? (
        <BurnPrompt isBusy={controller.isOpening} show={controller.show} dismiss={controller.dismiss} />
      ) : (
        <>
          <TextArea
            field={textFieldRef}
            text={area.text}
            type={area.handleInput}
            onDollar={dollar ? submit : undefined}
            onFile={(file) => void loadFile(file)}
          />
          <Options options={options} set={setOptions} />
        </>
      )}
      <div className={styles['foot']}>
        {asking ? null : (
          <Button
            variant="primary"
            size="lg"
            className={styles['submit'] ?? ''}
            loading={controller.isStoring}
            onClick={() => submit()}
          >
            Submit
            {dollar ? <kbd aria-hidden>$</kbd> : null}
          </Button>
        )}
        <StatusLine status={status} />
        {area.hasAside && !asking ? (
          <Button
            variant="subtle"
            leftSection={<IconArrowBackUp size={16} stroke={1.75} />}
            className={styles['back'] ?? ''}
            onClick={area.restoreDraft}
          >
            Restore draft
          </Button>
        ) : null}
        {shown === undefined || asking ? null : <CodePill shown={shown} />}
      </div>
      <MyPieces
        opened={isMyPastesOpen}
        onClose={() => setMyPastesOpen(false)}
        open={controller.openTyped}
        forget={controller.forget}
      />
    </div>
  );
}
