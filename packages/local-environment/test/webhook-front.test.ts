import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { InvokeOutcome } from '@banking-order/cdk-local';
import { serveWebhooks } from '#local-environment/bank/webhook-front.ts';

const applied: InvokeOutcome = { ok: true, payload: { batchItemFailures: [] } };
const invoke = vi.fn<(event: object) => Promise<InvokeOutcome>>();
const front = await serveWebhooks(invoke);
afterEach(() => invoke.mockReset());
afterAll(front.stop);

const [companyId, connectionId] = ['11111111-1111-4111-8111-111111111111', 'cccccccc-cccc-4ccc-8ccc-cccccccccccc'];
async function send(body: object | string): Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (await fetch(`${front.url}/${companyId}/${connectionId}`, { method: 'POST', body: text })).status;
}
const webhook = (webhook_type: string, data: object) => ({ webhook_type, webhook_datetime: 'x', data });
const key = 'b6804f32-101e-4702-8fbc-c2dbc4c2ca00';
const endToEndId = 'E73856642202309201429bZKfklNlbwu';
const payout = { kind: 'PAYOUT', idEnvio: key.replaceAll('-', '') };

test.each([
  ['baas.pix_transfer.outgoing_pix', { request_control_key: key, pix_transfer_status: 'sent' }, payout],
  ['baas.ted.outgoing_ted', { request_control_key: key, ted_status: 'sent' }, payout],
  [
    'baas.pix_transfer.incoming_pix',
    { end_to_end_id: endToEndId, pix_transfer_type: 'manual' },
    { kind: 'PIX', endToEndId },
  ],
])('a webhook %s is read at the bank when it comes', async (type, data, events) => {
  invoke.mockResolvedValue(applied);
  expect(await send(webhook(type, data))).toBe(200);
  const [[event]] = invoke.mock.calls as unknown as [[{ readonly Records: readonly [{ readonly body: string }] }]];
  expect(JSON.parse(event.Records[0].body)).toEqual({ companyId, connectionId, events });
});

test.each([
  webhook('baas.pix.claim', { request_control_key: key }),
  webhook('baas.pix_transfer.incoming_pix', { end_to_end_id: endToEndId, pix_transfer_type: 'reversal' }),
])('a webhook about anything else is acknowledged, and nothing is read: %j', async (body) => {
  expect(await send(body)).toBe(200);
  expect(invoke).not.toHaveBeenCalled();
});

test('a malformed webhook is 400, and one that could not be applied 500: the bank sends it again', async () => {
  expect(await send('{')).toBe(400);
  expect(await send({})).toBe(400);
  expect(invoke).not.toHaveBeenCalled();
  for (const outcome of [
    { ok: true, payload: { batchItemFailures: [{ itemIdentifier: 'x' }] } },
    { ok: true, payload: null },
    { ok: false, reason: 'timeout', errorType: 'x', errorMessage: 'x' },
  ] as const) {
    invoke.mockResolvedValueOnce(outcome as InvokeOutcome);
    expect(await send(webhook('baas.ted.outgoing_ted', { request_control_key: key }))).toBe(500);
  }
});
