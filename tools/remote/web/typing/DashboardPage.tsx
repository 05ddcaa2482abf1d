import { Button } from '@mantine/core';
import { IconDeviceDesktop, IconKeyboard } from '@tabler/icons-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { FILE_MARKER } from '#platform/contract/message.ts';
import { call } from '#platform/web/app/call.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { useSelectedComputer, type Computer } from '#platform/web/app/computers.ts';
import { showError } from '#platform/web/app/failure.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { deletemessages } from '#tools/messages/contract.ts';
import { deletehistoryentry } from '../../contract.ts';
import { MousePanel } from '../pointer/MousePanel.tsx';
import { Composer } from './Composer.tsx';
import { HistoryList } from './HistoryList.tsx';
import { HistoryMenu } from './HistoryMenu.tsx';
import { KeysPanel } from './KeysPanel.tsx';
import type { Line } from './lines.ts';
import { Rail } from './Rail.tsx';
import { ShortcutRow } from './ShortcutRow.tsx';
import { useComposer } from './useComposer.ts';
import { useComputers } from './useComputers.ts';
import { useHistory } from './useHistory.ts';
import { useSending } from './useSending.ts';
import { useSoftKeyboardOpen } from './useTyping.ts';
import styles from './DashboardPage.module.css';

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

/** In the history's place: the history, or what is missing for one. */
function Stage({ computers, chosen, lines, again, remove }: StageProps) {
  const go = useNavigateTo();
  if (computers === undefined) return <div className={styles['nothing']} />;
  if (computers.length === 0)
    return (
      <div className={styles['nothing']}>
        <EmptyState
          icon={IconDeviceDesktop}
          text="No computer is paired yet. Run one line on it, enter the code that it shows, and what you send from here is typed there."
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
      <div className={styles['nothing']}>
        <EmptyState
          icon={IconKeyboard}
          text={
            chosen === undefined
              ? 'Choose a connected device to see what you sent to it'
              : `What you send to ${chosen.name} appears here. Click a line to send it again`
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
  const { lines: known } = useHistory(target);
  const { send, merged, follow, forget } = useSending();
  useEffect(() => follow(known));
  const lines = merged(known, target);
  const composer = useComposer(send, target);
  const picking = { computers: computers ?? NONE, chosen, choose };
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
            <DevicePicker computers={picking.computers} selected={chosen} onSelect={choose} brief />
          </div>
        ) : null}
        <HistoryMenu chosen={chosen} keeping={composer.keeping} forget={forget} />
      </PageHeader>
      {narrow ? null : <Rail {...picking} onScript={writeScript} />}
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
