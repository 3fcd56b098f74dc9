import { build } from 'esbuild';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect } from 'vitest';
import * as z from 'zod';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { activeAccount, environment, first } from '../acceptance/partners.ts';
import { root, run } from '../acceptance/sample-runs.ts';

/** What `npm run tool -- tools/generators.ts` brought: `packages` is the folder of npm's packages. */
export const brought = z
  .object({ generator: z.string(), libraries: z.array(z.string()), python: z.string(), packages: z.string() })
  .parse(JSON.parse(process.env['TEST_GENERATORS'] ?? ''));

export const document = join(root, 'docs/openapi.json');

/** A new folder from which the packages are found. */
export function newFolder(): string {
  return mkdtempSync(join(brought.packages, 'clients-'));
}

/** What a command says. It must not fail. */
export async function output(...command: readonly string[]): Promise<string> {
  const { code, out, err } = await run(command);
  expect(code, out + err).toBe(0);
  return out.trim();
}

/** The path of a program of the packages. */
export function program(name: string): string {
  return join(brought.packages, 'node_modules/.bin', name);
}

/** Compiles a program that uses a client, as strictly as partners do, and bundles it. @returns Its file. */
export async function compile(client: string, text: string): Promise<string> {
  const main = join(client, 'main.ts');
  writeFileSync(main, text);
  const compiled = ts.createProgram([main], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const faults = ts.getPreEmitDiagnostics(compiled);
  expect(faults.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`)).toEqual([]);
  const outfile = join(client, 'main.mjs');
  await build({ entryPoints: [main], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  return outfile;
}

/** The arguments of a program that runs journey 3: the environment, a token, an account, a receiver. */
export async function journeyArguments(receiver: string): Promise<readonly string[]> {
  return [environment.baseUrl, await first.token(), activeAccount(first).id, receiver];
}

/** Judges what such a program tells: id of the subscription, statuses, last change. */
export async function judgeJourney(printed: string): Promise<void> {
  const [id = '', ...rest] = printed.split(' ');
  const { status, body } = await first.call(GetSubscription, { params: { id } });
  expect(status).toBe(200);
  const statuses = ['PENDING_AUTHORIZATION', 'PENDING', 'PAID', 'PENDING', 'REFUNDED', 'ACCEPTED'];
  expect(rest).toEqual([...statuses, String(Date.parse(body.updatedAt ?? ''))]);
}
