import { Button } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { LINK_TEXT_LIMIT } from '../../contract/limits.ts';
import { pastedLines } from './pastedLines.ts';
import { queueLinks } from './queueLinks.ts';
import { uploads } from './uploads.ts';
import styles from './DownloadsPanel.module.css';

/** Ours: a link, or files of one's own, that come into the library and into no playlist. */
export function Adding() {
  const [url, setUrl] = useState('');
  const files = useRef<HTMLInputElement>(null);
  return (
    <form
      className={styles['adding']}
      onSubmit={(event) => {
        event.preventDefault();
        if (url.trim() === '') return;
        void queueLinks(url.trim());
        setUrl('');
      }}
    >
      <input
        className={styles['field']}
        type="text"
        inputMode="url"
        aria-label="Video or playlist link"
        placeholder="Video or playlist links"
        autoComplete="off"
        spellCheck={false}
        maxLength={LINK_TEXT_LIMIT}
        data-link-field
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        onPaste={(event) => setUrl(pastedLines(event) ?? url)}
      />
      <Button
        type="submit"
        size="xs"
        className={styles['submit'] ?? ''}
        leftSection={<IconDownload size={15} stroke={1.75} />}
        disabled={url.trim() === ''}
      >
        Download
      </Button>
      <Button
        size="xs"
        className={styles['submit'] ?? ''}
        leftSection={<IconUpload size={15} stroke={1.75} />}
        title="Or drop them anywhere on this page"
        onClick={() => files.current?.click()}
      >
        Upload files
      </Button>
      <input
        ref={files}
        type="file"
        hidden
        multiple
        accept="audio/*,video/*,.mp3,.m4a,.flac,.ogg,.opus,.wav,.aac,.wma,.aiff,.aif,.ape,.wv,.mpc,.caf,.amr,.ac3,.mka,.dsf,.dff,.tta,.tak,.dts,.vob"
        aria-label="Audio files"
        onChange={({ currentTarget }) => {
          uploads.add([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </form>
  );
}
