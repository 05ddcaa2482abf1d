import { Button } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconKeyboard,
  IconCookieOff,
  IconHome,
  IconInfoCircle,
  IconPlus,
  IconUserCircle,
} from '@tabler/icons-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { FILE_MARKER, KEYS_MARKER } from '#platform/contract/message.ts';
import { call } from '#platform/web/app/call.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { useSelectedComputer, type Computer } from '#platform/web/app/computers.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { deletemessages } from '#tools/messages/contract.ts';
import { deletehistoryentry } from '../../contract.ts';
import { MousePanel } from '../pointer/MousePanel.tsx';
import { vibrate } from '../pointer/pressAndHold.ts';
import { UploadDialog } from '../scripts/UploadDialog.tsx';
import { useScriptNames } from '../scripts/useScripts.ts';
import { Composer } from './Composer.tsx';
import { useComputers } from './deviceEvents.ts';
import { HistoryList } from './HistoryList.tsx';
import { HistoryMenu } from './HistoryMenu.tsx';
import { KeysPanel } from './KeysPanel.tsx';
import { listKeyLabels } from './shortcuts.ts';
import { useComposer, useSending } from './useComposer.ts';
import { type MessageHistory, type HistoryLine, useMessageHistory } from './useMessageHistory.ts';
import { useSoftKeyboardOpen } from './useSoftKeyboardOpen.ts';
import styles from './DashboardPage.module.css';

/** The shortcuts that are used most on a remote computer. */
const SHORTCUTS = ['Enter', 'Esc', 'Tab', 'Alt-Tab', 'Ctrl-c', 'Ctrl-v', 'Ctrl-z', 'Ctrl-l', 'Alt-F4', 'Gui'].map(
  (keys) => KEYS_MARKER + keys,
);

/** Shortcuts that are sent immediately; shown on a phone while the special buttons are closed. */
function ShortcutRow({ onSend }: { readonly onSend: (text: string) => void }) {
  return (
    <section className={styles['row']} aria-label="Shortcuts">
      {SHORTCUTS.map((text) => (
        <button
          key={text}
          type="button"
          // Keeps the focus in the text field, so that a phone's soft keyboard does not open or close.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            vibrate();
            onSend(text);
          }}
        >
          {listKeyLabels(text)?.join('-')}
        </button>
      ))}
    </section>
  );
}

/** No script has this name, because file names have no slash. */
const ADD_SCRIPT = '/add';
const KEYBOARD = 'Keyboard';
const inputDevices = [KEYBOARD, 'Xinput', 'Add more inputs'].map((name) => ({ value: name, label: name }));

interface RailProps {
  readonly computers: readonly Computer[];
  readonly selectedComputer: Computer | undefined;
  readonly onSelectComputer: (id: string) => void;
  /** Called when a script was chosen. */
  readonly onScript: (name: string) => void;
}

/** The left rail of the wide dashboard (docs/specification/remote.md section 1.1). */
function Rail({ computers, selectedComputer, onSelectComputer, onScript }: RailProps) {
  const names = useScriptNames();
  const [isUploading, setIsUploading] = useState(false);
  const username = useSession()?.username ?? '';
  return (
    <aside className={styles['rail']} aria-label="Dashboard">
      <DevicePicker computers={computers} selected={selectedComputer} onSelect={onSelectComputer} />
      <Dropdown
        label="Input device"
        options={inputDevices}
        value={KEYBOARD}
        onSelect={(name) => {
          if (name !== KEYBOARD) notices.add('info', 'Only Keyboard works so far');
        }}
      />
      <Dropdown
        label="Add/Send script files"
        placeholder="Choose a file"
        options={[
          ...names.map((name) => ({ value: name, label: name })),
          { value: ADD_SCRIPT, label: 'Add script file', icon: IconPlus },
        ]}
        onSelect={(name) => (name === ADD_SCRIPT ? setIsUploading(true) : onScript(name))}
      />
      <nav className={styles['links']} aria-label="Dashboard links">
        <PageLink to="/" className={styles['link']} onClick={() => session.clearCookie()}>
          <IconHome size={15} stroke={1.75} />
          Go to home (clear cookie first)
        </PageLink>
        <button
          type="button"
          className={styles['link']}
          onClick={() => {
            session.clearCookie();
            notices.add('good', 'Cookie cleared. You stay logged in on this page until you close it');
          }}
        >
          <IconCookieOff size={15} stroke={1.75} />
          clear cookie
        </button>
        <PageLink to="/dashboard/about" className={styles['link']}>
          <IconInfoCircle size={15} stroke={1.75} />
          About
        </PageLink>
        <PageLink to="/dashboard/settings" className={styles['link']}>
          <IconUserCircle size={15} stroke={1.75} />
          <span className="ellipsis">Account {username}</span>
        </PageLink>
      </nav>
      {isUploading ? <UploadDialog onClose={() => setIsUploading(false)} onUploaded={onScript} /> : null}
    </aside>
  );
}

interface HistoryAreaProps {
  readonly computers: readonly Computer[] | undefined;
  readonly selectedComputer: Computer | undefined;
  readonly history: MessageHistory;
  readonly onResend: (text: string) => void;
  readonly onDelete: (line: HistoryLine) => void;
}

/** The history, or the reason why it is empty. */
function HistoryArea({ computers, selectedComputer, history, onResend, onDelete }: HistoryAreaProps) {
  const navigateTo = useNavigateTo();
  if (computers === undefined) return <div className={styles['empty']} />;
  if (computers.length === 0)
    return (
      <div className={styles['empty']}>
        <EmptyState
          icon={IconDeviceDesktop}
          text="No computer paired yet. Pair one, and text that you send from here is typed on it"
        >
          <Button variant="primary" onClick={() => navigateTo('/dashboard/settings/pair')}>
            Pair your computer
          </Button>
          <Button onClick={() => navigateTo('/dashboard/settings?tab=devices')}>Devices Settings</Button>
        </EmptyState>
      </div>
    );
  if (history.lines.length === 0 && history.error)
    return (
      <div className={styles['empty']}>
        <QueryError icon={IconKeyboard} message={history.error.message} onRetry={history.reload} />
      </div>
    );
  if (history.lines.length === 0)
    return (
      <div className={styles['empty']}>
        <EmptyState
          icon={IconKeyboard}
          text={
            selectedComputer === undefined
              ? 'Choose a connected device to see its history'
              : `Text that you send to ${selectedComputer.name} appears here. Click a line to send it again`
          }
        />
      </div>
    );
  return (
    <HistoryList lines={history.lines} device={selectedComputer?.name ?? ''} onResend={onResend} onDelete={onDelete} />
  );
}

interface ControlsProps {
  readonly composer: ReturnType<typeof useComposer>;
  readonly selectedComputer: Computer | undefined;
  readonly lines: readonly HistoryLine[];
  readonly isNarrow: boolean;
  readonly fieldRef: RefObject<HTMLInputElement | null>;
}

/** Everything below the history: special buttons, mouse panel (narrow), input row. */
function Controls({ composer, selectedComputer, lines, isNarrow, fieldRef }: ControlsProps) {
  const { text, setText, submit, press } = composer;
  const [areKeysOpen, setAreKeysOpen] = useState(false);
  const isTyping = useSoftKeyboardOpen(fieldRef);
  const toggleKeys = (): void => setAreKeysOpen(!areKeysOpen);
  useCommands([{ id: 'special-buttons', name: 'Special buttons', keys: 'Alt+K', run: toggleKeys }]);
  const lastSent = lines.findLast((line) => line.from === 'person' && line.kept !== false);
  return (
    <>
      {isNarrow && !areKeysOpen && !isTyping ? <ShortcutRow onSend={composer.sendText} /> : null}
      {areKeysOpen && !isTyping ? <KeysPanel text={text} isNarrow={isNarrow} onKey={press} /> : null}
      {isNarrow && !isTyping ? <MousePanel target={selectedComputer?.id} /> : null}
      <Composer
        fieldRef={fieldRef}
        text={text}
        onTextChange={setText}
        onSubmit={submit}
        lastText={lastSent?.from === 'person' ? lastSent.inputValue : undefined}
        areKeysOpen={areKeysOpen}
        onToggleKeys={toggleKeys}
        retention={composer.retention}
        device={selectedComputer}
        isSending={composer.isSending}
      />
    </>
  );
}

export default function DashboardPage() {
  const isNarrow = useIsNarrow();
  const fieldRef = useRef<HTMLInputElement>(null);
  const { computers } = useComputers();
  const { selectedComputer, selectComputer } = useSelectedComputer(computers);
  const target = selectedComputer?.id;
  const serverHistory = useMessageHistory(target);
  const { send, mergeLines, removeKnownLines, removePageLines } = useSending();
  useEffect(() => removeKnownLines(serverHistory.lines));
  const lines = mergeLines(serverHistory.lines, target);
  const composer = useComposer(send, target);
  async function deleteLine(line: HistoryLine): Promise<void> {
    if (target === undefined) return;
    try {
      if (line.from === 'device') await call(deletemessages, { ids: [line.id] });
      else if (line.id !== undefined) await call(deletehistoryentry, { target, id: line.id });
      removePageLines(target, line.timesent);
    } catch (error) {
      showError(error);
    }
  }
  function insertScript(name: string): void {
    composer.setText(FILE_MARKER + name);
    fieldRef.current?.focus();
  }
  return (
    <div className={styles['dash']} data-flush data-narrow={isNarrow || undefined}>
      <PageHeader>
        {isNarrow ? (
          <div className={styles['pill']}>
            <DevicePicker computers={computers ?? []} selected={selectedComputer} onSelect={selectComputer} brief />
          </div>
        ) : null}
        <HistoryMenu selectedComputer={selectedComputer} retention={composer.retention} onClear={removePageLines} />
      </PageHeader>
      {isNarrow ? null : (
        <Rail
          computers={computers ?? []}
          selectedComputer={selectedComputer}
          onSelectComputer={selectComputer}
          onScript={insertScript}
        />
      )}
      <section className={styles['stage']} aria-label="Remote access">
        <HistoryArea
          computers={computers}
          selectedComputer={selectedComputer}
          history={{ ...serverHistory, lines }}
          onResend={composer.sendAgain}
          onDelete={(line) => void deleteLine(line)}
        />
        <Controls
          composer={composer}
          selectedComputer={selectedComputer}
          lines={lines}
          isNarrow={isNarrow}
          fieldRef={fieldRef}
        />
      </section>
    </div>
  );
}
