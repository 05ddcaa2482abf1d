/** Below the data folder. */
export const INBOX = 'gallery/inbox';
/** Where files of the inbox are looked at under a name of ours. */
export const LOOKS = 'gallery/looks';

/** Of an account, below the inbox. */
export const accountFolder = (account: number): string => `account-${account}`;
/** Of a computer's own recordings, below the inbox. */
export const deviceFolder = (account: number, device: number): string => `${accountFolder(account)}/device-${device}`;

/** Of an account, in the inbox. */
export const ownFolder = (account: number): string => `${INBOX}/${accountFolder(account)}`;
/** Where recordings of an account lie that could not be read. */
export const brokenFolder = (account: number): string => `gallery/broken/${accountFolder(account)}`;
export const brokenName = (account: number, file: string): string => `${brokenFolder(account)}/${file}`;
