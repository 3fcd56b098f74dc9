import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { openAuthority } from '#fake-bank/certificates.ts';

test.each([0x00, 0x7f, 0x80, 0xff])('a serial number of bytes %i is one that TLS takes', (byte) => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const { cert, key } = openAuthority(folder, (size) => Buffer.alloc(size, byte)).certificate;
  expect(new X509Certificate(cert).serialNumber).toMatch(/^[1-7][0-9A-F]{31}$/u);
  expect(() => createSecureContext({ cert, key, ca: cert })).not.toThrow();
  rmSync(folder, { recursive: true });
});
