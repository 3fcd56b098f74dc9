import { execFile } from 'node:child_process';
import { LocalStartError } from '#infra/local/template/local-template.ts';

/** The oldest Java that runs the version in pom.xml (Amazon DynamoDB Developer Guide, "DynamoDB local"). */
const neededMajor = 17;
const remedy = `Install Java ${neededMajor} or later, so that "java -version" shows it (Debian: apt-get install openjdk-17-jre-headless).`;

/** For which DynamoDB Local finds an SQLite in the registry (`sqlite4java`, version 1.0.392, and pom.xml). */
const platforms = ['linux-x64', 'darwin-x64', 'darwin-arm64'];

/** @throws LocalStartError with the remedy where DynamoDB Local finds no SQLite. */
export function checkPlatform(platform = `${process.platform}-${process.arch}`): void {
  if (platforms.includes(platform)) return;
  throw new LocalStartError(
    `DynamoDB Local has no SQLite for ${platform} on Maven Central. Run an engine with streams yourself, for example Amazon's Docker image amazon/dynamodb-local, and set AWS_ENDPOINT_URL_DYNAMODB to its address.`,
  );
}

/** @throws LocalStartError with the remedy where there is no Java, or one that is too old. */
export async function checkJava(program = 'java'): Promise<void> {
  const major = majorOf(await versionText(program));
  if (major === undefined) throw new LocalStartError(`DynamoDB Local needs Java, and there is none. ${remedy}`);
  if (major < neededMajor) throw new LocalStartError(`Java ${major} is too old for DynamoDB Local. ${remedy}`);
}

/** What `java -version` says; on macOS a program of that name says where to find Java, and fails. */
function versionText(program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, ['-version'], (error, out, err) => {
      resolve(error === null ? `${out}${err}` : '');
    });
  });
}

/** `17` of `version "17.0.15"`; up to Java 8 it was the second number, as in `1.8.0_402`. */
function majorOf(text: string): number | undefined {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/u.exec(text) ?? [];
  if (first === undefined) return undefined;
  return Number(first === '1' && second !== undefined ? second : first);
}
