import { createClient } from '@hey-api/openapi-ts';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { ToolFailure } from '../command-line.ts';
import { entry } from './entry.ts';

const root = join(import.meta.dirname, '../../..');
const openapiFile = join(root, 'docs/openapi.json');
const verifier = join(root, 'docs/samples/typescript/verify.ts');
const parts = join(import.meta.dirname, 'parts');

/**
 * Packs the kit: a client generated from the OpenAPI document, with a token cache, repetition, and the verification of
 * notifications. The same document gives the same bytes.
 *
 * @param destination Folder of the tarball.
 * @param version Of the kit: that of the service.
 * @returns The tarball's path.
 */
export async function packKit(destination: string, version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-kit-'));
  try {
    const source = join(folder, 'source');
    const out = join(folder, 'package');
    await createClient({
      input: openapiFile,
      output: { path: join(source, 'generated'), module: { extension: '.js' }, tsConfigPath: null },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent' },
    });
    cpSync(parts, source, { recursive: true });
    cpSync(verifier, join(source, 'verify.ts'));
    writeFileSync(join(source, 'index.ts'), entry);
    mkdirSync(out);
    // Beside the sources too: it tells the compiler that they are modules.
    for (const place of [source, out])
      writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifestOf(version), null, 2)}\n`);
    compile(join(source, 'index.ts'), out);
    cpSync(join(import.meta.dirname, 'README.md'), join(out, 'README.md'));
    mkdirSync(destination, { recursive: true });
    // npm gives every file of a tarball the same old date.
    const args = ['pack', out, '--pack-destination', destination, '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    return join(destination, filename);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws ToolFailure with the compiler's words. */
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
  const faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (faults.length === 0) return;
  const host = {
    getCanonicalFileName: (name: string) => name,
    getCurrentDirectory: () => outDir,
    getNewLine: () => '\n',
  };
  throw new ToolFailure(
    `The generated client does not compile:\n${ts.formatDiagnostics(faults, host)}`,
    'Is docs/openapi.json what the contracts say? npm run openapi writes it.',
  );
}

function manifestOf(version: string) {
  return {
    name: 'banking-order-service-kit',
    version,
    description: 'Typed client of the Banking Order Service, and the verification of its notifications.',
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  };
}
