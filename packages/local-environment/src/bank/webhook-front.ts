import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import type { InvokeOutcome } from '@banking-order/cdk-local';
import type { BankEventMessage } from '#shared/bank-events/messages.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import type { Front } from './connecting.ts';

type Invoke = (event: object) => Promise<InvokeOutcome>;

const Sent = z
  .object({ request_control_key: z.string() })
  .transform(({ request_control_key: key }): BankEvent => ({ kind: 'PAYOUT', idEnvio: key.replaceAll('-', '') }));
/** A part of a sent Pix that came back is shown with that Pix, in the lists. */
const Received = z
  .object({ end_to_end_id: z.string(), pix_transfer_type: z.enum(['key', 'manual']) })
  .transform(({ end_to_end_id: endToEndId }): BankEvent => ({ kind: 'PIX', endToEndId }));

/** The payments that webhooks name, by their type (QI Tech, “Webhooks”). */
const events: Readonly<Record<string, z.ZodType<BankEvent>>> = {
  'baas.pix_transfer.outgoing_pix': Sent,
  'baas.ted.outgoing_ted': Sent,
  'baas.pix_transfer.incoming_pix': Received,
};

const Webhook = z.object({ webhook_type: z.string(), data: z.unknown() });
const Applied = z.object({ batchItemFailures: z.array(z.unknown()) });

/**
 * Serves the address of webhooks of the fake bank QI Tech, which the service itself does not take: it polls that bank.
 * Here each payment that a webhook names is read at the bank at once. The path names the company and its connection.
 *
 * @param invoke The function `apply-callbacks`.
 */
export async function serveWebhooks(invoke: Invoke): Promise<Front> {
  const server = createServer((message, response) => {
    void applied(message, invoke).then((status) => response.writeHead(status).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** @returns The status of the response. After 500 the bank sends the webhook again. */
async function applied(message: IncomingMessage, invoke: Invoke): Promise<200 | 400 | 500> {
  const [, companyId = '', connectionId = ''] = (message.url ?? '').split('/');
  const webhook = Webhook.safeParse(parsed(Buffer.concat((await message.toArray()) as Buffer[]).toString())).data;
  if (webhook === undefined) return 400;
  const event = events[webhook.webhook_type]?.safeParse(webhook.data).data;
  if (event === undefined) return 200;
  const body: BankEventMessage = { companyId, connectionId, events: event };
  const outcome = await invoke({
    Records: [
      {
        messageId: randomUUID(),
        body: JSON.stringify(body),
        attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
        eventSourceARN: '',
      },
    ],
  });
  const { data } = Applied.safeParse(outcome.ok ? outcome.payload : undefined);
  return data?.batchItemFailures.length === 0 ? 200 : 500;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
