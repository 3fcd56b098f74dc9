import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import ts from 'typescript';
import * as z from 'zod';
import { ToolFailure } from '@banking-order/partner-tools';
import { bundleCommand } from './bundle.ts';

/** Every npm script runs at the root of the project. */
const root = process.cwd();
const sdk = join(root, 'packages/partner-tools/src/sdk');
const openapiFile = join(root, 'docs/openapi.json');
const verifier = join(root, 'docs/samples/typescript/verify.ts');

/** The kit's module; a text, because the generated client that it imports exists only while a kit is packed. */
const entry = `import { configure, type Connection } from './connection.js';
import { errorOf } from './errors.js';
import { createClient } from './generated/client/index.js';
import { BankingOrders } from './generated/sdk.gen.js';
import type { Webhooks } from './generated/types.gen.js';
import { verify, type Verdict } from './verify.js';

export * from './generated/types.gen.js';
export { simulating, type Simulated } from './connection.js';
export { BankingOrderError, type FieldError } from './errors.js';
export { signNotification } from './notifications.js';
export { each } from './paging.js';
export { verify, verifyBody, type Verdict } from './verify.js';
export type { BankingOrders, Connection };

/**
 * Every notification that the service POSTs to you. \`event\` names its type. A later version of the service may send
 * other events: respond to them as to all, and do nothing else.
 */
export type Notification = Webhooks['body'];

/**
 * The service, with a method for each operation. It keeps a token, and repeats requests after 429, 503, 504 or a broken
 * connection with the same idempotency key. A method returns the body of the response, or throws a BankingOrderError.
 */
export function connect(connection: Connection): BankingOrders {
  const client = createClient({ ...configure(connection), throwOnError: true });
  client.interceptors.error.use(errorOf);
  return new BankingOrders({ client });
}

export type Reading =
  | { readonly genuine: true; readonly id: string; readonly notification: Notification }
  | Extract<Verdict, { genuine: false }>;

/**
 * Verifies a notification and parses it. Store the \`id\`: a notification with the same \`id\` is a repetition.
 *
 * @param rawBody The received bytes, unchanged.
 */
export function readNotification(rawBody: Uint8Array | string, ...rest: Tail<Parameters<typeof verify>>): Reading {
  const verdict = verify(rawBody, ...rest);
  if (!verdict.genuine) return verdict;
  const text = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString('utf8');
  return { ...verdict, notification: JSON.parse(text) as Notification };
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;
`;

/** One class with a method for each operation, which returns the body of the response or throws. */
const plugins = [
  { name: '@hey-api/client-fetch', throwOnError: true },
  '@hey-api/typescript',
  {
    name: '@hey-api/sdk',
    responseStyle: 'data',
    operations: { strategy: 'single', containerName: 'BankingOrders', methods: 'instance' },
  },
] as const;

/**
 * Packs the kit: a client generated from the OpenAPI document, a token cache, retries and the verification of
 * notifications. The same document gives the same bytes.
 * @returns The tarball's path.
 */
export async function packKit(destination: string, version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-kit-'));
  try {
    const source = join(folder, 'source');
    const out = join(folder, 'package');
    await createClient({
      input: withKnownEvents(readFileSync(openapiFile, 'utf8')),
      output: { path: join(source, 'generated'), module: { extension: '.js' }, tsConfigPath: null },
      plugins,
      logs: { level: 'silent' },
    });
    for (const file of ['connection.ts', 'errors.ts', 'notifications.ts', 'paging.ts'])
      cpSync(join(sdk, file), join(source, file));
    cpSync(verifier, join(source, 'verify.ts'));
    writeFileSync(join(source, 'index.ts'), entry);
    mkdirSync(out);
    // The one beside the sources tells the compiler that they are ES modules.
    for (const place of [source, out])
      writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifestOf(version), null, 2)}\n`);
    compile(join(source, 'index.ts'), out);
    await bundleCommand(join(out, 'command'));
    cpSync(join(import.meta.dirname, 'README.md'), join(out, 'README.md'));
    mkdirSync(destination, { recursive: true });
    // npm gives every file of a tarball the same fixed date, so that the bytes do not depend on the time.
    const args = ['pack', out, '--pack-destination', destination, '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    return join(destination, filename);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The document, in which each notification has exactly today's events: by its event the compiler knows its fields. */
function withKnownEvents(text: string): Record<string, unknown> {
  const close = (name: string, value: unknown): unknown => {
    const values =
      name === 'event' ? z.object({ 'x-extensible-enum': z.array(z.string()) }).safeParse(value).data : undefined;
    return values === undefined ? value : { type: 'string', enum: values['x-extensible-enum'] };
  };
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text, close));
}

/** @throws ToolFailure with the messages of the compiler. */
function compile(file: string, outDir: string): void {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    noEmitOnError: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    outDir,
  });
  const { diagnostics } = program.emit();
  const failures = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (failures.length === 0) return;
  throw new ToolFailure(
    `The generated client does not compile:\n${ts.formatDiagnostics(failures, ts.createCompilerHost({}))}`,
    'Check that docs/openapi.json matches the contracts: npm run openapi writes it.',
  );
}

function manifestOf(version: string) {
  return {
    name: 'banking-order-service-kit',
    version,
    description: 'Typed client and command line of the Banking Order Service.',
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: '>=20' },
    bin: { 'banking-order': 'command/bin.cjs' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  };
}
