import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkSum } from '#infra/local/engines/dynamodb-local/install.ts';
import { exitWith, root, run, runStep } from '../emulators/commands.ts';
import { pythonTool } from '../emulators/python-tools.ts';

const folder = join(root, '.generators');

/** Paths below Maven Central with the SHA-512 of each. */
const generatorFile = [
  'org/openapitools/openapi-generator-cli/7.17.0/openapi-generator-cli-7.17.0.jar',
  '86433852c6ad41fcb5c192fe9d03b6890322d4848bd94bb1c8d5d92fa9b94d3621c6a9a527836f8d792e525a00c840e71efc79f408fdf26745db865d4b40d96b',
] as const;

/** What the clients in Java compile with (their pom.xml), for the library `native`: the JDK's own HTTP. */
const libraryFiles = [
  [
    'com/fasterxml/jackson/core/jackson-core/2.19.2/jackson-core-2.19.2.jar',
    'd6d64ec09819bb901d59f34bf9c422e632fc8d094ff97fc53d695acbb0b81768f13e444061176e9e79ac1934e443ce9d1d5dce5104a662b64effa95ae5743032',
  ],
  [
    'com/fasterxml/jackson/core/jackson-annotations/2.19.2/jackson-annotations-2.19.2.jar',
    '809d23970fe4af6157cfdfd7a3f9b9ca3f80e790faadb3313db06155ca4fb61e34763a96194ce90d5aa25264dda1126428ac07837c99575eedf4273c27e449f3',
  ],
  [
    'com/fasterxml/jackson/core/jackson-databind/2.19.2/jackson-databind-2.19.2.jar',
    '0533fea9a35a2e7b9267a62a39252d3ac5cf8ab0ff30057242831a1e17c23225b935f7c2ed64de7585ea83e56c32e26bb6078d9834654e047f1ca7b0ee00dd72',
  ],
  [
    'com/fasterxml/jackson/datatype/jackson-datatype-jsr310/2.19.2/jackson-datatype-jsr310-2.19.2.jar',
    'd10cee2ae88fb770e29393ed9ed8d3d6a2cbb200cf65e8cb015d62a80767b560de0a13a325ef067c5d8c867fc077efc7d9bb977340cac3626e2f964a3a9c0e26',
  ],
  [
    'org/openapitools/jackson-databind-nullable/0.2.8/jackson-databind-nullable-0.2.8.jar',
    '6f70e5a28286f746dd34588d658b963a35d7ae2f0b306ed7694991e08c4ce3aec2807f9d31eeb853c211f50f45d93cbbf87a8bc623725eb1971a9e91c8855c36',
  ],
  [
    'com/google/code/findbugs/jsr305/3.0.2/jsr305-3.0.2.jar',
    'bb09db62919a50fa5b55906013be6ca4fc7acb2e87455fac5eaf9ede2e41ce8bbafc0e5a385a561264ea4cd71bbbd3ef5a45e02d63277a201d06a0ae1636f804',
  ],
  [
    'jakarta/annotation/jakarta.annotation-api/1.3.5/jakarta.annotation-api-1.3.5.jar',
    'd1acff146c0f9ea923a9325ad4c22ba2052ec474341ab8392abab7e8abd3ca010db2400ff9b5849fc4f1fa5c0a18830eb104da07a13bd26b4f0a43d167935878',
  ],
] as const;

const fileOf = (path: string): string => join(folder, basename(path));

/**
 * Brings the generator and what its clients in Java need from Maven Central, once: they stay in `.generators/`.
 *
 * @returns Paths of the generator and of those libraries.
 * @throws Error when they cannot be had, or are not those that were pinned.
 */
async function bringMavenFiles(): Promise<{
  readonly generator: string;
  readonly libraries: readonly string[];
}> {
  mkdirSync(folder, { recursive: true });
  for (const [path, sha512] of [generatorFile, ...libraryFiles]) {
    const file = fileOf(path);
    if (existsSync(file)) {
      checkSum(file, readFileSync(file), sha512);
      continue;
    }
    const url = `https://repo1.maven.org/maven2/${path}`;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
    const bytes = Buffer.from(await response.arrayBuffer());
    checkSum(url, bytes, sha512);
    writeFileSync(file, bytes);
  }
  return { generator: fileOf(generatorFile[0]), libraries: libraryFiles.map(([path]) => fileOf(path)) };
}

/**
 * `npm run test:generators`: what openapi-generator makes of the document in Python, TypeScript and Java, compiled and
 * called against a local environment. Exits with the code of its tests.
 */
async function main(): Promise<number> {
  const files = await runStep('openapi-generator from Maven Central', bringMavenFiles);
  const python = await runStep('what its clients in Python need, from PyPI', () => pythonTool('openapi-client'));
  return run(['vitest', 'run', '--project', 'generators'], {
    environment: { TEST_GENERATORS: JSON.stringify({ ...files, python }) },
  });
}

exitWith(main());
