import { beforeEach, describe, expect, it } from 'vitest';
import { PaymentCertificate } from '#shared/certificates/contract.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, companyOne, noon, otherCompany, payInBody, receiver } from '../support/bank-world.ts';
import { secondHash } from '../support/chain-check.ts';
import { closeStatement } from '../support/closed-statement.ts';
import { refused } from '../support/refusals.ts';

let world: World;
/** A pay-in of 25 reais that was paid at noon. */
let orderId: string;

beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'pay-in' });
  orderId = (body as { id: string }).id;
  await world.force(orderId, 'PAID');
});

const refund = async (body: object = {}, key = 'refund-1') => {
  const asked = await world.refundPayIn({ companyId: companyOne, params: { id: orderId }, body, key });
  expect(asked.status).toBe(201);
  return (asked.body as { refundId: string }).refundId;
};
const payloadOf = async (refundId: string) => {
  const params = { id: orderId, refundId };
  const { status, body } = await world.getRefundCertificate({ companyId: companyOne, params });
  expect(status).toBe(200);
  return PaymentCertificate.parse(body).payload;
};
const after = (seconds: number) => (world.clock.now = plusSeconds(world.clock.now, seconds));
const silent = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);

describe('the certificate of a refund', () => {
  it('names request, payer and receiver, and says NOT_KNOWN without a debit while the bank has not decided', async () => {
    const refundId = await refund({ description: 'Devolvido' }, 'my-key');
    after(30);
    const payload = await payloadOf(refundId);
    const stored = world.items('IDEMPOTENCY').find((item) => item['resourceId'] === refundId);
    expect(payload).toMatchObject({
      kind: 'REFUND',
      ...{ id: refundId, orderId, amount: { value: '25.00' }, description: 'Devolvido', paymentMethod: 'PIX' },
      request: { at: noon, idempotencyKey: 'my-key', fingerprint: stored?.['fingerprint'] },
      receiver,
      ...{ outcome: 'NOT_KNOWN', since: noon, debits: [], submissionsCount: 1 },
      submissions: [{ at: noon, verdict: 'NOT_KNOWN' }],
    });
    expect(stored?.['fingerprint']).toMatch(/^[0-9a-f]{64}$/u);
    expect(payload.request.clientId).toBeTypeOf('string');
    expect(payload.payer.name).toBeTypeOf('string');
  });

  it('has the one debit of each part with its proof, and none of the other parts', async () => {
    const parts = ['10.00', '15.00'];
    const ids: string[] = [];
    for (const [place, value] of parts.entries())
      ids.push(await refund({ amount: { currency: 'BRL', value } }, `part-${place}`));
    for (const id of ids) {
      after(10);
      await world.force(id, 'REFUNDED');
    }
    await closeStatement(world);
    for (const [place, id] of ids.entries()) {
      const payload = await payloadOf(id);
      expect(payload).toMatchObject({ outcome: 'CARRIED_OUT', since: plusSeconds(noon, 10 * (place + 1)) });
      expect(payload.endToEndId).toMatch(/^D/u);
      expect(payload.debits).toMatchObject([{ refundId: id, reserved: `-${parts[place]}`, orderId }]);
      const { proof, ...entry } = payload.debits[0]!;
      expect(proof?.hash).toBe(secondHash(proof!.previous, entry));
    }
  });

  it('says NOT_CARRIED_OUT since the bank refused it, with the reason', async () => {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'REFUSED', code: 'AB03', reason: 'No.' });
    const payload = await payloadOf(await refund());
    expect(payload).toMatchObject({ outcome: 'NOT_CARRIED_OUT', since: noon, debits: [] });
    expect(payload.submissions).toEqual([{ at: noon, verdict: 'NOT_CARRIED_OUT' }]);
    expect(payload.errorMessage).toContain('AB03');
  });

  it('lists each submission of the worker, which of them the bank accepted, and keeps them once it is settled', async () => {
    world.bank.refunds.submit = silent;
    world.bank.refunds.find = silent;
    const refundId = await refund();
    const tries = [after(120)];
    await world.submitCommands();
    tries.push(after(120));
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'DONE', state: { status: 'PENDING' } });
    await world.submitCommands();
    const submissions = [
      { at: noon, verdict: 'NOT_KNOWN' },
      { at: tries[0], verdict: 'NOT_KNOWN' },
      { at: tries[1], verdict: 'ACCEPTED' },
    ];
    expect(await payloadOf(refundId)).toMatchObject({ submissionsCount: 3, submissions, outcome: 'NOT_KNOWN' });
    await world.force(refundId, 'REFUNDED');
    const settled = await payloadOf(refundId);
    expect(settled.submissions).toEqual([...submissions.slice(0, 2), { at: tries[1], verdict: 'CARRIED_OUT' }]);
    expect(settled.debits).toHaveLength(1);
  });

  it('has no client and no submission when the bank returned the money by itself', async () => {
    await world.force(orderId, 'REFUNDED');
    const { body } = await world.listRefunds({ companyId: companyOne, params: { id: orderId } });
    const [made] = (body as { data: { refundId: string }[] }).data;
    const payload = await payloadOf(made?.refundId ?? '');
    expect(payload).toMatchObject({
      outcome: 'CARRIED_OUT',
      submissionsCount: 0,
      submissions: [],
      request: { at: noon },
    });
    expect(Object.keys(payload.request)).toEqual(['at']);
    expect(payload.debits).toMatchObject([{ available: '-25.00' }]);
  });

  it('is found by an id in capitals, and is 404 for another company, another pay-in and an unknown refund', async () => {
    const refundId = await refund();
    expect((await payloadOf(refundId.toUpperCase())).id).toBe(refundId);
    const params = { id: orderId, refundId };
    refused(await world.getRefundCertificate({ companyId: otherCompany, params }), 404);
    const other = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'other' });
    const ofOther = { id: (other.body as { id: string }).id, refundId };
    refused(await world.getRefundCertificate({ companyId: companyOne, params: ofOther }), 404);
    const unknown = { id: orderId, refundId: 'none' };
    refused(await world.getRefundCertificate({ companyId: companyOne, params: unknown }), 404);
  });
});
