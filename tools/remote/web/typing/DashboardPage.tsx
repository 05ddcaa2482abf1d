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
import { showError } from '#platform/web/app/failure.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { deletemessages } from '#tools/messages/contract.ts';
import { deletehistoryentry } from '../../contract.ts';
import { MousePanel } from '../pointer/MousePanel.tsx';
import { buzz } from '../pointer/pressAndHold.ts';
import { UploadWindow } from '../scripts/UploadWindow.tsx';
import { useScriptNames } from '../scripts/useScripts.ts';
import { Composer } from './Composer.tsx';
import { useComputers } from './deviceEvents.ts';
import { HistoryList } from './HistoryList.tsx';
import { HistoryMenu } from './HistoryMenu.tsx';
import { KeysPanel } from './KeysPanel.tsx';
import { formatKeys } from './shortcuts.ts';
import { useComposer, useSending } from './useComposer.ts';
import { type Line, useHistory } from './useHistory.ts';
import { useSoftKeyboardOpen } from './useSoftKeyboardOpen.ts';
import styles from './DashboardPage.module.css';

/** Shortcuts that are pressed most on a remote computer. */
const SHORTCUTS = ['Enter', 'Esc', 'Tab', 'Alt-Tab', 'Ctrl-c', 'Ctrl-v', 'Ctrl-z', 'Ctrl-l', 'Alt-F4', 'Gui'].map(
  (keys) => KEYS_MARKER + keys,
);

/** Shortcuts that are sent immediately; shown on a phone while the special buttons are closed. */
export function ShortcutRow({ send }: { readonly send: (text: string) => void }) {
  return (
    <section className={styles['row']} aria-label="Shortcuts">
      {SHORTCUTS.map((text) => (
        <button
          key={text}
          type="button"
          // Keeps the focus in the text field, so that a phone's soft keyboard does not open or close.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            buzz();
            send(text);
          }}
        >
          {formatKeys(text)?.join('-')}
        </button>
      ))}
    </section>
  );
}

/** Can't be a script: file names have no slash. */
const ADD = '/add';
const KEYBOARD = 'Keyboard';
const inputDevices = [KEYBOARD, 'Xinput', 'Add more inputs'].map((name) => ({ value: name, label: name }));

interface RailProps {
  readonly computers: readonly Computer[];
  readonly chosen: Computer | undefined;
  readonly choose: (id: string) => void;
  /** Called when a script was chosen. */
  readonly onScript: (name: string) => void;
}

/** The left rail of the wide dashboard (docs/specification/remote.md section 1.1). */
export function Rail({ computers, chosen, choose, onScript }: RailProps) {
  const names = useScriptNames();
  const [uploading, setUploading] = useState(false);
  const username = useSession()?.username ?? '';
  return (
    <aside className={styles['rail']} aria-label="Dashboard">
      <DevicePicker computers={computers} selected={chosen} onSelect={choose} />
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
          { value: ADD, label: 'Add script file', icon: IconPlus },
        ]}
        onSelect={(name) => (name === ADD ? setUploading(true) : onScript(name))}
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
      {uploading ? <UploadWindow close={() => setUploading(false)} uploaded={onScript} /> : null}
    </aside>
  );
}

interface StageProps {
  readonly computers: readonly Computer[] | undefined;
  readonly chosen: Computer | undefined;
  readonly lines: readonly Line[];
  readonly again: (text: string) => void;
  readonly remove: (line: Line) => void;
}

interface ControlsProps {
  readonly composer: ReturnType<typeof useComposer>;
  readonly chosen: Computer | undefined;
  readonly lines: readonly Line[];
  readonly narrow: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
}

/** The history, or the reason why there is none. */
function Stage({ computers, chosen, lines, again, remove }: StageProps) {
  const go = useNavigateTo();
  if (computers === undefined) return <div className={styles['empty']} />;
  if (computers.length === 0)
    return (
      <div className={styles['empty']}>
        <EmptyState
          icon={IconDeviceDesktop}
          text="No computer paired yet. Pair one, and text that you send from here is typed on it"
        >
          <Button variant="primary" onClick={() => go('/dashboard/settings/pair')}>
            Pair your computer
          </Button>
          <Button onClick={() => go('/dashboard/settings?tab=devices')}>Devices Settings</Button>
        </EmptyState>
      </div>
    );
  if (lines.length === 0)
    return (
      <div className={styles['empty']}>
        <EmptyState
          icon={IconKeyboard}
          text={
            chosen === undefined
              ? 'Choose a connected device to see its history'
              : `Text that you send to ${chosen.name} appears here. Click a line to send it again`
          }
        />
      </div>
    );
  return <HistoryList lines={lines} device={chosen?.name ?? ''} again={again} remove={remove} />;
}

/** Everything below the history: special buttons, mouse panel (narrow), input row. */
function Controls({ composer, chosen, lines, narrow, field }: ControlsProps) {
  const { text, setText, submit, press } = composer;
  const [keysOpen, setKeysOpen] = useState(false);
  const typing = useSoftKeyboardOpen(field);
  const toggleKeys = (): void => setKeysOpen(!keysOpen);
  useCommands([{ id: 'special-buttons', name: 'Special buttons', keys: 'Alt+K', run: toggleKeys }]);
  const last = lines.findLast((line) => line.from === 'person' && line.kept !== false);
  return (
    <>
      {narrow && !keysOpen && !typing ? <ShortcutRow send={composer.deliver} /> : null}
      {keysOpen && !typing ? <KeysPanel text={text} narrow={narrow} onKey={press} /> : null}
      {narrow && !typing ? <MousePanel target={chosen?.id} /> : null}
      <Composer
        field={field}
        text={text}
        setText={setText}
        submit={submit}
        last={last?.from === 'person' ? last.inputValue : undefined}
        keysOpen={keysOpen}
        toggleKeys={toggleKeys}
        keeping={composer.keeping}
        device={chosen}
        isSending={composer.isSending}
      />
    </>
  );
}

const NONE: readonly Computer[] = [];

export default function DashboardPage() {
  const narrow = useIsNarrow();
  const field = useRef<HTMLInputElement>(null);
  const { computers } = useComputers();
  const { chosen, choose } = useSelectedComputer(computers);
  const target = chosen?.id;
  const { lines: serverLines } = useHistory(target);
  const { send, mergeLines, follow, forget } = useSending();
  useEffect(() => follow(serverLines));
  const lines = mergeLines(serverLines, target);
  const composer = useComposer(send, target);
  const picker = { computers: computers ?? NONE, chosen, choose };
  const remove = async (line: Line): Promise<void> => {
    if (target === undefined) return;
    try {
      if (line.from === 'device') await call(deletemessages, { ids: [line.id] });
      else if (line.id !== undefined) await call(deletehistoryentry, { target, id: line.id });
      forget(target, line.timesent);
    } catch (error) {
      showError(error);
    }
  };
  const writeScript = (name: string): void => {
    composer.setText(FILE_MARKER + name);
    field.current?.focus();
  };
  return (
    <div className={styles['dash']} data-flush data-narrow={narrow || undefined}>
      <PageHeader>
        {narrow ? (
          <div className={styles['pill']}>
            <DevicePicker computers={picker.computers} selected={chosen} onSelect={choose} brief />
          </div>
        ) : null}
        <HistoryMenu chosen={chosen} keeping={composer.keeping} forget={forget} />
      </PageHeader>
      {narrow ? null : <Rail {...picker} onScript={writeScript} />}
      <section className={styles['stage']} aria-label="Remote access">
        <Stage
          computers={computers}
          chosen={chosen}
          lines={lines}
          again={composer.sendAgain}
          remove={(line) => void remove(line)}
        />
        <Controls composer={composer} chosen={chosen} lines={lines} narrow={narrow} field={field} />
      </section>
    </div>
  );
}
