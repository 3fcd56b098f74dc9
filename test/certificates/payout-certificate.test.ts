import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { PaymentCertificate } from '#shared/certificates/contract.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { World } from '../support/bank-world.ts';
import {
  accountElsewhere,
  bankWorld,
  companyOne,
  noon,
  otherCompany,
  payoutBody,
  receiver,
} from '../support/bank-world.ts';
import { secondHash } from '../support/chain-check.ts';
import { closeStatement } from '../support/closed-statement.ts';
import { refused } from '../support/refusals.ts';

type Certificate = z.output<typeof PaymentCertificate>;

let world: World;

beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_000);
});

const create = async (more: Readonly<Record<string, unknown>> = {}, key = 'key-1') => {
  const { status, body } = await world.createPayout({ companyId: companyOne, body: payoutBody(more), key });
  expect(status).toBe(201);
  return body as { id: string; endToEndId?: string };
};

const certificateOf = async (id: string): Promise<Certificate> => {
  const { status, body } = await world.getPayoutCertificate({ companyId: companyOne, params: { id } });
  expect(status).toBe(200);
  return PaymentCertificate.parse(body);
};
const payloadOf = async (id: string) => (await certificateOf(id)).payload;

/** Moves the clock. */
const after = (seconds: number) => (world.clock.now = plusSeconds(world.clock.now, seconds));

const silent = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);
const accepted: PaymentState = { status: 'ACCEPTED', returns: [] };

describe('the certificate of a payout', () => {
  it('is verified by another library, with the key and the thumbprint in its header', async () => {
    const { id } = await create();
    const { certificate, payload } = await certificateOf(id);
    const { jwk, kid, typ, alg } = decodeProtectedHeader(certificate);
    expect([typ, alg]).toEqual(['payment-certificate+jws', 'ES256']);
    expect(kid).toBe(await calculateJwkThumbprint(jwk as JWK));
    const verified = await compactVerify(certificate, await importJWK(jwk as JWK, 'ES256'));
    expect(JSON.parse(new TextDecoder().decode(verified.payload))).toEqual(payload);
  });

  it('names the request that asked for it, with the fingerprint of its idempotency key', async () => {
    const { id } = await create({}, 'my-key');
    const { request } = await payloadOf(id);
    const [item] = world.items('IDEMPOTENCY');
    expect(request).toMatchObject({ at: noon, idempotencyKey: 'my-key', fingerprint: item?.['fingerprint'] });
    expect(request.clientId).toBeTypeOf('string');
  });

  it('has the fingerprint that docs/payments.md describes, however the amount was written', async () => {
    const page = await readFile(new URL('../../docs/payments.md', import.meta.url), 'utf8');
    const described = /^\{"body":.*"operationId":"createPayout".*$/mu.exec(page)?.[0] ?? '';
    const { body } = JSON.parse(described) as { body: { accountId: string; amount: number } };
    await world.openAccount(10_000, { id: body.accountId });
    const amount = { currency: 'BRL', value: body.amount / 100 };
    const { id } = await create({ ...body, amount });
    const digest = createHash('sha256').update(described).digest('hex');
    expect((await payloadOf(id)).request.fingerprint).toBe(digest);
  });

  it('says NOT_KNOWN since its submission, without a debit, while the bank has not decided', async () => {
    const { id } = await create();
    after(30);
    const payload = await payloadOf(id);
    expect(payload).toMatchObject({ outcome: 'NOT_KNOWN', since: noon, debits: [], submissionsCount: 1 });
    expect(payload.submissions).toEqual([{ at: noon, verdict: 'NOT_KNOWN' }]);
    expect(payload.issuedAt).toBe(plusSeconds(noon, 30));
  });

  it('says CARRIED_OUT with the one debit when the bank paid it, and has the proof once its minute is closed', async () => {
    const { id, endToEndId } = await create();
    after(30);
    await world.force(id, 'PAID');
    const open = await payloadOf(id);
    expect(open).toMatchObject({ outcome: 'CARRIED_OUT', endToEndId });
    expect(open.submissions).toEqual([{ at: noon, verdict: 'CARRIED_OUT' }]);
    expect(open.debits).toMatchObject([{ type: 'PAYOUT_PAID', orderId: id, reserved: '-10.00', endToEndId }]);
    expect(open.debits[0]?.proof).toBeUndefined();
    await closeStatement(world);
    const { proof, ...entry } = (await payloadOf(id)).debits[0]!;
    expect(proof?.hash).toBe(secondHash(proof!.previous, entry));
  });

  it.each(['ERROR', 'CANCELED'])('says NOT_CARRIED_OUT, without a debit, when the bank says %s', async (status) => {
    const { id } = await create();
    after(30);
    await world.force(id, status);
    const payload = await payloadOf(id);
    expect(payload).toMatchObject({ outcome: 'NOT_CARRIED_OUT', since: world.clock.now, debits: [] });
    expect(payload.submissions).toEqual([{ at: noon, verdict: 'NOT_CARRIED_OUT' }]);
    expect(payload.errorMessage === undefined).toBe(status === 'CANCELED');
  });

  it('says of each payment of a batch what became of it, and has a debit for each time at which some were paid', async () => {
    const { id } = await create({ amount: { currency: 'BRL', value: '40000.00' } });
    after(10);
    await world.force(`${id.slice(0, -2)}01`, 'PAID');
    after(10);
    expect(await payloadOf(id)).toMatchObject({ outcome: 'NOT_KNOWN', debits: [{ reserved: '-15000.00' }] });
    await world.force(`${id.slice(0, -2)}02`, 'ERROR');
    after(10);
    await world.force(`${id.slice(0, -2)}03`, 'PAID');
    const payload = await payloadOf(id);
    expect(payload.outcome).toBe('CARRIED_OUT_IN_PART');
    expect(payload.endToEndId).toBeUndefined();
    expect(payload.payments?.map(({ outcome }) => outcome)).toEqual(['CARRIED_OUT', 'NOT_CARRIED_OUT', 'CARRIED_OUT']);
    expect(payload.debits.map(({ reserved }) => reserved)).toEqual(['-15000.00', '-10000.00']);
  });

  it('has one debit of a batch whose payments end together, whatever became of each', async () => {
    const { id } = await create({ amount: { currency: 'BRL', value: '40000.00' } });
    await world.force(`${id.slice(0, -2)}02`, 'ERROR');
    await world.force(id, 'PAID');
    const { debits } = await payloadOf(id);
    expect(debits.map(({ type, reserved }) => [type, reserved])).toEqual([['PAYOUT_PAID', '-25000.00']]);
  });

  it('lists each submission of the worker, and which of them the bank accepted', async () => {
    world.bank.payouts.send.submit = silent;
    world.bank.payouts.send.find = silent;
    const { id } = await create();
    const tries = [after(120)];
    await world.submitPayouts();
    tries.push(after(120));
    world.bank.payouts.send.find = () => Promise.resolve({ outcome: 'DONE', state: accepted });
    await world.submitPayouts();
    const waiting = await payloadOf(id);
    expect(waiting.submissions).toEqual([
      { at: noon, verdict: 'NOT_KNOWN' },
      { at: tries[0], verdict: 'NOT_KNOWN' },
      { at: tries[1], verdict: 'ACCEPTED' },
    ]);
    expect(waiting).toMatchObject({ submissionsCount: 3, outcome: 'NOT_KNOWN', since: noon });
    await world.force(id, 'PAID');
    expect((await payloadOf(id)).submissions.at(-1)).toEqual({ at: tries[1], verdict: 'CARRIED_OUT' });
  });

  it('counts all submissions, and keeps the times of the first and of the last four', async () => {
    world.bank.payouts.send.submit = silent;
    world.bank.payouts.send.find = silent;
    const { id } = await create();
    const tries: string[] = [];
    for (let run = 0; run < 7; run += 1) {
      tries.push(after(121));
      await world.submitPayouts();
    }
    const { submissions, submissionsCount } = await payloadOf(id);
    expect(submissionsCount).toBe(8);
    expect(submissions.map(({ at }) => at)).toEqual([noon, ...tries.slice(-4)]);
  });

  it('has no submission of a TED before its hours, and the control number once it is sent', async () => {
    world.clock.now = '2026-01-15T22:00:00.000Z';
    const ted = { paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver };
    const { id } = await create(ted);
    const waiting = await payloadOf(id);
    expect(waiting).toMatchObject({ submissionsCount: 0, submissions: [], outcome: 'NOT_KNOWN' });
    expect(waiting.since).toBe(world.clock.now);
    world.clock.now = '2026-01-16T09:30:00.000Z';
    await world.submitPayouts();
    const sent = await payloadOf(id);
    expect(sent).toMatchObject({ submissionsCount: 1, since: world.clock.now });
    expect(sent.submissions).toEqual([{ at: world.clock.now, verdict: 'ACCEPTED' }]);
    expect(sent.controlNumber).toMatch(/^STR/u);
  });

  it('says how much came back of a paid payout', async () => {
    world.setCapabilities({ isPolled: true });
    const { id, endToEndId = '' } = await create();
    const returns = [{ returnId: 'D12345678202601151500A1b2C3d4E5f', amount: centavos(400), at: noon }];
    const state: PaymentState = { status: 'PAID', returns, at: noon, endToEndId };
    world.bank.payouts.send.find = () => Promise.resolve({ outcome: 'DONE', state });
    after(120);
    await world.submitPayouts();
    expect(await payloadOf(id)).toMatchObject({ outcome: 'CARRIED_OUT', returnedAmount: { value: '4.00' } });
  });

  it('is found at any shard of the balance, among entries of other payouts', async () => {
    await world.setShards(4);
    const ids: string[] = [];
    for (let place = 0; place < 12; place += 1) ids.push((await create({}, `key-${place}`)).id);
    after(10);
    for (const id of ids) await world.force(id, 'PAID');
    for (const id of ids) expect((await payloadOf(id)).debits).toMatchObject([{ orderId: id, reserved: '-10.00' }]);
  });

  it('is 404 for a payout of another company, and for the id of a payment of a batch', async () => {
    const { id } = await create({ amount: { currency: 'BRL', value: '40000.00' } });
    refused(await world.getPayoutCertificate({ companyId: otherCompany, params: { id } }), 404);
    const params = { id: `${id.slice(0, -2)}01` };
    refused(await world.getPayoutCertificate({ companyId: companyOne, params }), 404);
  });
});
