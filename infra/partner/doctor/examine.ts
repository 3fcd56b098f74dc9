import { statSync } from 'node:fs';
import { connectPartner } from '../api/client.ts';
import type { Send } from '../api/http.ts';
import { ToolFailure } from '../command-line.ts';
import type { Company, Sandbox } from '../sandbox.ts';
import { companyOf, readSandbox } from '../sandbox.ts';
import { examineClock, examineCompanyClock, examinePort, examineToken, examineWebhookSecret } from './access.ts';
import type { Finding } from './finding.ts';
import { bad, good } from './finding.ts';
import { examineDeliveries, examineEndpoints } from './notifications.ts';

export type Patient = Machine & {
  /** The sandbox file. */
  readonly file: string;
  /** Id or name of the company to act for. */
  readonly company: string | undefined;
  /** Whether the environment runs on this machine, so that it needs an engine here. */
  readonly isLocal: boolean;
  readonly send: Send;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

/** Yields each finding at once; ends early when the rest needs what is broken. */
export async function* examine(patient: Patient): AsyncGenerator<Finding, void, void> {
  yield examineNode(patient);
  if (patient.isLocal) yield examineEngine(patient);
  const { finding: folder, known } = examineFolder(patient.file, patient.company);
  yield folder;
  if (known === undefined) return;
  const { sandbox, company } = known;
  const { finding: port, received } = await examinePort(sandbox, patient.send);
  yield port;
  if (received === undefined) return;
  yield examineClock(received, patient.nowMs());
  const partner = connectPartner(sandbox, company, patient.send);
  const token = await examineToken(sandbox, company, partner, patient.send);
  yield token;
  if (token.verdict !== 'good') return;
  const clock = await examineCompanyClock(partner);
  if (clock !== undefined) yield clock;
  yield* await examineEndpoints(partner);
  const secret = await examineWebhookSecret(sandbox, partner, patient.send);
  if (secret !== undefined) yield secret;
  yield* await examineDeliveries(partner);
}

/** The machine on which the doctor runs. */
type Machine = {
  readonly nodeVersion: string;
  readonly platform: string;
  /** Whether the embedded engine is installed. */
  readonly hasEngine: boolean;
  /** Whether DynamoDB Local was fetched: `npm start -- --engine dynamodb-local`. */
  readonly hasDynamoDbLocal: boolean;
  /** `AWS_ENDPOINT_URL_DYNAMODB`: an engine of the user's own. */
  readonly ownEngine: string | undefined;
};

/** This file of the repository shows that DynamoDB Local was fetched. */
export const dynamoDbLocalStamp = '.dynamodb-local/jars/.complete';
const supportedMajor = 24;
/** Mode bits that let other users read a file. */
const othersMayRead = 0o044;

function examineNode({ nodeVersion }: Machine): Finding {
  if (Number(nodeVersion.split('.')[0]) >= supportedMajor) return good('node', `Node ${nodeVersion}.`);
  const cure = `Run "npm ci" on Linux x64, which brings Node ${supportedMajor}, or install it.`;
  return bad('node', `Node ${nodeVersion} is too old.`, cure);
}

function examineEngine({ platform, hasEngine, hasDynamoDbLocal, ownEngine }: Machine): Finding {
  if (ownEngine !== undefined) return good('engine', `DynamoDB at ${ownEngine}.`);
  if (hasEngine) return good('engine', `The embedded DynamoDB engine for ${platform}.`);
  if (hasDynamoDbLocal) return good('engine', 'DynamoDB Local, for npm start -- --engine dynamodb-local.');
  const cure = 'On Linux x64 run "npm ci"; elsewhere run "npm start -- --engine dynamodb-local" (Java 17).';
  return bad('engine', `There is no DynamoDB engine for ${platform}.`, cure);
}

type Folder = { readonly finding: Finding; readonly known?: { readonly sandbox: Sandbox; readonly company: Company } };

/** The sandbox file, and the company to act for. */
function examineFolder(file: string, named: string | undefined): Folder {
  try {
    const sandbox = readSandbox(file);
    const company = companyOf(sandbox, named);
    const known = { sandbox, company };
    if ((statSync(file).mode & othersMayRead) === 0)
      return { finding: good('folder', `${file}, as ${company.name}.`), known };
    const found = `Others on this machine may read the secrets in ${file}.`;
    return { finding: bad('folder', found, `Run "chmod 600 ${file}".`), known };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { finding: bad('folder', error.message.replaceAll(/\s+/gu, ' '), error.next) };
  }
}
