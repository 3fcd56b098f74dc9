import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../local/engines/free-port.ts';
import { startInBackground, type BackgroundProcess } from './background-process.ts';
import { exists, ROOT, runOrThrow } from './commands.ts';

const CACHE = join(ROOT, '.dynamodb-local');
const JARS = join(CACHE, 'jars');
const POM = join(import.meta.dirname, 'dynamodb-local/pom.xml');
const SERVER = join(import.meta.dirname, 'dynamodb-local/server.xml');
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies';

/** The project's own Maven, the same on every machine: Debian's 3.8 reads these dependencies four times slower. */
const MAVEN = {
  version: '3.9.16',
  sha512:
    '831a8591fe20c8243b1dbe7d71e3244f31d1665b0804b2e825e38cbbe5ce0cafb8338851f90780735568773e0a6cd07bbec107cda0b896b008b861075358b6f6',
};

/**
 * Amazon's DynamoDB Local on a free port of 127.0.0.1, in memory. The jars come from Maven Central once and stay in
 * `.dynamodb-local/`, until pom.xml changes.
 *
 * @throws Error when there is no Java, the jars cannot be had, or the server does not start.
 */
export async function startDynamoDbLocal(): Promise<BackgroundProcess & { readonly endpoint: string }> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { stop } = await startInBackground({
    command: [
      'java',
      `-Dport=${port}`,
      `-Djava.library.path=${JARS}`,
      ...['-cp', join(JARS, '*'), 'org.eclipse.jetty.xml.XmlConfiguration', SERVER],
    ],
    log: join(CACHE, 'server.log'),
    // Any answer will do: without a signature it is a 400.
    isReady: async () => (await fetch(endpoint)).status > 0,
    readyWithinSeconds: 30,
  });
  return { endpoint, stop };
}

/** @throws Error when there is no Java, or Maven Central cannot be reached. */
export async function installDynamoDbLocal(): Promise<void> {
  if (!(await exists('java'))) {
    throw new Error('DynamoDB Local needs Java 17 (Debian: apt-get install openjdk-17-jre-headless).');
  }
  const stamp = join(JARS, '.complete');
  const wanted = createHash('sha256').update(readFileSync(POM)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(JARS, { recursive: true, force: true });
  mkdirSync(JARS, { recursive: true });
  const maven = await downloadMaven();
  await runOrThrow([
    ...([maven, '--batch-mode', '--quiet', '--file', POM, COPY] as const),
    ...[`-DoutputDirectory=${JARS}`, '-DincludeScope=runtime'],
    // Hundreds of small files: many at once.
    ...['-Daether.dependencyCollector.impl=bf', '-Dmaven.artifact.threads=16'],
  ]);
  writeFileSync(stamp, wanted);
}

async function downloadMaven(): Promise<string> {
  const { version, sha512 } = MAVEN;
  const program = join(CACHE, `apache-maven-${version}/bin/mvn`);
  if (existsSync(program)) return program;
  const name = `apache-maven-${version}-bin.tar.gz`;
  const url = `https://repo1.maven.org/maven2/org/apache/maven/apache-maven/${version}/${name}`;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const archive = Buffer.from(await response.arrayBuffer());
  const found = createHash('sha512').update(archive).digest('hex');
  if (found !== sha512) throw new Error(`${url} is not the file it was: SHA-512 ${found}.`);
  writeFileSync(join(CACHE, name), archive);
  await runOrThrow(['tar', '--extract', '--gzip', '--file', join(CACHE, name), '--directory', CACHE]);
  rmSync(join(CACHE, name));
  return program;
}
