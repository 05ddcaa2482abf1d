import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDeviceDesktop, IconKeyboard } from '@tabler/icons-react';
import { useRef, useState, type RefObject } from 'react';
import { FILE_MARKER } from '#platform/contract/message.ts';
import { useCommands } from '#platform/web/commands.ts';
import { useChosen, type Computer } from '#platform/web/devices/computers.ts';
import { DevicePicker } from '#platform/web/devices/DevicePicker.tsx';
import { useNarrow } from '#platform/web/narrow.ts';
import { useGo } from '#platform/web/navigation.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { PageHeader } from '#platform/web/ui/PageHeader.tsx';
import { Composer } from './Composer.tsx';
import { HistoryList } from './HistoryList.tsx';
import { KeysPanel } from './KeysPanel.tsx';
import { MousePanel } from './MousePanel.tsx';
import { Rail } from './Rail.tsx';
import { useComposer } from './useComposer.ts';
import { useComputers } from './useComputers.ts';
import { useHistory, type Line } from './useHistory.ts';
import { useSending } from './useSending.ts';
import { useTyping } from './useTyping.ts';
import styles from './DashboardPage.module.css';

interface StageProps {
  readonly computers: readonly Computer[] | undefined;
  readonly chosen: Computer | undefined;
  readonly lines: readonly Line[];
  readonly again: (text: string) => void;
}

interface ControlsProps {
  readonly composer: ReturnType<typeof useComposer>;
  readonly target: string | undefined;
  readonly lines: readonly Line[];
  readonly narrow: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
}

/** In the history's place: the history, or what is missing for one. */
function Stage({ computers, chosen, lines, again }: StageProps) {
  const go = useGo();
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
              ? 'Choose a connected device, and what was sent to it stands here.'
              : `What you send to ${chosen.name} will stand here. A click sends it again.`
          }
        />
      </div>
    );
  return <HistoryList lines={lines} device={chosen?.name ?? ''} again={again} />;
}

/** Everything below the history: special buttons, mouse panel (narrow), input row. */
function Controls({ composer, target, lines, narrow, field }: ControlsProps) {
  const { text, setText, submit, press } = composer;
  const [keysWanted, setKeysWanted] = useState<boolean>();
  const isTall = useMediaQuery('(min-height: 600px)', true, { getInitialValueInEffect: false });
  // A phone has them open where there is room; a wide window, with a keyboard before it, does not.
  const keysOpen = keysWanted ?? (narrow && isTall);
  const typing = useTyping(field);
  const toggleKeys = (): void => setKeysWanted(!keysOpen);
  useCommands([{ id: 'special-buttons', name: 'Special buttons', keys: 'Alt+K', run: toggleKeys }]);
  const last = lines.findLast((line) => line.from === 'person')?.inputValue;
  return (
    <>
      {keysOpen && !typing ? <KeysPanel text={text} narrow={narrow} onKey={press} /> : null}
      {narrow && !typing ? <MousePanel target={target} /> : null}
      <Composer
        field={field}
        text={text}
        setText={setText}
        submit={submit}
        last={last}
        keysOpen={keysOpen}
        toggleKeys={toggleKeys}
      />
    </>
  );
}

const NONE: readonly Computer[] = [];

export default function DashboardPage() {
  const narrow = useNarrow();
  const field = useRef<HTMLInputElement>(null);
  const { computers } = useComputers();
  const { chosen, choose } = useChosen(computers);
  const target = chosen?.id;
  const { lines: known } = useHistory(target);
  const { send, merged } = useSending();
  const lines = merged(known, target);
  const composer = useComposer(send, target);
  const picking = { computers: computers ?? NONE, chosen, choose };
  const writeScript = (name: string): void => {
    composer.setText(FILE_MARKER + name);
    field.current?.focus();
  };
  return (
    <div className={styles['dash']} data-flush data-narrow={narrow || undefined}>
      <PageHeader>
        {narrow ? (
          <div className={styles['pill']}>
            <DevicePicker {...picking} brief />
          </div>
        ) : undefined}
      </PageHeader>
      {narrow ? null : <Rail {...picking} onScript={writeScript} />}
      <section className={styles['stage']} aria-label="Remote access">
        <Stage computers={computers} chosen={chosen} lines={lines} again={composer.deliver} />
        <Controls composer={composer} target={target} lines={lines} narrow={narrow} field={field} />
      </section>
    </div>
  );
}
