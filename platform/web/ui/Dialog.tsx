import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import { Button, Modal } from '@mantine/core';
import { createContext, useContext, useLayoutEffect, useState, type ReactNode } from 'react';
import { useNarrow } from '../narrow.ts';
import styles from './Dialog.module.css';

interface DialogProps {
  readonly title: ReactNode;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Width in px on wide windows. */
  readonly width?: number;
  /** False where what scrolls in it is long: the lock looks at every step of a scroll. */
  readonly lockScroll?: boolean;
  /** Whether something was typed that closing would lose: whoever closes it by Esc, its cross or the ground behind it is asked first (`useLeave` for other ways). */
  readonly hasUnsaved?: boolean;
  readonly children: ReactNode;
}

/** Gives the focus back to what had it. Mantine does so only for a dialog that stood there, closed, before it was opened, and stays behind it. */
const useGiveBack = (opened: boolean): void =>
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const opener = document.activeElement;
    return () => {
      const atClose = document.activeElement;
      requestAnimationFrame(() => {
        const now = document.activeElement;
        // Who closed it may have sent the focus elsewhere.
        const isLost = now === null || now === document.body || now === atClose;
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    };
  }, [opened]);

type Leave = (then: () => void) => void;

const LeaveContext = createContext<Leave>((then) => then());

/** In a dialog: does what would lose something typed there that is not saved, once whoever typed it agrees. */
export const useLeave = (): Leave => useContext(LeaveContext);

/** What is done once somebody agrees to lose something. Where the dialog is closed meanwhile by whoever opened it, nothing is asked any more. */
const useAsked = (opened: boolean) => {
  const [asked, setAsked] = useState<{ readonly go: () => void }>();
  if (!opened && asked) setAsked(undefined);
  return [asked, setAsked] as const;
};

interface LosingProps {
  readonly title: string;
  /** What would be lost. */
  readonly children: ReactNode;
  /** The answer that loses nothing; Esc gives it too. */
  readonly keep: string;
  readonly onKeep: () => void;
  readonly lose: string;
  readonly onLose: () => void;
}

/** Asks before something is lost that no Undo brings back. */
export function LosingDialog({ title, children, keep, onKeep, lose, onLose }: LosingProps) {
  return (
    <Dialog title={title} opened onClose={onKeep} width={440}>
      <p className={styles['lost']}>{children}</p>
      <div className={styles['answers']}>
        <Button onClick={onKeep} data-autofocus>
          {keep}
        </Button>
        <Button className={styles['lose'] ?? ''} onClick={onLose}>
          {lose}
        </Button>
      </div>
    </Dialog>
  );
}

/** A dialog: Esc and the ground behind it close it, the focus goes in and back; on narrow windows a sheet at the bottom. */
export function Dialog({ title, opened, onClose, width = 560, lockScroll = true, hasUnsaved, children }: DialogProps) {
  const narrow = useNarrow();
  const [asked, setAsked] = useAsked(opened);
  const leave: Leave = (then) => (hasUnsaved ? setAsked({ go: then }) : then());
  useGiveBack(opened);
  return (
    <Modal
      opened={opened}
      onClose={() => leave(onClose)}
      closeOnEscape={!asked}
      lockScroll={lockScroll}
      title={title}
      size={width}
      centered={!narrow}
      transitionProps={{ transition: narrow ? 'slide-up' : 'fade', duration: narrow ? 260 : 180 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      overlayProps={{ color: '#161620', backgroundOpacity: 0.4 }}
      classNames={{
        inner: styles['inner'] ?? '',
        content: styles['content'] ?? '',
        header: styles['header'] ?? '',
        title: styles['title'] ?? '',
        body: styles['body'] ?? '',
      }}
    >
      <LeaveContext value={leave}>{children}</LeaveContext>
      {asked ? (
        <LosingDialog
          title="Close without saving?"
          keep="Keep editing"
          onKeep={() => setAsked(undefined)}
          lose="Discard"
          onLose={() => {
            setAsked(undefined);
            asked.go();
          }}
        >
          What you changed here is not saved yet.
        </LosingDialog>
      ) : null}
    </Modal>
  );
}
