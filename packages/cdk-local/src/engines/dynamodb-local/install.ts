import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalStartError } from '#cdk-local/template/local-template.ts';

/** The command line of Amazon's DynamoDB Local on a port of 127.0.0.1. @param folder Its data; else in memory. */
export function dynamoDbLocalCommand(port: number, folder?: string): readonly [string, ...string[]] {
  return [
    'java',
    `-Dport=${port}`,
    `-DinMemory=${folder === undefined}`,
    ...(folder === undefined ? [] : [`-DdbPath=${folder}`]),
    `-Djava.library.path=${jars}`,
    '-cp',
    join(jars, '*'),
    'org.eclipse.jetty.xml.XmlConfiguration',
    join(import.meta.dirname, 'server.xml'),
  ];
}

/** Cache folder in the project that runs DynamoDB Local. It is git-ignored. */
export const cache = join(process.cwd(), '.dynamodb-local');
export const jars = join(cache, 'jars');
const stamp = join(jars, '.complete');
const pom = join(import.meta.dirname, 'pom.xml');
const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies';

/** The project's own Maven, the same on every machine: Debian's 3.8 reads these dependencies four times slower. */
const maven = {
  version: '3.9.16',
  sha512:
    '831a8591fe20c8243b1dbe7d71e3244f31d1665b0804b2e825e38cbbe5ce0cafb8338851f90780735568773e0a6cd07bbec107cda0b896b008b861075358b6f6',
};

/** Amazon's own jar of the version in pom.xml. Maven checks its dependencies against the checksums of the registry. */
const engine = {
  file: 'DynamoDBLocal-2.6.1.jar',
  sha512:
    '812933b8fc7cf3004cef9bba529b3ae3117dbbf817ec6d07d35dcdaf9c7c12f35ffbec94fec60f0fe9ca30ce2294f168fac630f57beaeba522a85a9ef8842a36',
};

/**
 * Downloads DynamoDB Local from Maven Central, once: its jars stay in `.dynamodb-local/` until pom.xml changes.
 *
 * @param report Takes one line before a download begins.
 * @throws LocalStartError without Java 17, without the jars, or for jars other than the pinned ones.
 */
export async function installDynamoDbLocal(report: (line: string) => void = () => undefined): Promise<void> {
  checkPlatform();
  await checkJava();
  if (isInstalled()) return;
  report('Downloading DynamoDB Local from Maven Central. This happens once and takes one to three minutes.');
  rmSync(jars, { recursive: true, force: true });
  mkdirSync(jars, { recursive: true });
  await runOrExplain(await downloadMaven(), [
    '--batch-mode',
    '--quiet',
    '--strict-checksums',
    '--file',
    pom,
    copy,
    `-DoutputDirectory=${jars}`,
    '-DincludeScope=runtime',
    // There are hundreds of small files: Maven downloads 16 concurrently.
    '-Daether.dependencyCollector.impl=bf',
    '-Dmaven.artifact.threads=16',
  ]);
  checkSum(engine.file, readFileSync(join(jars, engine.file)), engine.sha512);
  writeFileSync(stamp, wantedStamp());
}

const wantedStamp = (): string => createHash('sha256').update(readFileSync(pom)).digest('hex');

/** Returns whether the jars that pom.xml names are installed. */
export const isInstalled = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === wantedStamp();

async function downloadMaven(): Promise<string> {
  const { version, sha512 } = maven;
  const program = join(cache, `apache-maven-${version}/bin/mvn`);
  if (existsSync(program)) return program;
  const name = `apache-maven-${version}-bin.tar.gz`;
  const url = `https://repo1.maven.org/maven2/org/apache/maven/apache-maven/${version}/${name}`;
  const response = await fetch(url).catch((error: unknown) => {
    throw new LocalStartError(`Cannot download ${url}: ${String(error)}.`, { cause: error });
  });
  if (!response.ok) throw new LocalStartError(`Cannot download ${url}: status ${response.status}.`);
  const archive = Buffer.from(await response.arrayBuffer());
  checkSum(url, archive, sha512);
  writeFileSync(join(cache, name), archive);
  await runOrExplain('tar', ['--extract', '--gzip', '--file', join(cache, name), '--directory', cache]);
  rmSync(join(cache, name));
  return program;
}

/** Checks the bytes of a file. @throws LocalStartError when they do not have the pinned SHA-512. */
export function checkSum(name: string, bytes: Uint8Array, sha512: string): void {
  const found = createHash('sha512').update(bytes).digest('hex');
  if (found !== sha512) throw new LocalStartError(`${name} does not have the pinned SHA-512. It has ${found}.`);
}

async function runOrExplain(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new LocalStartError(`${program} failed:\n${stdout}${stderr || String(error)}`, { cause: error });
  });
}

/** The oldest Java that runs the version in pom.xml (Amazon DynamoDB Developer Guide, "DynamoDB local"). */
const neededMajor = 17;
const remedy = `Install Java ${neededMajor} or later, so that "java -version" shows it (Debian: apt-get install openjdk-17-jre-headless).`;

/** Platforms with an SQLite for DynamoDB Local in the registry (`sqlite4java`, version 1.0.392, and pom.xml). */
const platforms = ['linux-x64', 'darwin-x64', 'darwin-arm64'];

/** Checks the platform. @throws LocalStartError with the remedy if DynamoDB Local has no SQLite for it. */
export function checkPlatform(platform = `${process.platform}-${process.arch}`): void {
  if (platforms.includes(platform)) return;
  throw new LocalStartError(
    `DynamoDB Local has no SQLite for ${platform} on Maven Central. Run your own engine with streams, for example Amazon's Docker image amazon/dynamodb-local, and set AWS_ENDPOINT_URL_DYNAMODB to its address.`,
  );
}

/** Checks the Java version. @throws LocalStartError with the remedy if Java is missing or too old. */
export async function checkJava(program = 'java'): Promise<void> {
  const major = majorOf(await versionText(program));
  if (major === undefined) throw new LocalStartError(`DynamoDB Local needs Java, which is not installed. ${remedy}`);
  if (major < neededMajor) throw new LocalStartError(`Java ${major} is too old for DynamoDB Local. ${remedy}`);
}

/**
 * Returns the output of `java -version`; an empty text if the command fails. On macOS without Java a stub of that name
 * fails.
 */
function versionText(program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, ['-version'], (error, out, err) => {
      resolve(error === null ? `${out}${err}` : '');
    });
  });
}

/** Returns the major version: `17` of `version "17.0.15"`; up to Java 8 the second number, as in `1.8.0_402`. */
function majorOf(text: string): number | undefined {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/u.exec(text) ?? [];
  if (first === undefined) return undefined;
  return Number(first === '1' && second !== undefined ? second : first);
}
