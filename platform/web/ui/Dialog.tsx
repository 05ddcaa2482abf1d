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
  /** False for long scrolling content, because the lock handles every scroll event. */
  readonly lockScroll?: boolean;
  /**
   * Whether closing would lose input. Esc, the close button and the backdrop then ask first; use `useConfirmDiscard`
   * for other ways to close.
   */
  readonly hasUnsaved?: boolean;
  readonly children: ReactNode;
}

/** Returns the focus to the element that had it. Mantine only does so for dialogs that stay mounted while closed. */
const useFocusReturn = (isOpen: boolean): void =>
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const opener = document.activeElement;
    return () => {
      const lastFocused = document.activeElement;
      requestAnimationFrame(() => {
        const focused = document.activeElement;
        // Another element may have been focused on purpose.
        const isLost = focused === null || focused === document.body || focused === lastFocused;
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    };
  }, [isOpen]);

type ConfirmDiscard = (onConfirmed: () => void) => void;

const ConfirmDiscardContext = createContext<ConfirmDiscard>((onConfirmed) => onConfirmed());

/** In a dialog, returns a function that asks before an action loses unsaved input. */
export function useConfirmDiscard(): ConfirmDiscard {
  return useContext(ConfirmDiscardContext);
}

/** Returns the state of the discard dialog. It closes if the dialog around it is closed meanwhile. */
function useDiscardPrompt(isOpen: boolean) {
  const [prompt, setPrompt] = useState<{ readonly onConfirmed: () => void }>();
  if (!isOpen && prompt) setPrompt(undefined);
  return [prompt, setPrompt] as const;
}

interface DiscardDialogProps {
  readonly title: string;
  /** What would be lost. */
  readonly children: ReactNode;
  /** Label of the safe answer, which Esc also gives. */
  readonly keepLabel: string;
  readonly onKeep: () => void;
  readonly discardLabel: string;
  readonly onDiscard: () => void;
}

/** Asks before input is lost that can't be restored. */
export function DiscardDialog({ title, children, keepLabel, onKeep, discardLabel, onDiscard }: DiscardDialogProps) {
  return (
    <Dialog title={title} isOpen onClose={onKeep} width={440}>
      <p className={styles['discardText']}>{children}</p>
      <div className={styles['answers']}>
        <Button onClick={onKeep} data-autofocus>
          {keepLabel}
        </Button>
        <Button className={styles['discard'] ?? ''} onClick={onDiscard}>
          {discardLabel}
        </Button>
      </div>
    </Dialog>
  );
}

/**
 * A dialog that Esc and the backdrop close. It takes and returns the focus, and is a sheet at the bottom in the narrow
 * layout.
 */
export function Dialog({ title, isOpen, onClose, width = 560, lockScroll = true, hasUnsaved, children }: DialogProps) {
  const isNarrow = useIsNarrow();
  const [prompt, setPrompt] = useDiscardPrompt(isOpen);
  const confirmDiscard: ConfirmDiscard = (onConfirmed) => (hasUnsaved ? setPrompt({ onConfirmed }) : onConfirmed());
  useFocusReturn(isOpen);
  return (
    <Modal
      opened={isOpen}
      onClose={() => confirmDiscard(onClose)}
      closeOnEscape={!prompt}
      lockScroll={lockScroll}
      title={title}
      size={width}
      centered={!isNarrow}
      transitionProps={{ transition: isNarrow ? 'slide-up' : 'fade', duration: isNarrow ? 260 : 180 }}
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
      <ConfirmDiscardContext value={confirmDiscard}>{children}</ConfirmDiscardContext>
      {prompt ? (
        <DiscardDialog
          title="Close without saving?"
          keepLabel="Keep editing"
          onKeep={() => setPrompt(undefined)}
          discardLabel="Discard"
          onDiscard={() => {
            setPrompt(undefined);
            prompt.onConfirmed();
          }}
        >
          Your changes are not saved yet
        </DiscardDialog>
      ) : null}
    </Modal>
  );
}
