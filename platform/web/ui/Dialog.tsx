import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useLayoutEffect, useState, type ReactNode } from 'react';
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
  /** Whether something was typed that closing would lose: whoever closes it by Esc, its cross or the ground behind it is asked first. */
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

interface LosingProps {
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** Stands over a dialog that would lose what was typed in it. */
function Losing({ onKeep, onDiscard }: LosingProps) {
  return (
    <Dialog title="Close without saving?" opened onClose={onKeep} width={440}>
      <Text mb="md">What you changed here is not saved yet.</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Keep editing
        </Button>
        <Button color="red" onClick={onDiscard}>
          Discard
        </Button>
      </Group>
    </Dialog>
  );
}

/** A dialog: Esc and the ground behind it close it, the focus goes in and back; on narrow windows a sheet at the bottom. */
export function Dialog({ title, opened, onClose, width = 560, lockScroll = true, hasUnsaved, children }: DialogProps) {
  const narrow = useNarrow();
  const [isAsking, setIsAsking] = useState(false);
  useGiveBack(opened);
  return (
    <Modal
      opened={opened}
      onClose={() => (hasUnsaved ? setIsAsking(true) : onClose())}
      closeOnEscape={!isAsking}
      lockScroll={lockScroll}
      title={title}
      size={width}
      centered={!narrow}
      transitionProps={{ transition: narrow ? 'slide-up' : 'fade', duration: narrow ? 260 : 180 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      overlayProps={{ color: 'rgb(22 22 32)', backgroundOpacity: 0.4 }}
      classNames={{
        inner: styles['inner'] ?? '',
        content: styles['content'] ?? '',
        header: styles['header'] ?? '',
        title: styles['title'] ?? '',
        body: styles['body'] ?? '',
      }}
    >
      {children}
      {opened && isAsking ? (
        <Losing
          onKeep={() => setIsAsking(false)}
          onDiscard={() => {
            setIsAsking(false);
            onClose();
          }}
        />
      ) : null}
    </Modal>
  );
}
