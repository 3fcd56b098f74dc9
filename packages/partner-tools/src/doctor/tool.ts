import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../api/http.ts';
import type { EnvironmentOptions } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { ProblemsFound } from '../failures.ts';
import { knowsEngines } from '../invocation.ts';
import { sandboxFile } from '../sandbox.ts';
import { dynamoDbLocalStamp, examine } from './examine.ts';
import type { Finding, Part } from './finding.ts';

/** Every npm script runs at the root of the project. */
const root = process.cwd();
const marks = { good: '✔', advice: '!', bad: '✘' } as const;
const last: Part = 'deliveries';

/** Formats a finding and its cure as one line. */
function describe({ part, verdict, found, cure }: Finding): string {
  return `${marks[verdict]} ${part.padEnd(last.length)}  ${found}${cure === undefined ? '' : ` → ${cure}`}`;
}

async function run(given: EnvironmentOptions): Promise<void> {
  const print = printFor(given);
  const findings: Finding[] = [];
  const patient = {
    nodeVersion: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    hasEngine: existsSync(join(root, 'node_modules/@dynoxide/linux-x64/dynoxide')),
    hasDynamoDbLocal: existsSync(join(root, dynamoDbLocalStamp)),
    ownEngine: process.env['AWS_ENDPOINT_URL_DYNAMODB'],
    file: sandboxFile(given.sandbox),
    company: given.company,
    isLocal: knowsEngines && given.sandbox === undefined,
    send,
    nowMs: Date.now,
  };
  for await (const finding of examine(patient)) {
    findings.push(finding);
    print(describe(finding), { kind: 'finding', ...finding });
  }
  const wrong = findings.filter(({ verdict }) => verdict === 'bad').length;
  const isWhole = findings.some(({ part }) => part === last);
  const open = isWhole ? '' : ' Solve this one first: the doctor did not examine the remaining parts.';
  const summary = { kind: 'result', wrong, examinedAll: isWhole };
  print(wrong === 0 ? '\nNo problem found.' : `\nProblems found: ${wrong}.${open}`, summary);
  if (wrong > 0) throw new ProblemsFound();
}

export const doctor = defineEnvironmentTool(
  'doctor',
  'Examines an environment and prints how to solve each problem: Node, engine, folder, port, clock, token, what the bank refuses, endpoints, the webhook secret where an endpoint is the local receiver, deliveries. Sends one test notification (WEBHOOK.TEST) to each active endpoint and changes nothing else.',
)
  .addHelpText('after', '\nExit code: 0 no problem, 1 a problem, 2 the command line is wrong.')
  .action(run);
