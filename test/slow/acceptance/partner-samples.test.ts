import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '@banking-order/cdk-local';
import { checkReceiver } from '@banking-order/partner-tools';
import { signatureVectors } from '#tools/signature-vectors.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { needs } from '#test/support/environment.ts';
import { needsPrograms } from '#test/support/programs.ts';
import { folder, letPay, root, run } from '#test/acceptance/sample-runs.ts';

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
beforeEach((context) => {
  needs(context, 'beside-the-api', 'partners try the samples in the local environment');
});

type Sample = {
  /** As its first lines say. */
  readonly command: readonly string[];
  /** That this project does not bring. */
  readonly programs: readonly string[];
  /** Compiles it, for what follows. */
  readonly prepare?: readonly string[];
  /** Runs its receiver alone. */
  readonly receive?: readonly string[];
  /** Judges vectors by its functions; those of TypeScript have a unit test. */
  readonly judge?: readonly string[];
};

const typescript = [process.execPath, '-r', './tools/gate.cjs', 'docs/samples/typescript/sample.ts'];
const python = ['python3', 'docs/samples/python/sample.py'];

/** By the folder of docs/samples. */
const samples: Readonly<Record<string, Sample>> = {
  typescript: { command: typescript, programs: [], receive: [...typescript, 'receive'] },
  python: {
    command: python,
    programs: ['python3'],
    receive: [...python, 'receive'],
    judge: ['python3', 'test/acceptance/vectors/vectors.py'],
  },
  java: {
    command: ['java', 'docs/samples/java/Sample.java'],
    programs: ['java', 'javac'],
    prepare: ['javac', '-d', folder, 'docs/samples/java/Sample.java', 'test/acceptance/vectors/Vectors.java'],
    receive: ['java', '-cp', folder, 'Sample', 'receive'],
    judge: ['java', '-cp', folder, 'Vectors'],
  },
  curl: {
    command: ['docs/samples/curl/sample.sh'],
    programs: ['curl', 'openssl'],
    judge: ['test/acceptance/vectors/vectors.sh'],
  },
};

test('every folder of docs/samples is tried: these here, the kit’s in partner-kit.test.ts', () => {
  const folders = readdirSync(join(root, 'docs/samples'), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.map(({ name }) => name).toSorted()).toEqual([...Object.keys(samples), 'kit'].toSorted());
});

test.for(Object.entries(samples))(
  'the sample in %s pays and refunds once when responses are lost, and verifies its notifications',
  async ([, { command, programs }], context) => {
    needsPrograms(context, programs);
    await letPay(command);
  },
);

test.for(Object.entries(samples))(
  'the sample in %s finds the expected result of every signature vector, and its receiver passes every check',
  async ([, { programs, prepare, receive, judge }], context) => {
    needsPrograms(context, programs);
    if (prepare !== undefined) await succeed(prepare);
    if (judge !== undefined) await judgeVectors(judge);
    if (receive !== undefined) await takeExam(receive);
  },
);

async function succeed(command: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await run(command, input === undefined ? {} : { input });
  expect(err).toBe('');
  expect(code).toBe(0);
  return out;
}

/** In the order in which the judges of test/acceptance/vectors read them. */
const signatureFields = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-signature-sha256',
  'x-signature-sha256-previous',
];

async function judgeVectors(command: readonly string[]): Promise<void> {
  const { secret, vectors } = signatureVectors();
  const lines = vectors.map(({ receivedAt, headers, body }) => {
    const fields = signatureFields.map((name) => headers[name]);
    return [secret, receivedAt, ...fields, Buffer.from(body).toString('base64')].join('\t');
  });
  const judged = await succeed(command, `${lines.join('\n')}\n`);
  const verdicts = judged.toLowerCase().trim().split('\n');
  expect(vectors.map(({ name }, place) => [name, verdicts[place]])).toEqual(
    vectors.map(({ name, expected }) => [name, `${expected.bodySignature} ${expected.webhookSignature}`]),
  );
}

async function takeExam([program = '', ...args]: readonly string[]): Promise<void> {
  const { secret } = signatureVectors();
  const port = await freePort();
  const receiver = spawn(program, args, {
    cwd: root,
    env: { ...process.env, RECEIVER_PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(createInterface({ input: receiver.stdout }), 'line');
    const url = `http://127.0.0.1:${port}/notifications`;
    const done = await checkReceiver(url, { secret, at: systemClock() }, 10_000, () => undefined);
    expect(done.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
}
