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
import { usePiece, type Shown, type Status, type Wishes } from './usePaste.ts';
import styles from './PastePage.module.css';

/** @throws Refusal for what is no text in UTF-8, or longer than a piece may be. */
export async function textOf(file: File): Promise<string> {
  if (file.size > PASTE_LIMIT_BYTES)
    throw new Refusal(`${file.name} is too long at ${file.size} bytes, limit is ${PASTE_LIMIT_BYTES} bytes (1 MiB)`);
  const bytes = await file.arrayBuffer();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (cause) {
    throw new Refusal(`${file.name} is no text in UTF-8`, { cause });
  }
  throw new Refusal(`${file.name} is no text`);
}

const AS_USUAL: Wishes = { keep: '30d', encrypt: false, burn: false };

function StatusLine({ status }: { readonly status: Status }) {
  return (
    <p className={styles['status']} data-tone={status.tone} role="status" aria-live="polite">
      {status.tone === 'good' ? <IconCheck size={16} stroke={2} aria-hidden /> : null}
      {status.tone === 'bad' ? <IconAlertTriangle size={16} stroke={1.75} aria-hidden /> : null}
      {status.text}
    </p>
  );
}

interface BurningProps {
  readonly isBusy: boolean;
  readonly show: () => void;
  readonly dismiss: () => void;
}

/** Asks first: whoever only looks what is behind a link, as messengers do, must not burn it. */
function Burning({ isBusy, show, dismiss }: BurningProps) {
  return (
    <div className={styles['burning']}>
      <EmptyState icon={IconFlame} text="This text burns after reading: it can be shown once, and is deleted then.">
        <span className={styles['acts']}>
          <Button variant="primary" loading={isBusy} onClick={show}>
            Show it
          </Button>
          <Button onClick={dismiss}>Not now</Button>
        </span>
      </EmptyState>
    </div>
  );
}

/** The raw view of the server's own, for what it can show; an edited, encrypted or burnt text is shown by the page. */
const rawPathOf = (shown: Shown | undefined, isTyped: boolean): string | undefined =>
  shown === undefined || isTyped || shown.burns || shown.key !== '' ? undefined : `${pasteraw.path}?code=${shown.code}`;

/** Made anew where somebody else signs in: what is typed is shown to its account alone. */
export default function PastePage() {
  return <Paste key={useDraftOwner() ?? ''} />;
}

/** The paste page: one large text area, Submit, a status line; codes in and out. */
function Paste() {
  const piece = usePiece();
  const { area, status, setStatus, shown, asking } = piece;
  const field = useRef<HTMLTextAreaElement>(null);
  const [wishes, setWishes] = useState(AS_USUAL);
  const [isMineOpen, setMineOpen] = useState(false);
  const [isCodeAsked, setCodeAsked] = useState(false);
  const [dollarChoice, setDollarChoice] = useBrowserStorage('paste.dollar');
  const dollar = dollarChoice !== 'off';

  const submit = (text = area.text): void => piece.submit(text, wishes);
  const takeFile = async (file: File): Promise<void> => {
    try {
      area.fill(await textOf(file));
      field.current?.focus();
    } catch (error) {
      setStatus({ tone: 'bad', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const onDrop = (event: DragEvent): void => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    void takeFile(file);
  };
  const askCode = (): void => {
    setCodeAsked(true);
    document.getElementById('paste-code')?.focus();
  };
  useCommands([
    ...(dollar ? [{ id: 'paste.submit', name: 'Submit', keys: '$', when: () => !asking, run: () => submit() }] : []),
    { id: 'paste.open', name: 'Open a code', run: askCode },
    { id: 'paste.mine', name: 'Your pieces', run: () => setMineOpen(true) },
  ]);

  return (
    <div
      className={styles['page']}
      data-flush
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={onDrop}
    >
      <PageHeader>
        <CodeField open={piece.openTyped} asked={isCodeAsked} setAsked={setCodeAsked} />
        <PasteMenu
          dollar={dollar}
          setDollar={(on) => setDollarChoice(on ? 'on' : 'off')}
          hasText={area.text !== ''}
          hasAside={area.hasAside}
          rawPath={rawPathOf(shown, area.isTyped)}
          showRaw={() => openTextTab(area.text)}
          save={() => downloadFile(`${shown?.code ?? 'text'}.txt`, new Blob([area.text], { type: 'text/plain' }))}
          bringBack={area.bringBack}
          showMine={() => setMineOpen(true)}
        />
      </PageHeader>
      {asking ? (
        <Burning isBusy={piece.isOpening} show={piece.show} dismiss={piece.dismiss} />
      ) : (
        <>
          <TextArea
            field={field}
            text={area.text}
            type={area.type}
            onDollar={dollar ? submit : undefined}
            onFile={(file) => void takeFile(file)}
          />
          <Options wishes={wishes} set={setWishes} />
        </>
      )}
      <div className={styles['foot']}>
        {asking ? null : (
          <Button
            variant="primary"
            size="lg"
            className={styles['submit'] ?? ''}
            loading={piece.isStoring}
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
            onClick={area.bringBack}
          >
            Bring back what I typed
          </Button>
        ) : null}
        {shown === undefined || asking ? null : <CodePill shown={shown} />}
      </div>
      <MyPieces opened={isMineOpen} onClose={() => setMineOpen(false)} open={piece.openTyped} forget={piece.forget} />
    </div>
  );
}
