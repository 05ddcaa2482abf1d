import { Refusal } from '#platform/contract/refusal.ts';

const NO_ADDRESS = 'This is no address of a calendar: those begin with https://, http:// or webcal://';

/** An address as a person pastes it, with its scheme. @throws Refusal */
export const checkedAddress = (text: string): string => {
  const typed = text.trim();
  const whole = /^[a-z][a-z\d+.-]*:/i.test(typed) && !/^[^/]+:\d/.test(typed) ? typed : `https://${typed}`;
  const match = /^(https?|webcals?):\/\/(\S+)$/i.exec(whole);
  const [scheme = '', rest = ''] = match?.slice(1) ?? [];
  const address = `${scheme.toLowerCase()}://${rest}`;
  if (!match || typed === '' || !URL.canParse(asHttps(address))) throw new Refusal(NO_ADDRESS);
  return address;
};

const asHttps = (address: string): string => address.replace(/^\w+:/, 'https:');

const hasSecret = (address: string): boolean => {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
};

/** What is asked, in turn: `webcal:` says nothing of https, but a name and a password are not sent without it. */
export const addressesToAsk = (address: string): readonly string[] => {
  if (!/^webcals?:/.test(address)) return [address];
  const secure = asHttps(address);
  const isSecureAlone = address.startsWith('webcals:') || hasSecret(secure);
  return isSecureAlone ? [secure] : [secure, secure.replace(/^https:/, 'http:')];
};

/** The host, for a calendar that has no name of its own. */
export const hostOf = (address: string): string => new URL(asHttps(address)).hostname;
