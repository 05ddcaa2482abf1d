import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity as Times,
  Version,
} from '@peculiar/asn1-x509';

// X.509 certificates for P-256 keys (RFC 5280): the parts that an authority of one's own needs. Node signs, as it makes no certificates itself.

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const SERIAL_BYTES = 16;

/** Bytes of their own, as the library takes them. */
const bytesOf = (buffer: Uint8Array): ArrayBuffer => new Uint8Array(buffer).buffer;

const nameOf = (common: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new AttributeValue({ utf8String: common }) }),
    ]),
  ]);

const extension = (extnID: string, critical: boolean, value: unknown): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
/** The first way of RFC 7093 section 2, over the whole key as its certificate holds it. */
const keyIdOf = (key: KeyObject): ArrayBuffer =>
  bytesOf(createHash('sha256').update(spkiOf(key)).digest().subarray(0, 20));

/** `10.0.0.0/8`, an address, or a host's name. */
const generalName = (host: string): GeneralName =>
  new GeneralName(isIP(host.replace(/\/\d+$/, '')) === 0 ? { dNSName: host } : { iPAddress: host });

/** From when to when a certificate counts. */
export interface Validity {
  readonly notBefore: Temporal.Instant;
  readonly notAfter: Temporal.Instant;
}

interface CertificateFields extends Validity {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signedBy: KeyObject;
  readonly extensions: readonly Extension[];
}

const dateOf = (at: Temporal.Instant): Date => new Date(at.epochMilliseconds);

const certificate = ({
  issuer,
  subject,
  publicKey,
  signedBy,
  extensions,
  notBefore,
  notAfter,
}: CertificateFields): Buffer => {
  const signature = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const body = new TBSCertificate({
    version: Version.v3,
    // Never zero and never negative, whatever the random bytes are.
    serialNumber: bytesOf(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
    signature,
    issuer: nameOf(issuer),
    validity: new Times({ notBefore: dateOf(notBefore), notAfter: dateOf(notAfter) }),
    subject: nameOf(subject),
    subjectPublicKeyInfo: AsnConvert.parse(spkiOf(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(body)), signedBy);
  return Buffer.from(
    AsnConvert.serialize(
      new Certificate({ tbsCertificate: body, signatureAlgorithm: signature, signatureValue: bytesOf(signed) }),
    ),
  );
};

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A root that signs certificates of servers and nothing else, and none outside `permitted`: names and CIDR ranges. */
export function createAuthorityCertificate(
  name: string,
  { publicKey, privateKey }: KeyPair,
  { permitted, ...validity }: Validity & { readonly permitted: readonly string[] },
): Buffer {
  return certificate({
    ...validity,
    issuer: name,
    subject: name,
    publicKey,
    signedBy: privateKey,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign)),
      extension(
        id_ce_nameConstraints,
        true,
        new NameConstraints({
          permittedSubtrees: new GeneralSubtrees(
            permitted.map((each) => new GeneralSubtree({ base: generalName(each) })),
          ),
        }),
      ),
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdOf(publicKey))),
    ],
  });
}

/** A server's certificate for names and addresses. */
export function createServerCertificate(
  {
    issuer,
    issuerKey,
    publicKey,
  }: { readonly issuer: string; readonly issuerKey: KeyPair; readonly publicKey: KeyObject },
  { hosts, ...validity }: Validity & { readonly hosts: readonly string[] },
): Buffer {
  return certificate({
    ...validity,
    issuer,
    // With a space in it: a checker takes what looks like a host's name for one, and holds it against the constraints.
    subject: 'Pegboard server',
    publicKey,
    signedBy: issuerKey.privateKey,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints()),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, false, new SubjectAlternativeName(hosts.map(generalName))),
      extension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdOf(issuerKey.publicKey)) }),
      ),
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdOf(publicKey))),
    ],
  });
}

export function toPem(certificateDer: Uint8Array): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificateDer)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
