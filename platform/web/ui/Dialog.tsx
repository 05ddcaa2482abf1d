import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import { Button, Modal } from '@mantine/core';
import { createContext, useContext, useLayoutEffect, useState, type ReactNode } from 'react';
import { useIsNarrow } from '../browser/useIsNarrow.ts';
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

/** Returns the function of the surrounding dialog that asks before an action loses unsaved input. */
export function useConfirmDiscard(): ConfirmDiscard {
  return useContext(ConfirmDiscardContext);
}

/** Returns the state of the question before input is lost. It closes if the dialog around it is closed meanwhile. */
function useDiscardPrompt(isOpen: boolean) {
  const [prompt, setPrompt] = useState<{ readonly onConfirmed: () => void }>();
  if (!isOpen && prompt) setPrompt(undefined);
  return [prompt, setPrompt] as const;
}

interface ConfirmDialogProps {
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly children: ReactNode;
  /** Label of the safe answer, which Esc also gives. */
  readonly cancelLabel: string;
  readonly onCancel: () => void;
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
}

/** Asks before something is lost: unsaved input, or data that is deleted. */
export function ConfirmDialog({ title, children, cancelLabel, onCancel, confirmLabel, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={title} isOpen onClose={onCancel} width={440}>
      <p>{children}</p>
      <div className={styles['answers']}>
        <Button onClick={onCancel} data-autofocus>
          {cancelLabel}
        </Button>
        <Button className={styles['discard'] ?? ''} onClick={onConfirm}>
          {confirmLabel}
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
        <ConfirmDialog
          title="Close without saving?"
          cancelLabel="Keep editing"
          onCancel={() => setPrompt(undefined)}
          confirmLabel="Discard"
          onConfirm={() => {
            setPrompt(undefined);
            prompt.onConfirmed();
          }}
        >
          Your changes are not saved yet
        </ConfirmDialog>
      ) : null}
    </Modal>
  );
}
