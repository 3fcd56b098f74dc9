import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDataFolder } from '#cdk-local/data-folder.ts';
import { startDynamoDbEngine } from '#cdk-local/engines/dynamodb-engine.ts';
import { checkJava, checkPlatform, checkSum } from '#cdk-local/engines/dynamodb-local/install.ts';

const folder = mkdtempSync(join(tmpdir(), 'dynamodb-local-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A program that says this when it is asked for its version. */
function javaSaying(text: string, code = 0): string {
  const file = join(folder, randomUUID());
  writeFileSync(file, `#!/bin/sh\necho '${text}' >&2\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('the Java that DynamoDB Local needs', () => {
  test.each(['openjdk version "17.0.15" 2025-04-15', 'openjdk version "25" 2025-09-16', 'java version "21.0.2"'])(
    'is accepted when it reports %s',
    async (text) => {
      await checkJava(javaSaying(text));
    },
  );

  test.each([
    ['there is none', join(folder, 'none'), 'needs Java, which is not installed'],
    [
      'it is the stand-in of macOS',
      javaSaying('Unable to locate a Java Runtime.', 1),
      'needs Java, which is not installed',
    ],
    ['it is 11', javaSaying('openjdk version "11.0.2" 2019-01-15'), 'Java 11 is too old'],
    ['it is 8, which counts in another way', javaSaying('java version "1.8.0_402"'), 'Java 8 is too old'],
  ])('is refused, with the remedy in one line, when %s', async (_what, program, found) => {
    const refused = checkJava(program);
    await expect(refused).rejects.toThrow(found);
    await expect(refused).rejects.toThrow(/^.*Install Java 17 or later.*$/u);
  });
});

test('the installation of DynamoDB Local is refused, with the remedy, when the platform has no SQLite', () => {
  checkPlatform('darwin-arm64');
  expect(() => {
    checkPlatform('linux-arm64');
  }).toThrow(/no SQLite for linux-arm64.*AWS_ENDPOINT_URL_DYNAMODB/u);
});

test('a download is refused by name when it is not the pinned file', () => {
  const empty =
    'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e';
  checkSum('nothing', Buffer.alloc(0), empty);
  expect(() => {
    checkSum('something.jar', Buffer.from('other'), empty);
  }).toThrow('something.jar does not have the pinned SHA-512');
});

test.each([
  ['embedded', 'dynamodb-local'],
  ['dynamodb-local', 'embedded'],
] as const)('the engine %s does not start beside the data of the engine %s', async (engine, other) => {
  const path = mkdtempSync(join(folder, 'mixed-'));
  const data = openDataFolder(path, { layout: 1 });
  mkdirSync(data.file(other === 'embedded' ? 'dynamodb.db' : other));
  await expect(startDynamoDbEngine(data, engine)).rejects.toThrow(`Start with --engine ${other}, or choose`);
  data.release();
});
