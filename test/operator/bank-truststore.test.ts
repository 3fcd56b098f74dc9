import { GetDomainNameCommand, UpdateDomainNameCommand } from '@aws-sdk/client-api-gateway';
import type { PutObjectCommand } from '@aws-sdk/client-s3';
import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openAuthority } from '@banking-order/fake-bank';
import { authoritiesOf } from '#infra/operator/bank-truststore.ts';
import { runCommandLine } from '#infra/operator/main.ts';
import type { Buckets } from '#infra/operator/target.ts';
import { connectTarget } from '#infra/operator/target.ts';
import type { PlanGateway } from '#infra/operator/usage-plan.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { testOperator } from './terminal.ts';

let folder: string;
/** Two authorities, and what the first one signed. */
let one: string;
let two: string;
let leaf: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'truststore-'));
  const authority = openAuthority(join(folder, 'one'));
  one = authority.certificate.certFile;
  leaf = authority.issue('leaf', 'a.example').certFile;
  two = openAuthority(join(folder, 'two')).certificate.certFile;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A versioned bucket, and the domain that reads it. */
function openAws() {
  const versions: string[] = [];
  const domain = { version: '0', warnings: [] as string[] };
  const eTag = () => `"${versions.length}"`;
  const s3 = async (command: unknown): Promise<unknown> => {
    await Promise.resolve();
    if (command instanceof GetObjectCommand) {
      const text = versions.at(-1);
      if (text === undefined) throw new NoSuchKey({ message: 'none', $metadata: {} });
      return {
        ETag: eTag(),
        VersionId: `v${versions.length}`,
        Body: { transformToString: () => Promise.resolve(text) },
      };
    }
    const { input } = command as PutObjectCommand;
    const isExpected = versions.length === 0 ? input.IfNoneMatch === '*' : input.IfMatch === eTag();
    if (!isExpected) throw Object.assign(new Error('At least one condition failed.'), { name: 'PreconditionFailed' });
    versions.push(input.Body as string);
    return { VersionId: `v${versions.length}` };
  };
  const gateway = async (command: unknown): Promise<unknown> => {
    await Promise.resolve();
    if (command instanceof UpdateDomainNameCommand) {
      expect(command.input.patchOperations?.[0]?.path).toBe('/mutualTlsAuthentication/truststoreVersion');
      domain.version = command.input.patchOperations?.[0]?.value ?? '';
      return { domainNameStatus: 'UPDATING' };
    }
    expect(command).toBeInstanceOf(GetDomainNameCommand);
    return { mutualTlsAuthentication: { truststoreWarnings: domain.warnings } };
  };
  const buckets = () => ({ send: s3 as Buckets['send'] });
  const plans = () => ({ send: gateway as PlanGateway['send'] });
  const operator = { ...testOperator('aws'), buckets, plans };
  const run = async (chains: string, ...more: string[]) => {
    let out = '';
    let err = '';
    const args = ['bank:truststore', '--truststore', 's3://authorities/truststore.pem', '--chains', chains, ...more];
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    const code = await runCommandLine(args, () => operator, terminal);
    return { code, out, err };
  };
  return { versions, domain, run };
}
let aws: ReturnType<typeof openAws>;
beforeEach(() => {
  aws = openAws();
});

test('the command shows the changes, writes them with --yes only, and prints how to set the new version on the domain', async () => {
  const shown = await aws.run(one);
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toMatch(/ADDED +20\d\d-.*CN=Banco Local CA,O=Banco Local,C=BR[\s\S]*Nothing was written/u);
  expect(aws.versions).toEqual([]);
  expect((await aws.run(one, '--yes')).out).toContain(
    'aws apigateway update-domain-name --domain-name HOST --patch-operations op=replace,path=/mutualTlsAuthentication/truststoreVersion,value=v1',
  );
  expect(aws.versions).toEqual([new X509Certificate(readFileSync(one)).toString()]);
  expect((await aws.run(one, '--yes')).out).toMatch(/KEPT[\s\S]*already has these certificates/u);
  expect(aws.versions).toHaveLength(1);
});

test('an authority is replaced without a gap: first both are in the bundle, then the new one alone', async () => {
  await aws.run(one, '--yes');
  expect((await aws.run(`${one}, ${two},${one}`, '--yes')).out.match(/KEPT|ADDED|REMOVED/gu)).toEqual([
    'KEPT',
    'ADDED',
  ]);
  expect((await aws.run(two, '--yes')).out.match(/KEPT|ADDED|REMOVED/gu)).toEqual(['KEPT', 'REMOVED']);
  expect(aws.versions.map((text) => text.match(/BEGIN/gu)?.length)).toEqual([1, 2, 1]);
});

test('the command sets the new version on the domain, and prints the warnings of API Gateway', async () => {
  aws.domain.warnings.push('Certificate 2 is expired');
  const { code, out } = await aws.run(one, '--domain', 'callbacks.example.com', '--yes');
  expect(code).toBe(0);
  expect(aws.domain.version).toBe('v1');
  expect(out).toMatch(/version +v1[\s\S]*status +UPDATING[\s\S]*Certificate 2 is expired/u);
});

test('a domain takes the current version, and no new one is written, when it does not read it yet', async () => {
  await aws.run(one, '--yes');
  expect((await aws.run(one, '--domain', 'callbacks.example.com')).out).toContain('Nothing was written');
  expect(aws.domain.version).toBe('0');
  expect((await aws.run(one, '--domain', 'callbacks.example.com', '--yes')).out).toMatch(/version +v1/u);
  expect([aws.domain.version, aws.versions.length]).toEqual(['v1', 1]);
});

test('an input is refused, and no version written, when it is no bundle of authorities', async () => {
  await aws.run(one, '--yes');
  const text = new X509Certificate(readFileSync(one)).toString();
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const broken = text.replace(/\n[A-Za-z0-9+/]{64}\n/u, '\n');
  for (const [chains, why] of [
    [write('empty', ''), /has no certificate/u],
    [write('cut', `${text}\n${text.slice(0, 200)}`), /is truncated/u],
    [write('key', `${text}\n${privateKey}`), /more than certificates/u],
    [write('broken', broken), /no readable certificate/u],
    [leaf, /is not the certificate of an authority/u],
    [join(folder, 'none'), /neither a readable file/u],
    [`${one},`, /neither a readable file/u],
    ['https://127.0.0.1:1/chain.crt', /no response/u],
  ] as const) {
    const refused = await aws.run(chains, '--yes');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(why);
    expect(refused.err).not.toContain(privateKey.slice(40, 80));
  }
  expect(aws.versions).toHaveLength(1);
});

test('a broken bundle from another writer is replaced', async () => {
  aws.versions.push('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  expect(await aws.run(one, '--yes')).toMatchObject({ code: 0 });
  expect(aws.versions.at(-1)).toBe(new X509Certificate(readFileSync(one)).toString());
});

test('an authority is refused when it has expired', async () => {
  const operator = {
    ...testOperator('aws'),
    now: () => '2999-01-01T00:00:00.000Z' as const,
    buckets: () => ({ send: vi.fn() }),
  };
  let err = '';
  const terminal = { out: () => undefined, err: (text: string) => (err += text) };
  const args = ['bank:truststore', '--truststore', 's3://authorities/t.pem', '--chains', one, '--yes'];
  expect(await runCommandLine(args, () => operator, terminal)).toBe(2);
  expect(err).toMatch(/CN=Banco Local CA.* expired on 20/u);
});

test('a chain is read from the bank’s https address, and no redirect is followed', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const server = createServer({ cert: certificate, key: privateKey }, ({ url }, response) => {
    if (url === '/moved') response.writeHead(302, { location: '/chain.crt' }).end();
    else response.writeHead(url === '/chain.crt' ? 200 : 404).end(readFileSync(one));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await aws.run(`${at}/chain.crt`, '--yes')).toMatchObject({ code: 0 });
  expect((await aws.run(`${at}/moved`, '--yes')).err).toMatch(/no response/u);
  expect((await aws.run(`${at}/none`, '--yes')).err).toMatch(/404/u);
  expect(aws.versions).toHaveLength(1);
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
});

test('a bundle is not overwritten when another run changed it', async () => {
  await aws.run(one, '--yes');
  // Between the reading and the writing of the first: the second is a turn shorter.
  const [first, second] = await Promise.all([aws.run(two, '--yes'), aws.run(`${one},${two}`, '--yes')]);
  expect([first.code, second.code].toSorted()).toEqual([0, 1]);
  expect(aws.versions).toHaveLength(2);
});

test('a local environment has no truststore bucket', () => {
  writeFileSync(
    join(folder, 'endpoints.json'),
    JSON.stringify({ dynamodb: 'http://127.0.0.1:1', tableName: 'orders' }),
  );
  expect(() => connectTarget({ localDir: folder }, {}).buckets()).toThrow(/--table/u);
});

test('an authority is refused when its validity begins on a later day', () => {
  const text = readFileSync(one, 'utf8');
  const begin = new X509Certificate(text).validFromDate.toISOString();
  const before = (seconds: number) => () => authoritiesOf(text, '--chains', plusSeconds(begin, -seconds));
  for (const seconds of [2 * 86_400, 86_400])
    expect(before(seconds)).toThrow(/CN=Banco Local CA.* is not valid before 20/u);
  for (const seconds of [0, -3600]) expect(before(seconds)()).toHaveLength(1);
});
