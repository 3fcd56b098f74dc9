import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import forge from 'node-forge';
import { replaceFile } from './replace-file.ts';

/** A certificate and its key in PEM, and the files that hold them. */
export type Certificate = {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
};

/** The bank's own authority. It signs the certificates of the server, the callbacks and the clients. */
export type Authority = {
  readonly certificate: Certificate;
  /** Returns the certificate of a name; creates and signs it at the first call. */
  readonly issue: (name: string, commonName: string) => Certificate;
};

const organization = 'Banco Local';
const validYears = 10;

/**
 * Opens the authority whose certificates are in a folder, mode 600; the first call creates it. Keys are RSA with 2048
 * bits, as at Efí.
 *
 * @param draw Source of random bytes for serial numbers.
 */
export function openAuthority(folder: string, draw = randomBytes as (size: number) => Buffer): Authority {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const certificate = keep(folder, 'ca', () => signed(`${organization} CA`, draw));
  return {
    certificate,
    issue: (name, commonName) => keep(folder, name, () => signed(commonName, draw, certificate)),
  };
}

/** Returns the SHA-256 fingerprint of a certificate in the form of TLS: pairs of hexadecimal digits with colons. */
export function fingerprint(cert: string): string {
  return new X509Certificate(cert).fingerprint256;
}

/** Subject of a certificate in the order and form of API Gateway's `subjectDN`: `CN=…,O=…,C=BR`. */
export function subjectOf(cert: string): string {
  return new X509Certificate(cert).subject.split('\n').toReversed().join(',');
}

function keep(folder: string, name: string, make: () => { cert: string; key: string }): Certificate {
  const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  if (!existsSync(files.certFile)) {
    const { cert, key } = make();
    // Writes the certificate last, so that its key always exists beside it.
    replaceFile(files.keyFile, key);
    replaceFile(files.certFile, cert);
  }
  return { ...files, cert: readFileSync(files.certFile, 'utf8'), key: readFileSync(files.keyFile, 'utf8') };
}

/** Creates a certificate signed by the authority. Without one, creates a self-signed authority. */
function signed(
  commonName: string,
  draw: (size: number) => Buffer,
  authority?: { readonly cert: string; readonly key: string },
) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // Positive (RFC 5280, 4.1.2.2), and no zeros before it, which TLS refuses.
  certificate.serialNumber = `1${draw(16).toString('hex').slice(1)}`;
  const today = new Date();
  // Clocks differ a little, and a set clock may be in the past.
  certificate.validity.notBefore = new Date(Date.UTC(today.getUTCFullYear() - 1, 0));
  certificate.validity.notAfter = new Date(Date.UTC(today.getUTCFullYear() + validYears, 0));
  const subject = [
    { name: 'countryName', value: 'BR' },
    { name: 'organizationName', value: organization },
    { name: 'commonName', value: commonName },
  ];
  certificate.setSubject(subject);
  certificate.setIssuer(
    authority === undefined ? subject : forge.pki.certificateFromPem(authority.cert).subject.attributes,
  );
  certificate.setExtensions(authority === undefined ? authorityExtensions : leafExtensions);
  certificate.sign(forge.pki.privateKeyFromPem(authority?.key ?? privateKey), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: privateKey };
}

const authorityExtensions = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
];

/** Extensions of every other certificate: it names loopback, and serves both servers and clients. */
const leafExtensions = [
  { name: 'basicConstraints', cA: false },
  { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
  { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
  {
    name: 'subjectAltName',
    altNames: [
      { type: 2, value: 'localhost' },
      { type: 7, ip: '127.0.0.1' },
    ],
  },
];
