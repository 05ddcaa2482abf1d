import { Button } from '@mantine/core';
import { IconFileCode, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { useUpload } from './useScripts.ts';
import styles from './UploadDialog.module.css';

interface UploadDialogProps {
  readonly onClose: () => void;
  readonly onUploaded: (name: string) => void;
}

/** The upload dialog: takes one file, chosen or dropped. */
export function UploadDialog({ onClose, onUploaded }: UploadDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [file, setFile] = useState<File>();
  const [isDragOver, setIsDragOver] = useState(false);
  const upload = useUpload((name) => {
    onUploaded(name);
    dialog.current?.close();
  });
  // The browser's own dialog traps the focus, closes on Esc and restores the focus.
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className={styles['window']} aria-labelledby="upload-title" onClose={onClose}>
      <Form isBusy={upload.isPending} onSubmit={() => upload.mutate(file)}>
        <header className={styles['head']}>
          <h2 id="upload-title">Add script file</h2>
          <IconButton label="Close" onClick={() => dialog.current?.close()}>
            <IconX size={18} stroke={1.75} />
          </IconButton>
        </header>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dropping is a second way to what the file field within does */}
        <label
          className={styles['drop']}
          data-over={isDragOver || undefined}
          onDragOver={(event) => {
            event.preventDefault();
            setIsDragOver(true);
          }}
          onDragLeave={() => setIsDragOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setIsDragOver(false);
            setFile(event.dataTransfer.files[0]);
          }}
        >
          <IconFileCode size={26} stroke={1.6} />
          <span dir="auto">{file?.name ?? 'Choose a file or drop it here'}</span>
          <small>{file ? `${file.size} bytes` : 'A text file such as backup.sh'}</small>
          <input
            className="unseen"
            type="file"
            aria-label="Script file"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        <p className={styles['note']}>
          A file with the same name is replaced. Computers run scripts only if their agent was started with
          --allow-scripts
        </p>
        <footer className={styles['foot']}>
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          <Button type="submit" variant="primary" loading={upload.isPending}>
            Upload
          </Button>
        </footer>
      </Form>
    </dialog>
  );
}
