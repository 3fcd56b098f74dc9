import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkSum } from '@banking-order/cdk-local';
import { exitWith, root, run, runStep } from '#infra/releases/commands.ts';
import { bringPackages } from './emulators/npm-packages.ts';
import { pythonTool } from './emulators/python-tools.ts';
// Paths of Maven Central with their SHA-512: the generator, then the libraries.
import pinned from './generators.json' with { type: 'json' };

const folder = join(root, '.generators');

const fileOf = (path: string): string => join(folder, basename(path));

/** Downloads the generator and its Java client's libraries (pom.xml) once. @throws Error on another checksum. */
async function bringMavenFiles(): Promise<{ readonly generator: string; readonly libraries: readonly string[] }> {
  mkdirSync(folder, { recursive: true });
  for (const [path, sha512] of Object.entries(pinned)) {
    const file = fileOf(path);
    if (existsSync(file)) {
      checkSum(file, readFileSync(file), sha512);
      continue;
    }
    const url = `https://repo1.maven.org/maven2/${path}`;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`Cannot download ${url}: HTTP ${response.status}.`);
    const bytes = Buffer.from(await response.arrayBuffer());
    checkSum(url, bytes, sha512);
    writeFileSync(file, bytes);
  }
  const [generator = '', ...libraries] = Object.keys(pinned).map(fileOf);
  return { generator, libraries };
}

/**
 * `npm run tool -- tools/generators.ts`: lints the document, compiles the clients that openapi-generator (Python,
 * TypeScript, Java), openapi-typescript and hey-api generate from it, and runs journey 3 with each client. Exits with
 * the code of its tests.
 */
async function main(): Promise<number> {
  const files = await runStep('openapi-generator from Maven Central', bringMavenFiles);
  await runStep('linters and generators from npm', () => bringPackages(join(import.meta.dirname, 'clients'), folder));
  const python = await runStep('dependencies of the Python clients from PyPI', () => pythonTool('openapi-client'));
  return run(['vitest', 'run', '--project', 'generators'], {
    environment: { TEST_GENERATORS: JSON.stringify({ ...files, python, packages: folder }) },
  });
}

exitWith(main());
