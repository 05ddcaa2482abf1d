import { EgressRefusal } from './egress.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Several addresses of one name were tried, and each failed: the first says why. */
const firstOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|^ERR_SSL|EPROTO/;

/** What the network, https and the parser of answers say, as a sentence. @throws the error itself where it is none of theirs */
export const toEgressRefusal = (error: unknown): EgressRefusal => {
  if (error instanceof EgressRefusal) return error;
  const cause = firstOf(error);
  const code = codeOf(cause);
  const unreached = (sentence: string) => new EgressRefusal('unreached', sentence, { cause });
  if (code === 'ECONNREFUSED') return unreached('Nothing answers under that address');
  if (/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code))
    return unreached('That address cannot be reached');
  if (CERTIFICATE.test(code)) return unreached("The certificate of that address cannot be trusted, or it isn't https");
  if (code.startsWith('HPE_'))
    return new EgressRefusal('answer', 'What came from there is no answer of the web', { cause });
  if (/^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ECONNABORTED)$/.test(code))
    return new EgressRefusal('answer', 'The server there broke off', { cause });
  if (code !== '') return unreached('That address could not be read');
  throw error;
};
