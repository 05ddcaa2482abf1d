import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { der } from './der.ts';

// X.509 certificates for P-256 keys, written as RFC 5280 has them: the parts that an authority of one's own needs.

const ECDSA_WITH_SHA256 = der.sequence(der.oid('1.2.840.10045.4.3.2'));
const COMMON_NAME = der.oid('2.5.4.3');
const SERIAL_BYTES = 16;

const nameOf = (common: string): Buffer => der.sequence(der.set(der.sequence(COMMON_NAME, der.utf8(common))));

const extension = (id: string, isCritical: boolean, value: Uint8Array): Buffer =>
  der.sequence(der.oid(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(value));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
/** The first way of RFC 7093 section 2, over the whole key as its certificate holds it. */
const keyIdOf = (key: KeyObject): Buffer => createHash('sha256').update(spkiOf(key)).digest().subarray(0, 20);

const DNS = 2;
const ADDRESS = 7;
const bytesOf = (address: string): Uint8Array => Buffer.from(ipaddr.parse(address).toByteArray());
const generalName = (host: string): Buffer =>
  isIP(host) !== 0 ? der.plainTagged(ADDRESS, bytesOf(host)) : der.plainTagged(DNS, Buffer.from(host));

/** `10.0.0.0/8` as network and mask, or a name with all that ends in it. */
const subtree = (permitted: string): Buffer => {
  if (!ipaddr.isValidCIDR(permitted)) return der.sequence(der.plainTagged(DNS, Buffer.from(permitted)));
  const [network, bits] = ipaddr.parseCIDR(permitted);
  const kind = network.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const mask = Buffer.from(kind.subnetMaskFromPrefixLength(bits).toByteArray());
  return der.sequence(der.plainTagged(ADDRESS, Buffer.concat([Buffer.from(network.toByteArray()), mask])));
};

/** From when to when a certificate counts. */
export interface Validity {
  readonly from: Temporal.Instant;
  readonly ends: Temporal.Instant;
}

interface Parts extends Validity {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signedBy: KeyObject;
  readonly extensions: readonly Uint8Array[];
}

const certificate = ({ issuer, subject, publicKey, signedBy, extensions, from, ends }: Parts): Buffer => {
  const signed = der.sequence(
    der.tagged(0, der.integer(Buffer.from([2]))),
    // Never zero and never negative, whatever the random bytes are.
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    der.sequence(der.time(from), der.time(ends)),
    nameOf(subject),
    spkiOf(publicKey),
    der.tagged(3, der.sequence(...extensions)),
  );
  return der.sequence(signed, ECDSA_WITH_SHA256, der.bits(sign('sha256', signed, signedBy)));
};

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A root that signs certificates of servers and nothing else, and none outside `permitted`: names and CIDR ranges. */
export const authorityCertificate = (
  name: string,
  { publicKey, privateKey }: KeyPair,
  { permitted, ...validity }: Validity & { readonly permitted: readonly string[] },
): Buffer =>
  certificate({
    ...validity,
    issuer: name,
    subject: name,
    publicKey,
    signedBy: privateKey,
    extensions: [
      extension('2.5.29.19', true, der.sequence(der.boolean(true), der.integer(Buffer.from([0])))), // basicConstraints: CA, pathlen 0
      extension('2.5.29.15', true, der.bits(Buffer.from([0x04]), 2)), // keyUsage: keyCertSign
      extension('2.5.29.30', true, der.sequence(der.tagged(0, ...permitted.map(subtree)))), // nameConstraints
      extension('2.5.29.14', false, der.octets(keyIdOf(publicKey))), // subjectKeyIdentifier
    ],
  });

/** A server's certificate for names and addresses. */
export const serverCertificate = (
  {
    issuer,
    issuerKey,
    publicKey,
  }: { readonly issuer: string; readonly issuerKey: KeyPair; readonly publicKey: KeyObject },
  { hosts, ...validity }: Validity & { readonly hosts: readonly string[] },
): Buffer =>
  certificate({
    ...validity,
    issuer,
    // With a space in it: a checker takes what looks like a host's name for one, and holds it against the constraints.
    subject: 'Pegboard server',
    publicKey,
    signedBy: issuerKey.privateKey,
    extensions: [
      extension('2.5.29.19', true, der.sequence()), // basicConstraints: no CA
      extension('2.5.29.15', true, der.bits(Buffer.from([0x80]), 7)), // keyUsage: digitalSignature
      extension('2.5.29.37', false, der.sequence(der.oid('1.3.6.1.5.5.7.3.1'))), // extKeyUsage: serverAuth
      extension('2.5.29.17', false, der.sequence(...hosts.map(generalName))), // subjectAltName
      extension('2.5.29.35', false, der.sequence(der.plainTagged(0, keyIdOf(issuerKey.publicKey)))), // authorityKeyIdentifier
      extension('2.5.29.14', false, der.octets(keyIdOf(publicKey))),
    ],
  });

export const pemOf = (certificateDer: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificateDer)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
