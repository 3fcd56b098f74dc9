import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { packKit } from '#infra/partner/kit/pack.ts';
import { needs } from '#test/support/environment.ts';
import { leaveOpen } from '#test/support/not-judged.ts';
import { signatureVectors } from '#infra/tools/signature-vectors.ts';
import { activeAccount, environment, first } from '#test/acceptance/partners.ts';
import { folder, letPay, root, run } from '#test/acceptance/sample-runs.ts';

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What an operation throws: for a refusal, and where nobody answers. */
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

/** The oldest Node that the kit promises to run on. */
const oldest = 'v20.';

/** This machine's own Node, not the one of the packages. */
function ownNode(): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'));
  const found = places.map((place) => join(place, 'node')).filter((file) => existsSync(file));
  return found.find((file) => execFileSync(file, ['--version'], { encoding: 'utf8' }).startsWith(oldest));
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

test(
  'the kit, installed into an empty folder, compiles strictly and runs the samples in TypeScript on Node 20',
  { timeout: 180_000 },
  async (context) => {
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
    const readme = readFileSync(join(root, 'infra/partner/kit/README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, block = '']) => block);
    for (const [at, block] of blocks.entries()) writeFileSync(join(project, `readme-${at}.ts`), block);
    writeFileSync(join(project, 'refused.ts'), refusedProgram);
    // Offline: the kit needs no other package.
    const installed = await run([
      'npm',
      'install',
      '--prefix',
      project,
      '--offline',
      '--no-audit',
      '--no-fund',
      tarball,
    ]);
    expect(installed.code, installed.err).toBe(0);
    const compiled = await run([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
    expect(compiled.out).toBe('');
    expect(compiled.code).toBe(0);
    const node = ownNode();
    if (node === undefined) {
      leaveOpen(context, 'Node 20', 'it is not on this machine');
      return;
    }
    await judgeVectors(node, project);
    await letPay([node, join(project, 'kit-sample.js')]);
    await letPay([node, join(project, 'sample.js')]);
    const settings = {
      ...{ BASE_URL: environment.baseUrl, TOKEN_URL: environment.tokenUrl, SCOPE: environment.scope },
      ...{ CLIENT_ID: first.clientId, CLIENT_SECRET: first.clientSecret, ACCOUNT_ID: activeAccount(first).id },
    };
    for (const at of blocks.keys()) {
      const told = await run([node, join(project, `readme-${at}.js`)], { env: settings });
      expect(told.code, told.err).toBe(0);
    }
    const refused = await run([node, join(project, 'refused.js')], { env: settings });
    expect(refused.out.trim().split('\n'), refused.err).toEqual(['400 INVALID_REQUEST amount.value', 'no answer']);
  },
);

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
