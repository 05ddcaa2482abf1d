import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import { Button, Modal } from '@mantine/core';
import { createContext, useContext, useLayoutEffect, useState, type ReactNode } from 'react';
import { useIsNarrow } from '../browser/useNarrow.ts';
import styles from './Dialog.module.css';

interface DialogProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
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
const useFocusReturn = (opened: boolean): void =>
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

type ConfirmDiscard = (then: () => void) => void;

const ConfirmDiscardContext = createContext<ConfirmDiscard>((then) => then());

/** In a dialog: does what would lose something typed there that is not saved, once whoever typed it agrees. */
export function useConfirmDiscard(): ConfirmDiscard {
  return useContext(ConfirmDiscardContext);
}

/** What is done once somebody agrees to lose something. Where the dialog is closed meanwhile by whoever opened it, nothing is asked any more. */
const useDiscardPrompt = (opened: boolean) => {
  const [asked, setAsked] = useState<{ readonly go: () => void }>();
  if (!opened && asked) setAsked(undefined);
  return [asked, setAsked] as const;
};

interface DiscardDialogProps {
  readonly title: string;
  /** What would be lost. */
  readonly children: ReactNode;
  /** The answer that loses nothing; Esc gives it too. */
  readonly keepLabel: string;
  readonly onKeep: () => void;
  readonly discardLabel: string;
  readonly onDiscard: () => void;
}

/** Asks before something is lost that no Undo brings back. */
export function DiscardDialog({ title, children, keepLabel, onKeep, discardLabel, onDiscard }: DiscardDialogProps) {
  return (
    <Dialog title={title} isOpen onClose={onKeep} width={440}>
      <p className={styles['lost']}>{children}</p>
      <div className={styles['answers']}>
        <Button onClick={onKeep} data-autofocus>
          {keepLabel}
        </Button>
        <Button className={styles['lose'] ?? ''} onClick={onDiscard}>
          {discardLabel}
        </Button>
      </div>
    </Dialog>
  );
}

/** A dialog: Esc and the ground behind it close it, the focus goes in and back; on narrow windows a sheet at the bottom. */
export function Dialog({ title, isOpen, onClose, width = 560, lockScroll = true, hasUnsaved, children }: DialogProps) {
  const narrow = useIsNarrow();
  const [asked, setAsked] = useDiscardPrompt(isOpen);
  const leave: ConfirmDiscard = (then) => (hasUnsaved ? setAsked({ go: then }) : then());
  useFocusReturn(isOpen);
  return (
    <Modal
      opened={isOpen}
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
      <ConfirmDiscardContext value={leave}>{children}</ConfirmDiscardContext>
      {asked ? (
        <DiscardDialog
          title="Close without saving?"
          keepLabel="Keep editing"
          onKeep={() => setAsked(undefined)}
          discardLabel="Discard"
          onDiscard={() => {
            setAsked(undefined);
            asked.go();
          }}
        >
          What you changed here is not saved yet.
        </DiscardDialog>
      ) : null}
    </Modal>
  );
}
