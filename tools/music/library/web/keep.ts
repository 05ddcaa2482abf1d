import type { RequestInputOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { downloadticket } from '../../contract.ts';
import { notKept } from '../../downloads/web/failures.ts';
import { panel } from '../../downloads/web/panelState.ts';

const follow = (address: string, name: string): void => {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
};

/**
 * Gives a song, or a playlist as a zip, to the browser to be kept: it fetches the file itself, and can pause and go on with it. The panel
 * says why where it cannot. Gives whether it could.
 */
export const keepFile = async (title: string, wanted: RequestInputOf<typeof downloadticket>): Promise<boolean> => {
  try {
    const { address, name } = await call(downloadticket, wanted);
    follow(address, name);
    return true;
  } catch (error) {
    const text = notKept(error);
    if (text !== undefined) panel.addMishap(title, text, () => void keepFile(title, wanted));
    return false;
  }
};
