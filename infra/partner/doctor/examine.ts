import { connectPartner } from '../api/client.ts';
import type { Send } from '../api/http.ts';
import type { Finding } from './finding.ts';
import type { Machine } from './machine.ts';
import { examineEngine, examineFolder, examineNode } from './machine.ts';
import { examineDeliveries, examineEndpoints } from './notifications.ts';
import { examineClock, examineCompanyClock, examinePort, examineToken } from './way-in.ts';
import { examineWebhookSecret } from './webhook-secret.ts';

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

/**
 * Findings one after the other, each as soon as it is made. Ends early where the rest needs what is broken.
 */
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
