import { Refusal } from '#platform/contract/refusal.ts';
import { createSelectionOwner, type SelectionOwner } from './clipboardOwner.ts';
import { readSelection } from './clipboardReader.ts';
import { DisplayLostError } from './display.ts';
import { openSelectionConnection, type SelectionConnection } from './selectionLine.ts';

const DISPLAY_GONE_MESSAGE = 'The display of that computer went away; try again in a moment';

/** The clipboard of one X display. */
export interface XClipboard extends AsyncDisposable {
  /** @throws Refusal where its owner does not answer or holds too much, or the display went away. */
  readonly read: () => Promise<string>;
  /** Another program has the text as long as this one lives and nobody else takes the clipboard. @throws Refusal */
  readonly write: (text: string) => Promise<void>;
}

interface OpenSelection {
  readonly line: SelectionConnection;
  readonly owner: SelectionOwner;
}

/** Connects at the first use: most computers' owners never allow it. */
export const openXClipboard = (display: string): XClipboard => {
  let opening: Promise<OpenSelection> | undefined;
  const open = async (): Promise<OpenSelection> => {
    const line = await openSelectionConnection(display);
    const owner = createSelectionOwner(line);
    line.display.onClosed(() => {
      owner.close();
      opening = undefined;
    });
    return { line, owner };
  };
  const opened = (): Promise<OpenSelection> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const within = async <T>(use: (one: OpenSelection) => Promise<T>): Promise<T> => {
    try {
      return await use(await opened());
    } catch (cause) {
      throw cause instanceof DisplayLostError ? new Refusal(DISPLAY_GONE_MESSAGE, { cause }) : cause;
    }
  };
  return {
    // What it holds itself it need not ask for.
    read: () => within(async ({ line, owner }) => (await owner.getText()) ?? readSelection(line)),
    write: (text) => within(({ owner }) => owner.write(text)),
    [Symbol.asyncDispose]: async () => {
      const one = await opening?.catch(() => undefined);
      opening = undefined;
      await one?.line[Symbol.asyncDispose]();
    },
  };
};
